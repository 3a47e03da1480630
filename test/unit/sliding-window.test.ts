// The rate limit (src/platform/limits/sliding-window.ts), compared with a naive model that keeps every admission.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createSlidingWindowLimiter } from '../../src/platform/limits/sliding-window.ts';
import '../harness/fixed-seed.ts';

const windowMilliseconds = 60_000;

interface Knock {
  readonly key: number;
  /** Eighths of a millisecond since the previous request. They are exact in doubles and not whole milliseconds. */
  readonly wait: number;
  readonly limit: number;
  readonly isPeek: boolean;
}

const wait = fc.oneof(
  { weight: 6, arbitrary: fc.nat(200) },
  { weight: 3, arbitrary: fc.nat(20_000) },
  { weight: 1, arbitrary: fc.constantFrom(0, 8 * 1000, 8 * windowMilliseconds - 1, 8 * windowMilliseconds) },
);

function knocks(limits: readonly number[]): fc.Arbitrary<Knock[]> {
  const knock = fc.record({
    key: fc.nat(1),
    wait,
    limit: fc.constantFrom(...limits),
    isPeek: fc.nat(9).map((one) => one === 0),
  });
  return fc.array(knock, { maxLength: 300, size: 'max' });
}

test('admits exactly when fewer than the limit were admitted in the 60 seconds before', () => {
  for (const limits of [[1], [3], [60], [5, 5, 2, 17, 40]]) {
    fc.assert(
      fc.property(knocks(limits), (sequence) => {
        let now = 0;
        const limiter = createSlidingWindowLimiter<number>(() => now, 10);
        const admitted = new Map<number, number[]>();
        for (const { key, wait: eighths, limit, isPeek } of sequence) {
          now += eighths / 8;
          const before = (admitted.get(key) ?? []).filter((at) => at > now - windowMilliseconds);
          const expected = before.length < limit && !isPeek;
          const state = isPeek ? limiter.peek(key, limit) : limiter.take(key, limit);
          if ('admitted' in state) assert.equal(state.admitted, expected);
          const after = expected ? [...before, now] : before;
          admitted.set(key, after);
          assert.equal(state.limit, limit);
          assert.equal(state.remaining, Math.max(0, limit - after.length));
          assert.equal(state.resetSeconds, secondsUntilOneMore(after, limit, now));
        }
      }),
      { numRuns: 150 },
    );
  }
});

test('no 60 seconds, wherever they begin, hold more admitted requests than the limit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.array(wait, { maxLength: 400, size: 'max' }),
      (limit, waits) => {
        let now = 0;
        const limiter = createSlidingWindowLimiter<string>(() => now, 10);
        const admitted: number[] = [];
        for (const eighths of waits) {
          now += eighths / 8;
          if (limiter.take('one', limit).admitted) admitted.push(now);
        }
        for (const [place, first] of admitted.entries()) {
          const next = admitted[place + limit];
          assert.ok(next === undefined || next - first >= windowMilliseconds);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('after Retry-After a request passes, and one second earlier it does not', () => {
  const limits = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }));
  fc.assert(
    fc.property(
      limits,
      fc.array(wait, { minLength: 1, maxLength: 100, size: 'max' }),
      ([first, then], waits) => {
        // Whole milliseconds, because a client cannot wait for eighths.
        const play = (extraSeconds: number) => {
          let now = 0;
          const limiter = createSlidingWindowLimiter<string>(() => now, 10);
          let refused = null;
          for (const eighths of waits) {
            now += eighths;
            limiter.take('one', first);
          }
          const state = limiter.take('one', then);
          if (!state.admitted) refused = state.resetSeconds;
          if (refused === null) return null;
          now += (refused + extraSeconds) * 1000;
          return { seconds: refused, admitted: limiter.take('one', then).admitted };
        };
        const inTime = play(0);
        if (inTime === null) return;
        assert.ok(inTime.seconds >= 1 && inTime.seconds <= 60);
        assert.equal(inTime.admitted, true, `refused again after ${inTime.seconds} seconds`);
        if (inTime.seconds > 1) assert.equal(play(-1)?.admitted, false, 'the wait was longer than needed');
      },
    ),
    { numRuns: 500 },
  );
});

describe('rings', () => {
  test('grow over their first sixteen places, also when their beginning is in the middle', () => {
    let now = 0;
    const limiter = createSlidingWindowLimiter<string>(() => now, 10);
    const take = (limit: number) => limiter.take('one', limit);
    for (let count = 0; count < 12; count += 1, now += 1000) assert.ok(take(100).admitted);
    now += 53_500; // 65.5 s, so requests of seconds 0 to 5 have left
    assert.equal(take(100).remaining, 100 - 6 - 1);
    for (let count = 0; count < 60; count += 1) assert.ok(take(100).admitted);
    assert.equal(limiter.peek('one', 100).remaining, 100 - 67);
    now = 71_000; // all of the first twelve requests have left
    assert.equal(limiter.peek('one', 100).remaining, 100 - 61);
    for (let count = 0; count < 39; count += 1) assert.ok(take(100).admitted);
    assert.equal(take(100).admitted, false);
    assert.equal(take(100).resetSeconds, Math.ceil((65_500 + 60_000 - 71_000) / 1000));
  });

  test('begin again when they have emptied', () => {
    let now = 0;
    const limiter = createSlidingWindowLimiter<string>(() => now, 10);
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 1000; count += 1) assert.ok(limiter.take('one', 1000).admitted);
      assert.equal(limiter.take('one', 1000).admitted, false);
      now += windowMilliseconds;
    }
    assert.deepEqual(limiter.peek('one', 1000), { limit: 1000, remaining: 1000, resetSeconds: 60 });
  });
});

test('a lowered limit waits until enough have left, a raised one admits at once', () => {
  let now = 0;
  const limiter = createSlidingWindowLimiter<string>(() => now, 10);
  for (let count = 0; count < 10; count += 1, now += 1000) limiter.take('one', 10);
  // At 10 s, requests of seconds 0 to 9 count. For a limit of 3, the request of second 7 must leave first, at 67 s.
  assert.deepEqual(limiter.take('one', 3), { admitted: false, limit: 3, remaining: 0, resetSeconds: 57 });
  assert.deepEqual(limiter.take('one', 11), { admitted: true, limit: 11, remaining: 0, resetSeconds: 50 });
});

test('beyond its most keys it forgets the one that was admitted the longest ago, and no other', () => {
  let now = 0;
  const limiter = createSlidingWindowLimiter<string>(() => now, 3);
  for (const key of ['a', 'b', 'c', 'a']) {
    limiter.take(key, 5);
    now += 1;
  }
  limiter.take('d', 5); // b is dropped
  assert.equal(limiter.peek('a', 5).remaining, 3);
  assert.equal(limiter.peek('c', 5).remaining, 4);
  assert.equal(limiter.peek('d', 5).remaining, 4);
  assert.equal(limiter.peek('b', 5).remaining, 5);
});

test('what is given back makes room for one more, and nothing else moves', () => {
  let now = 0;
  const limiter = createSlidingWindowLimiter<string>(() => now, 2);
  limiter.giveBack('no-such');
  limiter.take('a', 2);
  now = 10_000;
  limiter.take('a', 2);
  limiter.giveBack('a');
  assert.deepEqual(limiter.peek('a', 2), { limit: 2, remaining: 1, resetSeconds: 50 });
  assert.equal(limiter.take('a', 2).admitted, true);
  assert.equal(limiter.take('a', 2).admitted, false);
  for (let times = 0; times < 3; times += 1) limiter.giveBack('a');
  assert.equal(limiter.peek('a', 2).remaining, 2);
});

test('what is given back until a moment is the last admitted by then: those after it keep their time', () => {
  let now = 0;
  const limiter = createSlidingWindowLimiter<string>(() => now, 2);
  // Enough requests to wrap around the ring and start in its middle.
  for (now = 0; now < 20_000; now += 1000) limiter.take('a', 100);
  now = 70_000; // requests of seconds 11 to 19 count
  limiter.giveBack('a', 15_999);
  const left = () => limiter.peek('a', 100).remaining;
  assert.equal(left(), 100 - 8);
  const leaving = [71, 72, 73, 74, 76, 77, 78, 79];
  for (const [index, second] of leaving.entries()) {
    now = second * 1000 - 1;
    assert.equal(left(), 100 - 8 + index, `before second ${second}`);
    now += 1;
    assert.equal(left(), 100 - 8 + index + 1, `at second ${second}`);
  }
  limiter.giveBack('a', 15_999);
  limiter.take('a', 100);
  limiter.giveBack('a', now - 1);
  assert.equal(left(), 99, 'there was none by then');
});

test('many are foreseen to the second, and counted together', () => {
  let now = 0;
  const limiter = createSlidingWindowLimiter<string>(() => now, 2);
  for (; now < 6000; now += 1000) limiter.take('a', 8);
  const waits = [1, 2, 3, 4, 8].map((wanted) => limiter.peek('a', 8, wanted).resetSeconds);
  // Two are free until the first request leaves. Eight are free only after the last of the six has left.
  assert.deepEqual(waits, [54, 54, 54, 55, 59]);
  limiter.add('a', 2);
  assert.equal(limiter.take('a', 8).admitted, false);
  now = 65_000;
  assert.equal(limiter.peek('a', 8).remaining, 6);
  now = 66_000;
  assert.equal(limiter.peek('a', 8).remaining, 8);
});

test('looking makes no entry: peeking at unknown keys evicts no entry', () => {
  const limiter = createSlidingWindowLimiter<string>(() => 0, 2);
  limiter.take('a', 2);
  for (let count = 0; count < 10; count += 1) limiter.peek(`unknown ${count}`, 2);
  assert.equal(limiter.peek('a', 2).remaining, 1);
});

/** Whole seconds until fewer than `limit` requests remain or, if there is room, until the oldest leaves. */
function secondsUntilOneMore(admitted: readonly number[], limit: number, now: number): number {
  if (admitted.length === 0) return 60;
  const mustLeave = Math.max(1, admitted.length - limit + 1);
  const last = admitted[mustLeave - 1] ?? 0;
  return Math.max(1, Math.ceil((last + windowMilliseconds - now) / 1000));
}
