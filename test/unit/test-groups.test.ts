// Every service test says whether it runs on both databases or on one: a new file is in one of two lists, and no
// list names a file that is gone.

import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  alsoInOneGroup,
  longestFirst,
  onBothDatabases,
  onOneDatabase,
  proofs,
  runsInGroups,
  runsInOneGroup,
  runsOnBothDatabases,
} from '../../scripts/test-groups.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('every service test runs on both databases or on one, as one list says', () => {
  const found = globSync('test/service/*.test.ts', { cwd: root }).map((path) => basename(path, '.test.ts'));
  assert.deepEqual([...onBothDatabases, ...onOneDatabase].sort(), found.sort());
});

test('a file that no list names runs on both, so that a run without this test misses nothing', () => {
  assert.equal(runsOnBothDatabases('test/service/order-batches.test.ts'), true);
  assert.equal(runsOnBothDatabases('test/service/sdk.test.ts'), false);
  assert.equal(runsOnBothDatabases('test/service/of-tomorrow.test.ts'), true);
});

test('on PostgreSQL every service test runs with one account group or with several, and few with both', () => {
  const files = globSync('test/service/*.test.ts', { cwd: root });
  const both = files.filter((file) => runsInGroups(file) && runsInOneGroup(file));
  assert.deepEqual(
    both.map((path) => basename(path, '.test.ts')).sort(),
    Object.keys(alsoInOneGroup).sort(),
    'each with its reason, and each is there',
  );
  assert.deepEqual(
    files.filter((file) => !runsInGroups(file) && !runsInOneGroup(file)),
    [],
  );
  assert.deepEqual(
    files.filter((file) => runsInGroups(file) && !runsOnBothDatabases(file)),
    [],
    'whatever runs in several groups runs in one on the embedded database',
  );
  assert.equal(runsInGroups('test/service/of-tomorrow.test.ts'), true);
});

test('the proofs that are no part of the gate are there', () => {
  for (const file of proofs) assert.ok(existsSync(`${root}${file}`), file);
});

test('what takes longest begins first, the others as they came', () => {
  const parts = ['types', 'test/unit/times.test.ts', 'test/process/kill.test.ts'].map((file) => ({ file }));
  assert.deepEqual(
    longestFirst(parts).map(({ file }) => file),
    ['test/process/kill.test.ts', 'types', 'test/unit/times.test.ts'],
  );
});
