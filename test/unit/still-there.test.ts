// Findings of verification that persist are problems. Findings that are gone when looking again are not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recheckInDoubt } from '../../src/features/verification/recheck-in-doubt.ts';
import { isSpread, type Queryable } from '../../src/platform/database/database.ts';

const { signal } = new AbortController();

/** A database over several servers. Its answers say, one after the other, whether a transaction is prepared. */
function spread(prepared: readonly boolean[]): Queryable {
  const answers = [...prepared];
  return {
    [isSpread]: true,
    query: async () => [{ is_so: answers.shift() ?? false }],
    ofAccount: () => assert.fail(),
    accountGroups: () => assert.fail(),
  };
}
const onOneServer: Queryable = { ...spread([]), [isSpread]: false, query: () => assert.fail() };

/** Finds one thing less each time. The last list stays. */
function looks(...lists: readonly (readonly number[])[]) {
  let count = 0;
  const look = async () => lists[Math.min(count++, lists.length - 1)] ?? [];
  return { look, count: () => count };
}

test('what every look finds is there, and what one does not is not', async () => {
  const { look, count } = looks([1, 2, 3], [1, 2], [2, 3], [1, 2, 3]);
  assert.deepEqual(await recheckInDoubt(onOneServer, look, signal, 1), [2]);
  assert.equal(count(), 4);
});

test('nothing is looked for twice where there is nothing', async () => {
  const { look, count } = looks([]);
  assert.deepEqual(await recheckInDoubt(onOneServer, look, signal, 1), []);
  assert.equal(count(), 1);
});

test('while something is prepared on a server it is waited for', async () => {
  const { look } = looks([7, 8], [7, 8], [7, 8], [7, 8], [7, 8], [8]);
  assert.deepEqual(await recheckInDoubt(spread([true, true, true, true, true, false]), look, signal, 1), [8]);
});
