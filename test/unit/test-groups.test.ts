// The runner's lists of files agree with the files that exist.

import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  alsoInOneGroup,
  inEveryPlace,
  longestFirst,
  notOnCitus,
  runsInEveryPlace,
  runsInOneGroup,
} from '../../scripts/test-groups.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the lists name service tests that are there', () => {
  const found = globSync('test/service/*.test.ts', { cwd: root }).map((path) => basename(path, '.test.ts'));
  const named = [...inEveryPlace, ...Object.keys(alsoInOneGroup), ...Object.keys(notOnCitus)];
  assert.deepEqual(
    named.filter((name) => !found.includes(name)),
    [],
  );
  assert.equal(new Set(inEveryPlace).size, inEveryPlace.length);
});

test('a file that no list names runs once, on PostgreSQL', () => {
  const file = 'test/service/of-tomorrow.test.ts';
  assert.deepEqual([runsInOneGroup(file), runsInEveryPlace(file)], [true, false]);
  assert.equal(runsInEveryPlace('test/service/road.test.ts'), true);
  assert.equal(runsInOneGroup('test/service/query-plans.test.ts'), true);
});

test('what takes longest begins first, the others as they came', () => {
  const parts = ['types', 'test/unit/times.test.ts', 'test/process/kill.test.ts'].map((file) => ({ file }));
  assert.deepEqual(
    longestFirst(parts).map(({ file }) => file),
    ['test/process/kill.test.ts', 'types', 'test/unit/times.test.ts'],
  );
});
