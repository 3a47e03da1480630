// The sign-in log stays bounded under attack: which attempts are logged and which are only counted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSignInLog } from '../../src/features/auth/sign-in-log.ts';
import { queryableOf } from '../harness/queryable-of.ts';

const hour = 3_600_000;
const limits = { enteredMax: 3, windowSeconds: 3_600, pendingMax: 5 };

function createLog() {
  const written: unknown[][] = [];
  const problems: unknown[] = [];
  const held: (() => void)[] = [];
  const clock = { milliseconds: 0, isHeld: false };
  const database = queryableOf(async (_statement, values = []) => {
    if (clock.isHeld) await new Promise<void>((resolve) => held.push(resolve));
    written.push([...values]);
    return [];
  });
  const log = createSignInLog({
    database,
    monotonicNow: () => clock.milliseconds,
    limits,
    onProblem: (error) => problems.push(error),
  });
  return { log, clock, written, problems, release: () => held.splice(0).map((go) => go()) };
}

const account = { id: 7, username: 'acme' };
const refusal = { username: 'acme', address: '192.0.2.1', reason: 'wrong_password' } as const;

test('the first ones are entered one by one, then one each time their number has doubled, and after an hour again', () => {
  const { log, clock } = createLog();
  const entered = (times: number) =>
    Array.from({ length: times }, () => log.entryOf(account, '192.0.2.1')?.after?.['within_the_hour']).filter(
      (count) => count !== undefined,
    );
  assert.deepEqual(entered(100), [1, 2, 3, 6, 12, 24, 48, 96]);
  clock.milliseconds = hour - 1;
  assert.deepEqual(entered(91), []);
  assert.deepEqual(entered(1), [192]);
  clock.milliseconds = hour;
  assert.deepEqual(entered(4), [1, 2, 3]);
  assert.equal(log.entryOf({ id: 8, username: 'other' }, '192.0.2.1')?.after?.['within_the_hour'], 1);
});

test('refusals of one account are counted apart from its sign-ins, and all unknown names as one', async () => {
  const { log, written } = createLog();
  for (let count = 0; count < 50; count += 1) {
    log.refused({ ...refusal, accountId: 7 }, 0);
    log.refused({ ...refusal, accountId: null, username: `made-up-${count}` }, 0);
  }
  await log.settled();
  // Numbers 1, 2, 3, 6, 12, 24 and 48 of each kind. If more than five are written at once, the others are only counted.
  assert.ok(written.length >= 5 && written.length <= 14, `${written.length} entries`);
  assert.ok(log.entryOf(account, '192.0.2.1') !== null);
});

test('no colleague’s sign-ins, refusals or wrong passwords hide another’s', async () => {
  const { log, written } = createLog();
  const refused = { accountId: 7, username: 'acme', address: '192.0.2.1', operation: 'revealApiKey' };
  for (let count = 0; count < 100; count += 1) {
    log.entryOf(account, '192.0.2.1', 10_000_001);
    log.refused({ ...refusal, accountId: 7, personId: 10_000_001 }, 0);
    await log.refusedAction({ ...refused, personId: 10_000_001 }, 0);
  }
  await log.settled();
  const before = written.length;
  assert.equal(log.entryOf(account, '192.0.2.1', 10_000_002)?.after?.['within_the_hour'], 1);
  log.refused({ ...refusal, accountId: 7, personId: 10_000_002 }, 0);
  await log.refusedAction({ ...refused, personId: 10_000_002 }, 0);
  await log.settled();
  assert.equal(written.length, before + 2);
});

test('entries that wait for the database are bounded, and none is waited for', async () => {
  const { log, clock, written, release } = createLog();
  clock.isHeld = true;
  for (let id = 1; id <= 20; id += 1) log.refused({ ...refusal, accountId: id }, 0);
  clock.isHeld = false;
  release();
  await log.settled();
  assert.equal(written.length, limits.pendingMax);
  log.refused({ ...refusal, accountId: 21 }, 0);
  await log.settled();
  assert.equal(written.length, limits.pendingMax + 1);
});
