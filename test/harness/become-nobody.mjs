// A preload (node --import) that turns a program started by root into one of the user nobody: once all its modules
// are read, and before the first line of the program itself runs. So it works below a folder that nobody may not
// enter, such as root's home: what must be refused is what the program does, not the reading of its sources.
import { realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const program = pathToFileURL(realpathSync(process.argv[1])).href;
// What the commands load only when they come to it.
const loadedLate = [
  'cli/doctor/doctor-command',
  'cli/backup-command',
  'setup/error-message',
  'platform/http/built-pages',
].map((name) => new URL(`../../src/${name}.ts`, import.meta.url).href);
// In front of the program's first line: its own imports are carried out before that.
const change = `for (const late of ${JSON.stringify(loadedLate)}) await import(late);
process.setgroups([]); process.setgid(65_534); process.setuid(65_534);`;

registerHooks({
  // What has been loaded is found again without a look at the file.
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
