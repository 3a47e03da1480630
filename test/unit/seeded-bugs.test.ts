// Seeded bugs replace text of the source. If the source changes, its bug must follow (proof/machines/long-seeded-bugs.ts).

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { seededBugs } from '../../proof/machines/seeded-bugs.ts';

const root = new URL('../../', import.meta.url);

test('every bug on purpose has its place in the sources, and a test that is to catch it', () => {
  const misplaced = seededBugs.filter(
    ({ file, find, test: catcher }) =>
      readFileSync(new URL(file, root), 'utf8').split(find).length !== 2 ||
      !existsSync(new URL(catcher, root)),
  );
  assert.deepEqual(
    misplaced.map(({ name }) => name),
    [],
  );
});
