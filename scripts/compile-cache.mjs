// Loaded before the program (node --import): caches Node's compiled sources in node_modules/.cache, so that starts are
// faster. The cache is not in the shared temporary folder, because other users could plant code there. On Linux, also makes
// glibc return freed memory (docs/performance.md). glibc reads that setting only at process start, so the process
// re-executes itself once, with the same id and streams.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const trimFrom = 'MALLOC_TRIM_THRESHOLD_';
if (process.platform === 'linux' && process.env[trimFrom] === undefined && process.execve !== undefined) {
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, words, { ...process.env, [trimFrom]: '131072' });
}

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sellthrough', import.meta.url)));
