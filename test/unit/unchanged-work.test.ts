import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { createUnchangedWork, type TestSource } from '../../scripts/unchanged-work.ts';

const root = mkdtempSync(join(tmpdir(), 'sellthrough-unchanged-'));
after(() => rmSync(root, { recursive: true }));
const [service, page, guide] = ['a', 'b', 'c'].map((name) => `test/service/${name}.test.ts`);
assert.ok(service && page && guide);
const sources: Readonly<Record<string, TestSource>> = {
  [service]: { readsPages: false, text: '' },
  [page]: { readsPages: true, text: '' },
  [guide]: { readsPages: false, text: "readFileSync('docs/guide.md')" },
};
const tests = Object.keys(sources);
const otherFiles = ['src/main.ts', 'web/src/main.tsx', 'docs/guide.md', 'README.md', 'package-lock.json'];

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function open() {
  return createUnchangedWork(root, (file) => sources[file] ?? { readsPages: false, text: '' });
}

function run({ meanwhile = () => undefined }: { meanwhile?: () => unknown } = {}): readonly string[] {
  const work = open();
  const ran = tests.filter((file) => work.find(file, file) === undefined);
  for (const file of ran) work.note(file, file, { passed: 3, statements: ['find_it'] });
  meanwhile();
  work.save();
  return ran;
}

beforeEach(() => {
  rmSync(join(root, 'node_modules'), { recursive: true, force: true });
  for (const path of [...tests, ...otherFiles]) write(path, 'first');
});

test('what passed is not run again, and counts as it did', () => {
  assert.deepEqual(run(), tests, 'nothing is remembered yet');
  assert.deepEqual(run(), []);
  assert.deepEqual(open().find(service, service)?.statements, ['find_it']);
  assert.equal(open().find(page, page)?.passed, 3);
});

for (const [path, expected] of [
  ['src/main.ts', tests],
  ['package-lock.json', tests],
  ['test/harness/new.ts', tests],
  [service, [service]],
  ['web/src/main.tsx', [page]],
  ['docs/guide.md', [page, guide]],
  ['README.md', [page, guide]],
  ['data/anything', []],
] as const) {
  test(`after a change of ${path} those run that can see it`, () => {
    run();
    write(path, 'second');
    assert.deepEqual(run(), expected);
  });
}

test('what failed, and so was not noted, is run again', () => {
  open().save();
  assert.equal(open().find(service, service), undefined);
});

test('of a run during which something was changed nothing is remembered', () => {
  run({ meanwhile: () => write('src/main.ts', 'second') });
  assert.deepEqual(run(), tests);
});
