import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../src/platform/database/database.ts';
import { createReadThrottle } from '../../src/platform/database/postgres/read-throttle.ts';

const limits = {
  restFactor: 4,
  restMillisecondsMax: 200,
  quietMilliseconds: 10,
  busyShareMin: 0.5,
  shareMilliseconds: 100,
  waitMilliseconds: 1_000,
};

const places = { count: 3, waitMilliseconds: 60_000 };

/** In this clock, time passes only by resting or working. */
function createClock() {
  const clock = { now: 0, rested: [] as number[] };
  const pace = createReadThrottle(
    limits,
    places,
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

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function ordering(clock: { now: number }, pace: ReturnType<typeof createReadThrottle>, milliseconds: number) {
  return pace.order(async () => {
    clock.now += milliseconds;
  });
}

function beginOrders(pace: ReturnType<typeof createReadThrottle>) {
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
  await ordering(clock, pace, 50);
  const log: string[] = [];
  await Promise.all([reading(4, log, 'a'), reading(4, log, 'b'), reading(4, log, 'c')]);
  // Orders count as running until 60. b notices this at 64 and then begins, instead of resting until 70.
  assert.deepEqual([log[2], log[4]], ['b begins at 64', 'c begins at 68']);
  assert.equal(clock.now, 72);
});

test('no more reads are under way at once than there are places, and a failed one gives its place to the next', async () => {
  const { pace } = createClock();
  const begun: string[] = [];
  const read = (name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = pace.read(() => {
      begun.push(name);
      return promise;
    });
    return { end, resolve, reject };
  };
  const [a, b, c, d, e] = [read('a'), read('b'), read('c'), read('d'), read('e')];
  await turn();
  assert.deepEqual(begun, ['a', 'b', 'c']);
  b.reject(new Error('refused'));
  await assert.rejects(b.end, /refused/);
  await turn();
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  a.resolve();
  await a.end;
  for (const one of [c, d, e]) one.resolve();
  await Promise.all([c.end, d.end, e.end]);
  assert.deepEqual(begun, ['a', 'b', 'c', 'd', 'e']);
});

test('a read that waits too long for a place fails, and takes no place from those behind it', async () => {
  const pace = createReadThrottle(limits, { count: 1, waitMilliseconds: 1 }, () => 0);
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = pace.read(() => promise);
  await assert.rejects(
    pace.read(async () => assert.fail('it has no place')),
    DatabaseUnavailable,
  );
  resolve();
  await first;
  assert.equal(await pace.read(async () => 'next'), 'next');
});

test('beside few orders reads go side by side, until their batches become slow', async () => {
  const { clock, pace, reading } = createClock();
  const beside = async (batchMilliseconds: number) => {
    for (let batch = 0; batch < 10; batch += 1) {
      await ordering(clock, pace, batchMilliseconds);
      clock.now += 50 - batchMilliseconds;
    }
    const log: string[] = [];
    const endOrders = beginOrders(pace);
    await Promise.all([reading(1, log, 'a'), reading(1, log, 'b')]);
    await endOrders();
    return log.map((line) => line.slice(0, 3));
  };
  const sideBySide = ['a b', 'b b', 'a e', 'b e'];
  assert.deepEqual(await beside(5), sideBySide);
  assert.deepEqual(await beside(40), ['a b', 'a e', 'b b', 'b e']);
  assert.deepEqual(await beside(5), sideBySide, 'what was long ago is forgotten');
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

test('a read that would come too late fails at once', async () => {
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
