// Texts are loaded before the modules that use them, so a page may only import modules whose catalogs it loads.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { consoleSources, entrySources, seldomSources } from '../../web/text-areas.ts';

const root = join(import.meta.dirname, '../../web/src');
const filesOf = (globs: readonly string[]) =>
  new Set(globs.flatMap((glob) => globSync(glob, { cwd: root })).filter((file) => /\.tsx?$/.test(file)));
const seldom = filesOf(seldomSources);
const ofConsole = filesOf(consoleSources);
const entry = filesOf(entrySources);

interface Import {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

const imports = globSync('**/*.{ts,tsx}', { cwd: root }).flatMap((from): Import[] => {
  const source = readFileSync(join(root, from), 'utf8');
  return [
    ...source.matchAll(/^import (?!type )[^;]*?from '(\.[^']+)'|\w*\(?\(\) => import\('(\.[^']+)'\)/gm),
  ].map(([text, still, lazily]) => ({
    from,
    to: relative(root, join(root, dirname(from), still ?? lazily ?? '')),
    text,
  }));
});

const speaks = (file: string) =>
  /\.tsx?$/.test(file) &&
  /from '@lingui\/(?:core|react)\/macro'/.test(readFileSync(join(root, file), 'utf8'));

test('what speaks from another catalog is imported dynamically, behind it', () => {
  const crossing = imports.filter(
    ({ from, to }) =>
      speaks(to) &&
      ((ofConsole.has(to) && !ofConsole.has(from)) ||
        (seldom.has(to) &&
          !seldom.has(from) &&
          !ofConsole.has(from) &&
          // In both catalogs.
          !(entry.has(to) && entry.has(from)))),
  );
  assert.ok(crossing.length >= 5, 'pages are found');
  // These pages, and so what they import, are loaded after the catalog.
  const behind = (file: string) =>
    imports.some(({ to, text }) => to === file && /^with(?:Console)?Texts\(/.test(text));
  const unsafe = crossing.filter(({ from, to, text }) =>
    text.startsWith('import ')
      ? !behind(from)
      : !text.startsWith(ofConsole.has(to) ? 'withConsoleTexts(' : 'withTexts('),
  );
  assert.deepEqual(unsafe, []);
});
