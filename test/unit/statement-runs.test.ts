// The gate's check of which queries ran where reports a query that one kind of database never ran.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createStatementRuns } from '../../scripts/statement-runs.ts';

const root = mkdtempSync(join(tmpdir(), 'sellthrough-runs-'));
mkdirSync(join(root, 'src'));
writeFileSync(join(root, 'src', 'some.ts'), `const find = { name: 'find_some', text: 'select 1' };`);
after(() => rmSync(root, { recursive: true }));

test('a query that never ran on one of the databases is named, with a file that sends it', () => {
  const runs = createStatementRuns();
  const problemsOf = (name: string) => runs.problems(root).filter((line) => line.startsWith(`${name} `));
  assert.deepEqual(problemsOf('find_some'), [
    'find_some (no test) never ran on the embedded database or PostgreSQL or PostgreSQL with several account groups',
  ]);
  runs.add('postgres', 'some.test.ts', ['find_some']);
  runs.add('embedded', 'some.test.ts', ['find_some']);
  assert.deepEqual(problemsOf('find_some'), [
    'find_some (some.test.ts) never ran on PostgreSQL with several account groups',
  ]);
  runs.add('groups', 'some.test.ts', ['find_some', 'throwaway_one']);
  assert.deepEqual(problemsOf('find_some'), []);
  assert.deepEqual(problemsOf('throwaway_one'), [], 'a test may ask what it likes');
});

test('an exception that nothing needs is named as well', () => {
  const unused = createStatementRuns()
    .problems(root)
    .filter((line) => line.includes('is excepted'));
  assert.ok(unused.length > 0);
});
