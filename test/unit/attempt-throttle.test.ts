import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAttemptThrottle } from '../../src/platform/limits/sign-in-throttle.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { isRefusal } from '../../src/shared/error-catalog.ts';

function createGuesser() {
  const clock = { milliseconds: 1_000 };
  const throttle = createAttemptThrottle(() => clock.milliseconds, defaultLimits.attempts);
  async function guess(name: string, address: string, outcome: 'wrong' | 'right' | 'broken' = 'wrong') {
    const check = async () => {
      if (outcome === 'broken') throw new Error('away');
      return outcome === 'right';
    };
    const answer = await throttle.tryPassword(name, address, check).catch(() => 'broken');
    if (isRefusal(answer)) return Number(answer.details['retry_after']);
    return answer === 'broken' ? answer : answer ? 'right' : 'wrong';
  }
  return { clock, guess };
}

test('a /48 fails with many names 200 times in ten minutes, however many neighborhoods it uses, then waits', async () => {
  const { clock, guess } = createGuesser();
  for (let count = 0; count < 200; count += 1) {
    assert.equal(await guess(`name-${count}`, `2001:db8:1:${count.toString(16)}::1`), 'wrong');
    clock.milliseconds += 1_000;
  }
  assert.equal(await guess('ada', '2001:db8:1:ffff::1', 'right'), 400);
  assert.equal(await guess('ada', '2001:db8:2:ffff::1', 'right'), 'right');
  assert.equal(await guess('ada', '192.0.2.1', 'right'), 'right');
  clock.milliseconds += 400_000;
  assert.equal(await guess('ada', '2001:db8:1:ffff::1', 'right'), 'right');
});

test('of several waits the longest is reported', async () => {
  const { clock, guess } = createGuesser();
  for (let count = 0; count < 45; count += 1) await guess(`name-${count}`, '192.0.2.1');
  clock.milliseconds += 500_000;
  for (let count = 0; count < 5; count += 1) assert.equal(await guess('ada', '192.0.2.1'), 'wrong');
  assert.equal(await guess('ada', '192.0.2.1'), 100, 'not the one second of the name');
  clock.milliseconds += 100_000;
  assert.equal(await guess('ada', '192.0.2.1', 'right'), 'right');
});

test('tries that could not be checked count for nothing, also among others that could', async () => {
  const { clock, guess } = createGuesser();
  const at = '2001:db8::1';
  for (let count = 0; count < 100; count += 1) assert.equal(await guess('ada', at, 'broken'), 'broken');
  const mixed = ['wrong', 'broken', 'wrong', 'broken', 'wrong'] as const;
  assert.deepEqual(await Promise.all(mixed.map((outcome) => guess('ada', at, outcome))), mixed);
  assert.equal(await guess('ada', at), 'wrong');
  assert.equal(await guess('ada', at), 'wrong', 'the fifth');
  assert.equal(await guess('ada', at), 1);
  clock.milliseconds += 1_000;
  assert.equal(await guess('ada', at, 'broken'), 'broken');
  assert.equal(await guess('ada', at), 'wrong', 'waits no longer than before');
  assert.equal(await guess('ada', at), 2);
});
