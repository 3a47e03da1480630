// Test mode: an account's test account and its clock. Neither mode leaves traces in the other.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { booksOf } from '../harness/books.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { changeAccount, placeOrder, secondsOf } from '../harness/shop.ts';
import { advance, clockOf, createTestAccounts, testAccountIdOf, testModeOf } from '../harness/test-mode.ts';

const start = '2026-01-31T10:00:00Z';
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());
beforeEach(() => {
  service.clock.seconds = secondsOf(start);
});

const testAccounts = (credit?: string) => createTestAccounts(service, credit);

describe('the test account', () => {
  test('begins with 1000.00, which its ledger says, at the real time', async () => {
    const { tests } = await testAccounts();
    assert.match(tests.key, /^sk_test_[0-9A-Za-z]{46}$/);
    const balance = expectStatus(await tests.get('/balance'), 200);
    assert.equal(balance.balance, '1000.00');
    const { data } = expectStatus(await tests.get('/ledger'), 200);
    assert.partialDeepStrictEqual(data, [
      { kind: 'credit', amount: '1000.00', balance_after: '1000.00', memo: 'Test credit', created_at: start },
    ]);
    assert.equal(await clockOf(tests), start);
  });

  test('its orders are charged to it alone, and the real account sees none of them', async () => {
    const { live, tests } = await testAccounts();
    const before = await booksOf(service, live);
    const { order, balance } = await placeOrder(service, tests, { customer: 'someone' });
    assert.equal(balance, '990.00');
    assert.deepEqual(await booksOf(service, live), before);
    for (const path of ['/orders', '/customers']) {
      assert.equal(expectStatus(await live.get(path), 200).total, 0);
      assert.equal(expectStatus(await tests.get(path), 200).total, 1);
    }
    expectRefusal(await live.get(`/orders/${order.id}`), '404 order_not_found');
    expectRefusal(await live.get(`/customers/${order.customer.id}`), '404 customer_not_found');
    const own = await placeOrder(service, live, { customer: 'someone' });
    expectRefusal(await tests.get(`/orders/${own.order.id}`), '404 order_not_found');
    expectRefusal(await tests.post(`/orders/${own.order.id}/renew`), '404 order_not_found');
  });

  test('a reference is one customer among tests, and another among real ones', async () => {
    const [one, other] = [await testAccounts(), await testAccounts()];
    const body = { package_id: service.packages.basic, customer: 'shared@example.com' };
    expectStatus(await one.live.post('/orders', body), 201);
    expectStatus(await other.tests.post('/orders', body), 201);
    expectRefusal(await one.tests.post('/orders', body), '409 customer_not_yours');
    expectRefusal(await other.live.post('/orders', body), '409 customer_not_yours');
    const found = expectStatus(await other.tests.get('/orders?customer=shared@example.com'), 200);
    assert.equal(found.data.length, 1);
  });

  test('both orders of one reference at the same moment are taken', async () => {
    const { live, tests } = await testAccounts('1000.00');
    const orders = Array.from({ length: 20 }, (_, index) => ({
      package_id: service.packages.basic,
      customer: `twice-${index}-${live.id}`,
    }));
    const answers = await Promise.all(
      orders.flatMap((body) => [live.post('/orders', body), tests.post('/orders', body)]),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(expectStatus(await live.get('/balance'), 200).balance, '800.00');
    assert.equal(expectStatus(await tests.get('/balance'), 200).balance, '800.00');
  });

  test('is blocked, limited and priced with its account', async () => {
    const { live, tests } = await testAccounts();
    await changeAccount(service, live, { group: 'distributor' });
    assert.equal((await placeOrder(service, tests, {})).order.price, '8.00');
    await changeAccount(service, live, { blocked: true });
    expectRefusal(await tests.get('/balance'), '403 account_blocked');
    expectRefusal(await tests.post('/test/clock', { advance: 'P1D' }), '403 account_blocked');
    await changeAccount(service, live, { blocked: false, api_enabled: false });
    expectRefusal(await tests.get('/balance'), '403 api_disabled');
    await changeAccount(service, live, { api_enabled: true, allowed_ips: ['10.9.8.7'] });
    expectRefusal(await tests.get('/balance'), '403 ip_not_allowed');
    await changeAccount(service, live, { allowed_ips: [] });
    expectStatus(await tests.get('/balance'), 200);
  });

  test('administrators do not meet it: no list, no search, no id', async () => {
    const { live, tests } = await testAccounts();
    await placeOrder(service, tests, { customer: `found-${live.id}` });
    const { admin } = service;
    const listed = expectStatus(await admin.get('/api/admin/v1/accounts?limit=100'), 200);
    assert.ok(listed.data.every(({ id }: { id: number }) => id < 5_000_000));
    const searched = expectStatus(await admin.get('/api/admin/v1/accounts?q=test%20'), 200);
    assert.equal(searched.total, 0);
    for (const path of ['', '/orders', '/customers', '/ledger']) {
      expectRefusal(await admin.get(`/api/admin/v1/accounts/${tests.id}${path}`), '404 account_not_found');
    }
    expectRefusal(
      await admin.post(`/api/admin/v1/accounts/${tests.id}/credit`, { amount: '1.00' }),
      '404 account_not_found',
    );
    expectRefusal(
      await admin.patch(`/api/admin/v1/accounts/${tests.id}`, { blocked: true }),
      '404 account_not_found',
    );
  });

  test('its key opens no route of administrators, anyone who it belongs to', async () => {
    const { tests } = await testAccounts();
    const operators = await testModeOf(service, service.admin);
    for (const account of [tests, operators]) {
      expectRefusal(await account.get('/api/admin/v1/accounts'), '403 insufficient_scope', {
        scope: 'admin:read',
      });
    }
    expectRefusal(await tests.get('/api/product/v1/entitlements/nobody'), '403 insufficient_scope', {
      scope: 'product',
    });
  });
});

describe('requests of test mode', () => {
  test('are refused to a live key', async () => {
    const { live } = await testAccounts();
    expectRefusal(await live.get('/test/clock'), '403 test_mode_only');
    for (const path of ['/test/clock', '/test/credit', '/test/reset']) {
      expectRefusal(await live.post(path, { advance: 'P1D', amount: '1.00' }), '403 test_mode_only');
    }
  });

  test('credit adds what was asked for, once for each key', async () => {
    const { tests } = await testAccounts();
    const body = { amount: '12.50', memo: 'More', idempotency_key: 'credit-1' };
    const first = expectStatus(await tests.post('/test/credit', body), 201);
    assert.equal(first.balance, '1012.50');
    assert.partialDeepStrictEqual(first.entry, {
      kind: 'credit',
      amount: '12.50',
      memo: 'More',
      created_at: start,
    });
    assert.notEqual(first.entry.actor, null);
    const [listed] = expectStatus(await tests.get('/ledger?limit=1'), 200).data;
    assert.equal(first.entry.actor, listed.actor, 'the account itself, as in the list');
    const again = await tests.post('/test/credit', body);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(expectStatus(again, 201), first);
    expectRefusal(await tests.post('/test/credit', { ...body, amount: '1.00' }), '409 idempotency_conflict');
    for (const amount of ['0.00', '-1.00', '1000000.01', '9999999', 'x', 5]) {
      expectRefusal(await tests.post('/test/credit', { amount }), '422 validation_failed');
    }
    expectStatus(await tests.post('/test/credit', { amount: '1000000.00' }), 201);
  });

  test('a clock is moved by a duration of the calendar or to a time, and stands still otherwise', async () => {
    const { tests } = await testAccounts();
    service.clock.seconds += 86_400;
    assert.equal(await clockOf(tests), start);
    assert.deepEqual(await advance(tests, 'P1M'), {
      clock: { now: '2026-02-28T10:00:00Z' },
      reached: true,
      happened: { renewals: 0, renewals_failed: 0, ended: 0, warnings: 0 },
    });
    await advance(tests, 'P1Y2M1W3DT4H5M6S');
    assert.equal(await clockOf(tests), '2027-05-08T14:05:06Z');
    const now = '2028-01-01T00:00:00Z';
    assert.equal(expectStatus(await tests.post('/test/clock', { now }), 200).clock.now, now);
    assert.equal(expectStatus(await tests.post('/test/clock', { now }), 200).clock.now, now);
    const { order } = await placeOrder(service, tests, {});
    assert.equal(order.created_at, now);
    assert.equal(order.expires_at, '2028-02-01T00:00:00Z');
  });

  test('a clock moves forward only, ten years at most, and not beyond 2199', async () => {
    const { tests } = await testAccounts();
    const bad = [
      {},
      { advance: 'P1D', now: '2027-01-01T00:00:00Z' },
      { now: '2026-01-31T09:59:59Z' },
      { now: '2036-01-31T10:00:01Z' },
      { now: 'tomorrow' },
      { now: '2027-01-01T00:00:00+01:00' },
      { now: 1_800_000_000 },
      { advance: 'P10000Y' },
      { advance: 'P999999999Y999999999M' },
      { advance: 'P121M' },
      ...[
        '',
        'P',
        'PT',
        'P1DT',
        'P0D',
        'PT0S',
        '-P1D',
        'P-1D',
        'P1.5D',
        '1D',
        'P1S',
        'P1D1M',
        'p1d',
        'PT1D',
        ' P1D',
      ].map((advance) => ({ advance })),
      { advance: 5 },
      { advance: null },
    ];
    for (const body of bad) {
      expectRefusal(
        await tests.post('/test/clock', body),
        '422 validation_failed',
        undefined,
        JSON.stringify(body),
      );
    }
    assert.equal(await clockOf(tests), start);
    for (let years = 0; years < 170; years += 10) await advance(tests, 'P10Y');
    expectRefusal(await tests.post('/test/clock', { advance: 'P10Y' }), '422 validation_failed');
    assert.equal(await clockOf(tests), '2196-01-31T10:00:00Z');
    const { order } = await placeOrder(service, tests, { months: 12 });
    assert.equal(order.expires_at, '2197-01-31T10:00:00Z');
  });

  test('a move is repeated by its key without moving again', async () => {
    const { tests } = await testAccounts();
    const body = { advance: 'P1M', idempotency_key: 'move-1' };
    const first = expectStatus(await tests.post('/test/clock', body), 200);
    const again = await tests.post('/test/clock', body);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(expectStatus(again, 200), first);
    assert.equal(await clockOf(tests), '2026-02-28T10:00:00Z');
    expectRefusal(await tests.post('/test/clock', { ...body, advance: 'P2M' }), '409 idempotency_conflict');
  });

  test('of twenty moves at once each happens whole, or is refused because another is under way', async () => {
    const { tests } = await testAccounts();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => tests.post('/test/clock', { advance: 'PT1H' })),
    );
    const moved = answers.filter(({ status }) => status === 200).length;
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectRefusal(answer, '409 clock_moving');
    assert.ok(moved >= 1);
    assert.equal(secondsOf(await clockOf(tests)) - secondsOf(start), moved * 3_600);
  });
});

test('a renewal at its time, a refusal and its tries, a notice and an end: a year in the order of its days', async () => {
  const { tests } = await testAccounts();
  expectStatus(await tests.get('/events'), 200);
  const { order } = await placeOrder(service, tests, { customer: 'kept@example.com' });
  const path = `/customers/${order.customer.id}`;
  expectStatus(await tests.send('PUT', `${path}/auto-renew`, { months: 1 }), 200);
  await placeOrder(service, tests, { customer: 'left@example.com' });
  await placeOrder(service, tests, {
    customer: 'plus@example.com',
    package_id: service.packages.plus,
    months: 12,
  });
  // 1000 − 10 − 10 − 250 pays for 73 months of Basic.
  const moved = await advance(tests, 'P1Y');
  assert.deepEqual(moved.happened, { renewals: 12, renewals_failed: 0, ended: 2, warnings: 16 });
  const { customer } = expectStatus(await tests.get(path), 200);
  assert.equal(customer.plan.expires_at, '2027-02-28T10:00:00Z');
  const { data: orders } = expectStatus(await tests.get('/orders?limit=100'), 200);
  const renewals = orders.filter(({ kind }: { kind: string }) => kind === 'renew').reverse();
  assert.deepEqual(
    renewals.slice(0, 3).map(({ created_at }: { created_at: string }) => created_at),
    ['2026-02-27T10:00:00Z', '2026-03-30T10:00:00Z', '2026-04-29T10:00:00Z'],
  );
  const emitted = await everyEvent(tests);
  const times = emitted.map(({ created_at }) => created_at);
  assert.deepEqual(times, times.toSorted(), 'events are in the order of their time');
  assert.equal(emitted.filter(({ type }) => type === 'plan.expired').length, 2);
  assert.equal(emitted.filter(({ type }) => type === 'plan.renewed').length, 12);

  // 610.00 are left, which is less than the price.
  const spend = { customer: 'spender', package_id: service.packages.plus, months: 12 };
  for (let index = 0; index < 2; index += 1)
    await placeOrder(service, tests, { ...spend, customer: `spender-${index}` });
  for (let index = 0; index < 10; index += 1)
    await placeOrder(service, tests, { customer: `small-${index}` });
  assert.equal(expectStatus(await tests.get('/balance'), 200).balance, '10.00');
  const poor = await advance(tests, 'P3M');
  assert.equal(poor.happened.renewals, 1);
  // One attempt a day before the end, and one every six hours until then.
  assert.equal(poor.happened.renewals_failed, 4);
  const failed = (await everyEvent(tests)).filter(({ type }) => type === 'renewal.failed');
  assert.deepEqual(
    failed.map(({ created_at }) => created_at),
    ['2027-03-30T10:00:00Z', '2027-03-30T16:00:00Z', '2027-03-30T22:00:00Z', '2027-03-31T04:00:00Z'],
  );
});

async function everyEvent(account: TestAccount): Promise<{ id: number; type: string; created_at: string }[]> {
  const all: { id: number; type: string; created_at: string }[] = [];
  for (;;) {
    const last = all.at(-1)?.id;
    const { data } = expectStatus(
      await account.get(`/events?limit=100${last === undefined ? '' : `&after=${last}`}`),
      200,
    );
    all.push(...data);
    if (data.length < 100) return all;
  }
}

test('the audit log says who made a test key, and nothing of what is done with it', async () => {
  const { live, tests } = await testAccounts();
  const query = (text: string) => service.database.query({ name: '', text });
  const [counted] = await query('select audit_count from service_state');
  const written = async () => {
    const rows = await query(
      `select action from audit_log where number > ${counted?.['audit_count']} order by number`,
    );
    return rows.map(({ action }) => String(action));
  };
  await advance(tests, 'P5Y');
  const { webhook } = expectStatus(await tests.post('/webhooks', { url: 'https://127.0.0.1/hook' }), 201);
  expectStatus(await tests.patch(`/webhooks/${webhook.id}`, { description: 'another' }), 200);
  expectStatus(await tests.post(`/webhooks/${webhook.id}/secret`, { overlap_hours: 1 }), 200);
  expectStatus(await tests.post(`/webhooks/${webhook.id}/redeliver`, { from: '2026-01-01T00:00:00Z' }), 200);
  expectStatus(await tests.send('DELETE', `/webhooks/${webhook.id}`), 200);
  expectStatus(await tests.send('PUT', '/alerts', { balance_below: '990.00' }), 200);
  const { order } = await placeOrder(service, tests, { customer: `audited-${live.id}` });
  expectStatus(await tests.patch(`/customers/${order.customer.id}`, { name: 'Another' }), 200);
  expectStatus(await tests.post('/test/reset'), 200);
  assert.deepEqual(await written(), []);
  expectStatus(await live.send('PUT', '/alerts', { balance_below: '990.00' }), 200);
  assert.deepEqual(await written(), ['account.set_alerts']);
});

describe('reset', () => {
  test('begins again, with the same key', async () => {
    const { live, tests } = await testAccounts();
    await placeOrder(service, tests, { customer: `before-${live.id}` });
    await advance(tests, 'P1Y');
    service.clock.seconds += 3_600;
    const { clock, balance } = expectStatus(await tests.post('/test/reset'), 200);
    assert.deepEqual([clock.now, balance], ['2026-01-31T11:00:00Z', '1000.00']);
    assert.equal(await clockOf(tests), '2026-01-31T11:00:00Z');
    assert.equal(expectStatus(await tests.get('/balance'), 200).balance, '1000.00');
    assert.equal(expectStatus(await tests.get('/customers'), 200).total, 0);
    assert.equal(expectStatus(await tests.get('/ledger'), 200).total, 1);
    assert.notEqual(await testAccountIdOf(service.database, live.id), tests.id);
  });
});
