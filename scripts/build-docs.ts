// Builds the pages of /docs (docs/dist) with VitePress, as docs/.vitepress/config.ts says, and compresses them. Called by
// build-pages.mjs; `node scripts/build-docs.ts` does the same by hand.
// Always true: the old pages stay until the new ones are complete.

import { globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vitepress';

const docs = fileURLToPath(new URL('../docs/', import.meta.url));
const finished = join(docs, 'dist');
const draft = `${finished}.draft`;
const worthBytes = 1_024;

rmSync(draft, { recursive: true, force: true });
await build(docs, { outDir: draft });
for (const file of globSync('**/*.{html,js,css,svg}', { cwd: draft })) {
  const path = join(draft, file);
  const source = readFileSync(path);
  if (source.length < worthBytes) continue;
  writeFileSync(`${path}.br`, brotliCompressSync(source));
  writeFileSync(`${path}.gz`, gzipSync(source));
}
rmSync(finished, { recursive: true, force: true });
renameSync(draft, finished);
