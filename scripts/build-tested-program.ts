// Bundles the program for the tests that start it (tested-program.ts). Called by build-pages.mjs if a source has changed.
// Invariant: only the program's own code moves, so dependencies still find the files beside their sources.

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { bundledFiles, bundledPath, testedProgramFolder } from './tested-program.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** These packages read files beside themselves, or are rarely loaded and slow to bundle. */
const leftInPlace = ['@electric-sql/pglite', '@zxcvbn-ts/language-common', 'dejavu-fonts-ttf', 'pdfkit'];

const keepPlaces: Plugin = {
  name: 'keep places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta')) return undefined;
      return { contents: withPlaces(path, text), loader: 'ts' };
    });
  },
};

function withPlaces(path: string, text: string): string {
  const isEntry = `(process.argv[1] === ${quoted(entryPath(path) ?? '')})`;
  return text
    .replaceAll(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g, (whole, other: string) => {
      const entry = entryPath(join(dirname(path), other));
      return entry === null ? whole : `new URL(${quoted(pathToFileURL(entry).href)})`;
    })
    .replaceAll('import.meta.url', quoted(pathToFileURL(path).href))
    .replaceAll('import.meta.main', isEntry);
}

function entryPath(path: string): string | null {
  const file = relative(root, path).replaceAll('\\', '/');
  return bundledFiles.includes(file) ? bundledPath(file) : null;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

await rm(testedProgramFolder, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: [...bundledFiles],
  outbase: root,
  outdir: testedProgramFolder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: `node${process.versions.node}`,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  external: [...leftInPlace, 'pg-native'],
  banner: {
    js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
  },
  plugins: [keepPlaces],
});
