// A preload (node --import) that turns a program started by root into the user nobody, after its modules are loaded and
// before its first line. So the program starts even below folders that are closed to nobody, such as root's home, and only
// its own actions are refused.
import { realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const program = pathToFileURL(realpathSync(process.argv[1])).href;
const loadedLate = [
  'cli/doctor/doctor-command',
  'cli/backup-command',
  'setup/error-message',
  'platform/http/built-pages',
].map((name) => new URL(`../../src/${name}.ts`, import.meta.url).href);
// A program's imports are evaluated before its first line, so add this as an import.
const change = `for (const late of ${JSON.stringify(loadedLate)}) await import(late);
process.setgroups([]); process.setgid(65_534); process.setuid(65_534);`;

registerHooks({
  // Find modules that are already loaded without access to files.
  resolve(specifier, context, nextResolve) {
    if (process.getuid() === 0 || !specifier.startsWith('.')) return nextResolve(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, shortCircuit: true };
  },
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== program) return loaded;
    return { ...loaded, source: String(loaded.source).replace(/^(#!.*\n)?/, `$1${change}`) };
  },
});
