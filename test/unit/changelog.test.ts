// The changelog helps before an upgrade: the newest version and breaking changes come first, each on at most a page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { programVersion } from '../../src/shared/version.ts';

const kinds = ['Breaking', 'Deprecated', 'Added', 'Changed', 'Fixed'];
const linesMax = 60;
const byNumber = (a: string, b: string) => b.localeCompare(a, 'en', { numeric: true });

function changelogProblems(text: string, version: string): string[] {
  const [, ...parts] = text.split(/^## /m);
  const sections = parts.map((part) => {
    const lines = part.trimEnd().split('\n');
    const [title = ''] = lines;
    return { title, lines, kinds: [...part.matchAll(/^### (.*)$/gm)].map(([, kind = '']) => kind) };
  });
  const titles = sections.map(({ title }) => title);
  const released = titles.filter((title) => title !== 'Unreleased');
  return [
    ...titles.filter((title, at) =>
      title === 'Unreleased' ? at > 0 : !/^\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)$/.test(title),
    ),
    ...(released[0]?.startsWith(`${version} `) ? [] : [`the newest version is not ${version}`]),
    ...(released.join() === released.toSorted(byNumber).join() ? [] : ['the newest version is not first']),
    ...sections.flatMap(({ title, lines, kinds: found }) => [
      ...(lines.length > linesMax ? [`${title} has ${lines.length} lines, at most ${linesMax}`] : []),
      ...(found.join() === kinds.filter((kind) => found.includes(kind)).join()
        ? []
        : [`${title}: ${found.join(', ')} in place of ${kinds.join(', ')}`]),
    ]),
  ];
}

test('the changelog names what breaks first, and no version is longer than a page', () => {
  const text = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
  assert.deepEqual(changelogProblems(text, programVersion), []);
});

describe('a changelog that cannot be read is reported', () => {
  const good =
    '# C\n\n## Unreleased\n\n### Breaking\n\n- a\n\n### Added\n\n- b\n\n## 0.2.0 (2026-11-25)\n\n- c\n';
  test('a good one is not', () => assert.deepEqual(changelogProblems(good, '0.2.0'), []));
  const broken: readonly (readonly [title: string, text: string])[] = [
    ['what breaks is not first', good.replace('### Added', '### Deprecated').replace('Breaking', 'Added')],
    ['an unknown heading', good.replace('### Added', '### New')],
    ['a kind twice', good.replace('### Added', '### Breaking')],
    ['a version without a date', good.replace(' (2026-11-25)', '')],
    ['a version too long', good.replace('- b', '- b\n'.repeat(linesMax))],
    ['older versions first', `${good}\n## 0.3.0 (2026-12-01)\n`],
    ['the version of the program is missing', good.replace('0.2.0', '0.1.0')],
  ];
  for (const [title, text] of broken)
    test(title, () => assert.notDeepEqual(changelogProblems(text, '0.2.0'), []));
});
