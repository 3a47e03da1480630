// The counts of OWASP ASVS 5 requirements agree with the page that lists them, and the files that the page names exist.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withRequirementCounts } from '../../scripts/docs/requirement-counts.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/asvs.md');
/** How many requirements version 5.0.0 has at levels 1 and 2. */
const ofTheStandard = 253;

test('the table of docs/asvs.md counts its answers, all of them', () => {
  assert.equal(withRequirementCounts(page), page, 'run "npm run generate"');
  assert.match(page, new RegExp(`\\| \\*\\*All ${ofTheStandard}\\*\\* \\|`));
  assert.match(page, new RegExp(`levels 1 and 2, ${ofTheStandard} requirements`));
});

test('another answer is another count', () => {
  const [, met = '', notMet = ''] =
    /\| \*\*All 253\*\* \| \*\*(\d+)\*\* \| \*\*(\d+)\*\* \|/.exec(page) ?? [];
  const moved = page.replace(/^(\| 12\.1\.1 \|[^|]*\|) \*\*met\*\*/m, '$1 **not met**');
  const [line] = /\| \*\*All 253.*/.exec(withRequirementCounts(moved)) ?? [];
  assert.match(
    line ?? '',
    new RegExp(`\\*\\*${Number(met) - 1}\\*\\* \\| \\*\\*${Number(notMet) + 1}\\*\\*`),
  );
});

test('a row that cannot be counted is named', () => {
  const row = '| 1.1.1 | decode once, before checking |';
  for (const [wrong, problem] of [
    [row.replace('1.1.1', '1.1.1 to 1.2.2'), /cannot be counted: " 1\.1\.1 to 1\.2\.2 "/],
    [row.replace('1.1.1', '1.1.2'), /names 1\.1\.2 twice/],
    [row.replace('1.1.1', '2.1.1'), /2\.1\.1 stands in "1 Encoding/],
    [`${row} **perhaps** |`, /gives no answer in/],
  ] as const) {
    assert.throws(() => withRequirementCounts(page.replace(row, wrong)), problem);
  }
});

test('every file that proves an answer exists', () => {
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  const folders = ['bin', 'src', 'web/src', 'test', 'proof', 'deploy', '.github', 'scripts'];
  const patterns = [...folders.map((folder) => `${folder}/**/*.*`), '*.*'];
  const exclude = ['**/node_modules/**'];
  const files = new Set(globSync(patterns, { cwd, exclude }).map((path) => basename(path)));
  const generated = ['dist/sbom.cdx.json'];
  const named = [...page.matchAll(/`([\w./-]+\.(?:tsx?|mjs|lua|sql|yaml|yml|json|sh|service))`/g)]
    .map(([, file = '']) => file)
    .filter((file) => !generated.includes(file));
  assert.ok(named.length > 150);
  assert.deepEqual(
    named.filter((file) => !files.has(file)),
    [],
  );
});
