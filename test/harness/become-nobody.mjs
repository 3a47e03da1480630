// A preload (node --import) that turns a program started by root into the user nobody, after its modules are loaded and
// before its first line, so that it works below folders closed to nobody, such as root's home. Only the program's own
// actions must be refused.
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
// Before the program's first line: its imports are evaluated before that.
const change = `for (const late of ${JSON.stringify(loadedLate)}) await import(late);
process.setgroups([]); process.setgid(65_534); process.setuid(65_534);`;

registerHooks({
  // Loaded modules are found without file access.
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
