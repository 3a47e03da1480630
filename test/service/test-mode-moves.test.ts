// A clock move gives the same result in one request or in many, in two concurrent moves, or after a kill.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { placeOrder, secondsOf } from '../harness/shop.ts';
import { clockOf, testModeOf } from '../harness/test-mode.ts';

const start = '2026-01-31T10:00:00Z';
const day = 86_400;

/** Plans that end in the same and other seconds, with and without auto-renewal, some until money runs out. */
async function populate(tests: TestAccount, service: TestService): Promise<void> {
  expectStatus(await tests.get('/events'), 200);
  expectStatus(await tests.send('PUT', '/alerts', { balance_below: '500.00', plans_ending_days: 3 }), 200);
  for (let index = 0; index < 9; index += 1) {
    const body = {
      package_id: index % 2 === 0 ? service.packages.basic : service.packages.plus,
      months: index % 4 === 3 ? 3 : 1,
      customer: `c-${index}-${tests.id}`,
    };
    const { order } = await placeOrder(service, tests, body);
    if (index % 3 === 2) continue;
    const settings = {
      months: 1,
      hours_before: index === 4 ? 1 : 24,
      ...(index === 6 ? { max_charge: '9.00' } : {}),
    };
    expectStatus(await tests.send('PUT', `/customers/${order.customer.id}/auto-renew`, settings), 200);
    if (index === 4) expectStatus(await tests.post('/test/clock', { advance: 'P1DT3H' }), 200);
  }
}

async function traces(tests: TestAccount) {
  const events: object[] = [];
  for (let after = ''; ; ) {
    const page = expectStatus(await tests.get(`/events?limit=100${after}`), 200);
    events.push(...page.data);
    if (page.data.length < 100) break;
    after = `&after=${page.data.at(-1).id}`;
  }
  const ledger = expectStatus(await tests.get('/ledger?limit=100'), 200).data;
  const customers = expectStatus(await tests.get('/customers?limit=100'), 200).data;
  const hidden = (each: object) =>
    JSON.stringify(each)
      .replaceAll(new RegExp(`${tests.id}(\\d{9})?`, 'g'), (_all, number = '') => `#${number}`)
      .replaceAll(/account-\d+/g, 'account')
      .replaceAll(/"idempotency_key":"[^"]*"/g, '');
  return [...events, ...ledger, ...customers].map(hidden);
}

async function untilReached(tests: TestAccount, body: object, key: string) {
  for (let count = 1; ; count += 1) {
    const answer = expectStatus(await tests.post('/test/clock', { ...body, idempotency_key: key }), 200);
    if (answer.reached) return { ...answer, count };
  }
}

describe('a year', () => {
  let service: TestService;
  let small: TestService;
  before(async () => {
    service = await startTestService();
    const testClock = { ...defaultLimits.testClock, stepsAtOnce: 3, workMilliseconds: 0 };
    small = await startTestService({ limits: { testClock } });
  });
  after(async () => {
    await service.close();
    await small.close();
  });
  beforeEach(() => {
    for (const { clock } of [service, small]) clock.seconds = secondsOf(start);
  });

  const newTest = async (of: TestService) => {
    const tests = await testModeOf(of, await of.createReseller());
    await populate(tests, of);
    return tests;
  };

  test('is the same in one go, day by day, and in pieces of three steps', async () => {
    const whole = await newTest(service);
    const moved = expectStatus(await whole.post('/test/clock', { advance: 'P1Y' }), 200);
    assert.ok(moved.happened.renewals > 20 && moved.happened.renewals_failed > 4 && moved.happened.ended > 4);
    const expected = await traces(whole);

    const daily = await newTest(service);
    const until = await clockOf(whole);
    while ((await clockOf(daily)) !== until) {
      const next = Math.min(secondsOf(await clockOf(daily)) + 11 * day + 7, secondsOf(until));
      const now = new Date(next * 1000).toISOString().replace('.000', '');
      expectStatus(await daily.post('/test/clock', { now }), 200);
    }
    assert.deepEqual(await traces(daily), expected);

    const pieces = await newTest(small);
    const last = await untilReached(pieces, { advance: 'P1Y' }, 'year');
    assert.ok(last.count > 10, `${last.count} requests`);
    assert.deepEqual([last.happened, last.clock], [moved.happened, moved.clock]);
    assert.deepEqual(await traces(pieces), expected);
    const again = await pieces.post('/test/clock', { advance: 'P1Y', idempotency_key: 'year' });
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(expectStatus(again, 200).happened, moved.happened);
  });

  test('ends with all that happens in its last second, in however many pieces', async () => {
    const tests = await testModeOf(small, await small.createReseller());
    const plans: string[] = [];
    for (let index = 0; index < 8; index += 1) {
      const { order } = await placeOrder(small, tests, { customer: `same-second-${index}` });
      plans.push(order.expires_at);
    }
    assert.equal(new Set(plans).size, 1);
    const moved = await untilReached(tests, { now: plans[0] }, 'to-the-second');
    assert.deepEqual([moved.clock.now, moved.happened.ended], [plans[0], 8]);
  });

  test('renews at once what was set up after its time, however many there are, but not while the clock stands', async () => {
    const tests = await testModeOf(small, await small.createReseller());
    for (let index = 0; index < 8; index += 1) {
      const { order } = await placeOrder(small, tests, { customer: `overdue-${index}` });
      const settings = { months: 1, hours_before: 720 };
      const path = `/customers/${order.customer.id}/auto-renew`;
      expectStatus(await tests.send('PUT', path, settings), 200);
    }
    const stood = expectStatus(await tests.post('/test/clock', { now: await clockOf(tests) }), 200);
    assert.deepEqual([stood.reached, stood.happened.renewals], [true, 0]);
    const moved = await untilReached(tests, { advance: 'PT1S' }, 'a-second');
    assert.equal(moved.happened.renewals, 8);
  });

  test('is the same when five requests push it with one key', async () => {
    const one = await newTest(small);
    await untilReached(one, { advance: 'P1Y' }, 'year');
    const five = await newTest(small);
    await Promise.all(Array.from({ length: 5 }, () => untilReached(five, { advance: 'P1Y' }, 'year')));
    assert.deepEqual(await traces(five), await traces(one));
  });

  test('goes on where a process died, by its key at once, by another process after ten seconds of silence', async () => {
    const tests = await newTest(small);
    const before = await clockOf(tests);
    // A process that was killed leaves this.
    const died = await small.service.engine.submit({
      type: 'move_test_clock',
      accountId: tests.id,
      idempotencyKey: 'died',
      keyIsMinted: false,
      to: { type: 'duration', duration: { months: 12, seconds: 0 } },
      stepsMax: 3,
      holdSeconds: 10,
      orderKeys: 'auto_died',
    });
    assert.ok(died.type === 'clock_moved' && !died.isReached);
    expectRefusal(
      await tests.post('/test/clock', { advance: 'P1D', idempotency_key: 'other' }),
      '409 clock_moving',
    );
    // Orders are accepted, at the time that the clock has reached.
    const { order } = await placeOrder(small, tests, { customer: `between-${tests.id}` });
    assert.equal(order.created_at, await clockOf(tests));
    small.clock.seconds += 11;
    expectStatus(await tests.post('/test/clock', { advance: 'PT1S', idempotency_key: 'other' }), 200);
    const done = await untilReached(tests, { advance: 'P1Y' }, 'died');
    assert.equal(secondsOf(done.clock.now) - secondsOf(before), 365 * day, 'a year from where it began');
  });

  test('that was begun before another one came further takes the clock nowhere back', async () => {
    const tests = await newTest(small);
    const first = await tests.post('/test/clock', { advance: 'P3M', idempotency_key: 'begun' });
    assert.equal(expectStatus(first, 200).reached, false);
    const further = await untilReached(tests, { advance: 'P1Y' }, 'further');
    for (const replayed of [null, 'true']) {
      const resumed = await tests.post('/test/clock', { advance: 'P3M', idempotency_key: 'begun' });
      const { reached, clock } = expectStatus(resumed, 200);
      assert.deepEqual([reached, clock.now], [true, further.clock.now]);
      assert.equal(resumed.headers.get('idempotent-replayed'), replayed);
    }
    assert.equal(await clockOf(tests), further.clock.now);
  });

  test('does nothing twice where the answer was lost and the clock asked to go back', async () => {
    const tests = await newTest(service);
    expectStatus(await tests.post('/test/clock', { advance: 'P6M', idempotency_key: 'half' }), 200);
    const expected = await traces(tests);
    for (let count = 0; count < 5; count += 1) {
      expectStatus(await tests.post('/test/clock', { advance: 'P6M', idempotency_key: 'half' }), 200);
    }
    expectRefusal(await tests.post('/test/clock', { now: start }), '422 validation_failed');
    assert.deepEqual(await traces(tests), expected);
  });

  test('of ten goes by in one request, and of a hundred in ten', async () => {
    const tests = await newTest(service);
    for (let count = 0; count < 10; count += 1) {
      const moved = expectStatus(await tests.post('/test/clock', { advance: 'P10Y' }), 200);
      assert.equal(moved.reached, true);
    }
    assert.equal(await clockOf(tests), '2126-02-01T13:00:00Z');
  });

  test('of an account that is full, or whose balance could hold no more, is refused', async () => {
    const tests = await testModeOf(service, await service.createReseller());
    const sql = (text: string) => sqlOf(service, tests, text);
    await sql(`update accounts set plan_change_count = 900000000 where id = ${tests.id}`);
    expectRefusal(await tests.post('/test/clock', { advance: 'P1D' }), '422 order_failed', {
      reason: 'account_full',
    });
    expectRefusal(await tests.post('/test/credit', { amount: '1.00' }), '422 order_failed');
    await sql(
      `update accounts set plan_change_count = 0, access_version = 2000000000 where id = ${tests.id}`,
    );
    expectStatus(await tests.get('/balance'), 200);
    expectStatus(await tests.post('/test/reset'), 200);
    assert.equal(expectStatus(await tests.get('/balance'), 200).balance, '1000.00');
  });
});
