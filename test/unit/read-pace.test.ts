import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../src/database/database.ts';
import { createReadPace } from '../../src/database/read-pace.ts';

const limits = { restFactor: 4, restMillisecondsMax: 200, quietMilliseconds: 10, waitMilliseconds: 1_000 };

/** Time passes only where somebody rests or works. */
function createClock() {
  const clock = { now: 0, rested: [] as number[] };
  const pace = createReadPace(
    limits,
    () => clock.now,
    async (milliseconds) => {
      clock.rested.push(milliseconds);
      clock.now += milliseconds;
    },
  );
  const reading = (milliseconds: number, log: string[] = [], name = '') =>
    pace.read(async () => {
      log.push(`${name} begins at ${clock.now}`);
      clock.now += milliseconds;
      await Promise.resolve();
      log.push(`${name} ends at ${clock.now}`);
    });
  return { clock, pace, reading };
}

/** Orders that never pause, until it is called. */
function beginOrders(pace: ReturnType<typeof createReadPace>) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const orders = pace.order(() => promise);
  return async () => {
    resolve();
    await orders;
  };
}

test('without orders reads go side by side and nothing rests', async () => {
  const { clock, reading } = createClock();
  const log: string[] = [];
  await Promise.all([reading(5, log, 'a'), reading(5, log, 'b')]);
  assert.deepEqual(
    log.map((line) => line.slice(0, 3)),
    ['a b', 'b b', 'a e', 'b e'],
  );
  assert.deepEqual(clock.rested, []);
});

test('beside orders reads go one after another, and the orders have four times as long between them', async () => {
  const { pace, reading } = createClock();
  const endOrders = beginOrders(pace);
  const log: string[] = [];
  await Promise.all([reading(5, log, 'a'), reading(5, log, 'b'), reading(5, log, 'c')]);
  await endOrders();
  assert.deepEqual(log, [
    'a begins at 0',
    'a ends at 5',
    'b begins at 25',
    'b ends at 30',
    'c begins at 50',
    'c ends at 55',
  ]);
});

test('a slow read keeps the next one waiting for a bounded time', async () => {
  const { pace, reading } = createClock();
  const endOrders = beginOrders(pace);
  const log: string[] = [];
  await Promise.all([reading(600, log, 'slow'), reading(1, log, 'next')]);
  await endOrders();
  assert.equal(log[2], 'next begins at 800');
});

test('between two batches of orders reads still rest; after the last one they do not', async () => {
  const { clock, pace, reading } = createClock();
  await pace.order(async () => undefined);
  const log: string[] = [];
  await Promise.all([reading(4, log, 'a'), reading(4, log, 'b'), reading(4, log, 'c')]);
  // The orders count as under way until 10: b rests until then, not until 20.
  assert.deepEqual([log[2], log[4]], ['b begins at 14', 'c begins at 18']);
  assert.equal(clock.now, 22);
});

test('a read that fails lets the next one go, and an order is never kept waiting', async () => {
  const { pace, reading } = createClock();
  const endOrders = beginOrders(pace);
  const failing = pace.read(async () => {
    throw new Error('refused');
  });
  const next = reading(1);
  assert.equal(await pace.order(async () => 'at once'), 'at once');
  await assert.rejects(failing, /refused/);
  await next;
  await endOrders();
});

test('a read that would come too late is told so', async () => {
  const { pace, reading } = createClock();
  const endOrders = beginOrders(pace);
  const reads = Array.from({ length: 8 }, () => reading(100));
  const late = await Promise.allSettled(reads);
  await endOrders();
  const refused = late.filter(({ status }) => status === 'rejected');
  assert.ok(refused.length > 0);
  for (const one of refused)
    assert.ok(one.status === 'rejected' && one.reason instanceof DatabaseUnavailable);
  assert.equal(late[0]?.status, 'fulfilled');
});
