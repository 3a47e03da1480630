// Loaded before the program (node --import): keeps what Node makes of the sources, types stripped and compiled,
// in node_modules/.cache. The next start is quicker and takes less memory, because the compiler that strips
// types is not loaded at all.
// In the checkout and not in the machine's folder for temporary files: nobody else may put code there. Where
// it cannot be written, Node goes on without it.
// And before that, on Linux: memory that was freed is given back to the system. glibc keeps up to 64 MB of it in each
// of its arenas, once anything large was freed, and compiling the embedded database takes hundreds of megabytes for
// a moment (docs/performance.md). It reads the variable as a process starts, so the process starts once more, in
// the place of the first: the same number, the same streams.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const trimFrom = 'MALLOC_TRIM_THRESHOLD_';
if (process.platform === 'linux' && process.env[trimFrom] === undefined && process.execve !== undefined) {
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, words, { ...process.env, [trimFrom]: '131072' });
}

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sellthrough', import.meta.url)));
