// Loaded before the program (node --import): keeps what Node makes of the sources, types taken off and compiled,
// in node_modules/.cache. The next start is quicker and takes less memory, because the compiler that takes types
// off is not loaded at all.
// In the checkout and not in the machine's folder for temporary files: nobody else may put code there. Where
// it cannot be written, Node goes on without it.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sellthrough', import.meta.url)));
