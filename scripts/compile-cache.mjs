// Loaded before the program (node --import): caches Node's stripped and compiled sources in node_modules/.cache, for faster
// starts with less memory. In the checkout, not the shared temporary folder, where others could plant code.
// On Linux it also returns freed memory to the system: glibc keeps up to 64 MB per arena, and compiling the embedded
// database briefly takes hundreds of megabytes (docs/performance.md). glibc reads the variable at process start, so the
// process re-executes itself once, with the same id and streams.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const trimFrom = 'MALLOC_TRIM_THRESHOLD_';
if (process.platform === 'linux' && process.env[trimFrom] === undefined && process.execve !== undefined) {
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, words, { ...process.env, [trimFrom]: '131072' });
}

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sellthrough', import.meta.url)));
