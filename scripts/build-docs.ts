// Builds the pages of /docs (docs/dist) with VitePress, compresses them and adds their downloads: the packed clients,
// the modules and the small products. Called by build-pages.mjs, or by hand: `node scripts/build-docs.ts`.
// Invariant: the old pages stay until the new ones are complete.

import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';
import { build } from 'vitepress';
import { downloads } from '../docs/.vitepress/page-list.ts';
import { packClients } from './build-clients.ts';
import { packModule, panels } from './build-integrations.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const docs = fileURLToPath(new URL('../docs/', import.meta.url));
const finished = join(docs, 'dist');
const draft = `${finished}.draft`;
const worthBytes = 1_024;
// Level 9 makes files a tenth larger than level 11 in a twentieth of the time. Level 11 is for files that every page loads,
// and 10 for the index that a search loads: 3 % larger, in two fifths of the time.
// With the default window of 4 MB the compressor spends ten times as long, nearly all of it on allocating the window.
const brotliOf = (file: string) => ({
  params: /^assets[\\/](?:chunks|style)/.test(file)
    ? { [zlib.BROTLI_PARAM_QUALITY]: file.includes('@localSearchIndex') ? 10 : 11 }
    : { [zlib.BROTLI_PARAM_QUALITY]: 9, [zlib.BROTLI_PARAM_LGWIN]: 16 },
});

rmSync(draft, { recursive: true, force: true });
await build(docs, { outDir: draft });
for (const file of globSync('**/*.{html,js,css,svg}', { cwd: draft })) {
  const path = join(draft, file);
  const source = readFileSync(path);
  if (source.length < worthBytes) continue;
  writeFileSync(`${path}.br`, brotliCompressSync(source, brotliOf(file)));
  writeFileSync(`${path}.gz`, gzipSync(source));
}
handOut(join(draft, 'downloads'));
rmSync(finished, { recursive: true, force: true });
renameSync(draft, finished);

function handOut(folder: string): void {
  mkdirSync(folder);
  for (const [source, name] of Object.entries(downloads)) {
    if (/\.(?:php|ts)$/.test(name)) cpSync(join(root, source), join(folder, name));
  }
  for (const { name, bytes } of [...packClients(), ...panels.map(packModule)])
    writeFileSync(join(folder, name), bytes);
  const own = process.env['npm_execpath'];
  const isOwn = own?.endsWith('npm-cli.js') === true;
  // Otherwise `npm pack --dry-run` of the whole package would make this inner pack a dry run too.
  const args = ['pack', '--workspace', 'sdk', '--no-dry-run', '--silent', '--pack-destination', folder];
  const { status } = spawnSync(isOwn ? process.execPath : 'npm', isOwn ? [own, ...args] : args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: !isOwn && process.platform === 'win32',
  });
  if (status !== 0) throw new Error('npm did not pack the client.');
}
