// The queue of the embedded database. Work of the first rank goes first, but the second rank still gets its turn.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../src/platform/database/database.ts';
import { createRankedQueue, type RankedQueue } from '../../src/platform/database/embedded/ranked-queue.ts';

const limits = {
  restFactor: 4,
  restMillisecondsMax: 5_000,
  quietMilliseconds: 0,
  waitingMax: 20,
  waitMilliseconds: 60_000,
};

function setUp(some: Partial<typeof limits> = {}) {
  const done: string[] = [];
  let now = 0;
  const queue: RankedQueue = createRankedQueue({ ...limits, ...some }, () => now);
  const take = (rank: 'first' | 'second', name: string, milliseconds: number, behind = () => {}) =>
    queue.run(rank, async () => {
      now += milliseconds;
      done.push(name);
      behind();
    });
  return { done, queue, take };
}

test('work of the first rank goes before work of the second that came earlier', async () => {
  const { done, take } = setUp();
  await Promise.all([
    take('second', 'list 1', 10),
    take('second', 'list 2', 10),
    take('first', 'batch 1', 5),
    take('first', 'batch 2', 5),
  ]);
  assert.deepEqual(done, ['list 1', 'batch 1', 'batch 2', 'list 2']);
});

test('within a rank the order is that of arrival, and one piece of work runs at a time', async () => {
  const { queue } = setUp();
  let running = 0;
  const seen: number[] = [];
  const work = (number: number) => async () => {
    running += 1;
    assert.equal(running, 1);
    await new Promise(setImmediate);
    seen.push(number);
    running -= 1;
  };
  await Promise.all([1, 2, 3, 4, 5].map((number) => queue.run('first', work(number))));
  assert.deepEqual(seen, [1, 2, 3, 4, 5]);
});

test('under a load of orders that never pauses lists get their share of the time, and no more', async () => {
  const { done, take } = setUp();
  const batches = 200;
  let placed = 0;
  // As under load, each batch is queued before the previous one has ended.
  const batch = (): void => {
    placed += 1;
    if (placed <= batches) void take('first', 'batch', 5, batch);
  };
  batch();
  let lists = 0;
  const list = (): void => {
    lists += 1;
    if (lists <= 20) void take('second', 'list', 20, list);
  };
  list();
  await new Promise(setImmediate);
  assert.equal(done.filter((name) => name === 'batch').length, batches);
  // A list takes 20 ms, after which batches get 80 ms. That is sixteen of them.
  const places = done.flatMap((name, index) => (name === 'list' ? [index] : [])).slice(0, 12);
  const between = places.slice(1).map((place, index) => place - (places[index] ?? 0) - 1);
  assert.deepEqual(between, Array(11).fill(16));
});

test('in the short pause between two batches no list begins', async () => {
  const done: string[] = [];
  let now = 0;
  const queue = createRankedQueue({ ...limits, quietMilliseconds: 2 }, () => now);
  const take = (rank: 'first' | 'second', name: string, milliseconds: number) =>
    queue.run(rank, async () => {
      now += milliseconds;
      done.push(name);
    });
  await take('second', 'list 1', 10);
  await take('first', 'batch 1', 5);
  const list = take('second', 'list 2', 10);
  await new Promise(setImmediate);
  now += 1;
  await take('first', 'batch 2', 5);
  now += 2;
  await list;
  assert.deepEqual(done, ['list 1', 'batch 1', 'batch 2', 'list 2']);
});

test('after one long piece those that wait behind it have their turn within a bounded time', async () => {
  const { done, take } = setUp();
  const batch = (): void => {
    if (done.length < 1_300) void take('first', 'batch', 5, batch);
  };
  batch();
  await Promise.all([take('second', 'long', 20_000), take('second', 'list', 10)]);
  // 5,000 milliseconds of batches instead of 80,000.
  const between = done.indexOf('list') - done.indexOf('long');
  assert.ok(between > 900 && between < 1_100, `${between} batches lay between`);
});

test('without orders lists follow each other at once', async () => {
  const { done, take } = setUp();
  await Promise.all(['a', 'b', 'c'].map((name) => take('second', name, 1_000)));
  assert.deepEqual(done, ['a', 'b', 'c']);
});

test('a failure is reported to its sender, and the next has its turn', async () => {
  const { queue, take, done } = setUp();
  const failing = queue.run('first', async () => {
    throw new Error('broken');
  });
  const next = take('second', 'list', 1);
  await assert.rejects(failing, /broken/);
  await next;
  assert.deepEqual(done, ['list']);
});

test('too many that wait in the second rank are refused, and so is who waits too long', async () => {
  const { queue } = setUp({ waitingMax: 3, waitMilliseconds: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = queue.run('first', () => promise);
  const waiting = [1, 2, 3].map(() =>
    assert.rejects(
      queue.run('second', async () => {}),
      DatabaseUnavailable,
    ),
  );
  await assert.rejects(
    queue.run('second', async () => {}),
    /Too many reads/,
  );
  await Promise.all(waiting);
  resolve();
  await running;
  assert.equal(await queue.run('second', async () => 'goes on'), 'goes on');
});

test('it is idle when nothing runs and nothing waits', async () => {
  const { queue, take, done } = setUp();
  void take('second', 'list 1', 1);
  void take('second', 'list 2', 1);
  void take('first', 'batch', 1);
  await queue.idle();
  assert.deepEqual(done, ['list 1', 'batch', 'list 2']);
  await queue.idle();
});
