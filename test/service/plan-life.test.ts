// Canceling, suspending and resuming plans (docs/decisions/0030-the-life-of-a-plan.md), computed by hand.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { isPostgres } from '../../scripts/throwaway/test-database.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { booksOf } from '../harness/books.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { runRenewals } from '../harness/run-renewals.ts';
import { changePackage, createPackage, placeOrder, renewOrder, secondsOf } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ environment: { PRODUCT_URL: 'https://product.example/welcome' } });
});
after(() => service.close());
beforeEach(() => {
  service.clock.seconds = secondsOf('2026-01-31T10:00:00Z');
});

const keyed = (idempotency_key: string) => ({ idempotency_key });

async function shop(credit = '100.00', order: object = {}) {
  const reseller = await service.createReseller({ credit });
  const { order: placed } = await placeOrder(service, reseller, order);
  const path = `/customers/${placed.customer.id}`;
  return { reseller, order: placed, path, plan: () => planOf(reseller, path) };
}

async function planOf(reseller: TestAccount, path: string) {
  return expectStatus(await reseller.get(path), 200).customer.plan;
}

test('a plan that is cancelled gives back what is unused, of three periods of different prices, to the cent', async () => {
  const own = await createPackage(service, 'Cancelled', ['10.00', '28.00', '100.00']);
  const { reseller, order, path } = await shop('100.00', { package_id: own });
  await changePackage(service, own, { prices: { reseller: { monthly: '12.34' } } });
  await renewOrder(reseller, order.id);
  await changePackage(service, own, { prices: { reseller: { monthly: '99.99', quarterly: '30.01' } } });
  await renewOrder(reseller, order.id, { months: 3 });
  // 4.99 + 12.34 + 30.01, as in refunds.test.ts; 100.00 − 10.00 − 12.34 − 30.01 = 47.65
  service.clock.seconds = secondsOf('2026-02-14T10:00:01Z');
  const answer = await reseller.post(`${path}/cancel`, { at: 'now', ...keyed('c-1') });
  const { customer, refund, balance } = expectStatus(answer, 200);
  assert.deepEqual([refund, balance], ['47.34', '94.99']);
  assert.partialDeepStrictEqual(customer.plan, {
    status: 'cancelled',
    active: false,
    expires_at: '2026-02-14T10:00:01Z',
    days_left: 0,
    ends_at_period_end: false,
    auto_renew: null,
  });
  assert.equal((await booksOf(service, reseller)).entries[0], 'refund 47.34 94.99');

  expectRefusal(await reseller.post(`${path}/cancel`, { at: 'now' }), '422 order_failed', {
    reason: 'plan_not_running',
  });
  await placeOrder(service, reseller, { package_id: service.packages.basic });
  const again = await reseller.post(`${path}/cancel`, { at: 'now', ...keyed('c-1') });
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.partialDeepStrictEqual(expectStatus(again, 200), { refund: '47.34', balance: '94.99' });
  assert.deepEqual([again.body.customer.plan.status, again.body.customer.plan.active], ['active', true]);
  expectRefusal(
    await reseller.post(`${path}/cancel`, { at: 'period_end', ...keyed('c-1') }),
    '409 idempotency_conflict',
  );
});

test('of twenty parallel cancels one is paid, whether they share a key or have none', async () => {
  for (const body of [{ at: 'now' }, { at: 'now', ...keyed('twenty') }]) {
    const { reseller, path } = await shop();
    const cancel = () => reseller.post(`${path}/cancel`, body);
    const answers = await Promise.all(Array.from({ length: 20 }, cancel));
    const paid = answers.filter(({ status }) => status === 200);
    assert.equal(paid.length, 'idempotency_key' in body ? 20 : 1);
    for (const answer of paid)
      assert.deepEqual([answer.body.refund, answer.body.balance], ['10.00', '100.00']);
    for (const answer of answers.filter((one) => !paid.includes(one))) {
      expectRefusal(answer, '422 order_failed', { reason: 'plan_not_running' });
    }
    assert.deepEqual((await booksOf(service, reseller)).entries, [
      'refund 10.00 100.00',
      'charge -10.00 90.00',
      'credit 100.00 100.00',
    ]);
  }
});

test('a trial is cancelled for nothing, and an ended plan not at all', async () => {
  const reseller = await service.createReseller({ credit: '50.00' });
  const trial = { package_id: service.packages.trial, customer: `trial-${reseller.id}` };
  const granted = await service.admin.post(`/api/admin/v1/accounts/${reseller.id}/trials`, trial);
  const path = `/customers/${expectStatus(granted, 201).customer.id}`;
  expectRefusal(await reseller.send('PUT', `${path}/auto-renew`, { months: 1 }), '422 package_unavailable', {
    reason: 'free_trial',
  });
  const { refund, balance, customer } = expectStatus(
    await reseller.post(`${path}/cancel`, { at: 'now' }),
    200,
  );
  assert.deepEqual([refund, balance, customer.plan.status], ['0.00', '50.00', 'cancelled']);
  assert.equal((await booksOf(service, reseller)).entries.length, 1);

  const ended = await shop();
  service.clock.seconds = secondsOf('2026-02-28T10:00:00Z');
  assert.equal((await ended.plan()).status, 'expired');
  for (const at of ['now', 'period_end']) {
    expectRefusal(await ended.reseller.post(`${ended.path}/cancel`, { at }), '422 order_failed', {
      reason: 'plan_not_running',
    });
  }
});

test('a suspended customer is let in nowhere, while time and orders go on; the operator’s hold is another', async () => {
  const { reseller, path, plan, order } = await shop();
  const link = async () => {
    const placed = await placeOrder(service, reseller, { return_login: true });
    return new URL(placed.login_url).pathname;
  };
  const open = async (login: string) =>
    (await fetch(service.address + login, { method: 'POST', redirect: 'manual' })).status;
  const before = await link();
  const suspended = await reseller.post(`${path}/suspend`, { reason: ' Invoice 7 ', ...keyed('s-1') });
  assert.equal(expectStatus(suspended, 200).customer.status, 'active', 'the status is the operator’s');
  assert.partialDeepStrictEqual(await plan(), { status: 'suspended', active: false });
  assert.equal(await open(before), 403);
  assert.equal(await open(await link()), 403);

  const hold = (status: string) => service.admin.patch(`/api/admin/v1${path}`, { status });
  expectStatus(await hold('suspended'), 200);
  const resumed = expectStatus(await reseller.post(`${path}/resume`), 200).customer;
  assert.deepEqual(
    [resumed.status, resumed.plan.status, resumed.plan.active],
    ['suspended', 'suspended', true],
  );
  assert.equal(await open(await link()), 403);
  expectStatus(await hold('active'), 200);
  assert.equal(await open(await link()), 303);
  assert.equal((await reseller.get(`/orders/${order.id}`)).body.order.status, 'completed');

  // A repeated key returns its first answer and does not suspend again.
  assert.equal(
    expectStatus(await reseller.post(`${path}/suspend`, { reason: 'Invoice 7', ...keyed('s-1') }), 200)
      .customer.plan.status,
    'active',
  );
  expectRefusal(await reseller.post(`${path}/resume`, keyed('s-1')), '409 idempotency_conflict');

  expectStatus(await reseller.post(`${path}/suspend`), 200);
  const { days_left, expires_at } = await plan();
  service.clock.seconds += 86_400;
  assert.partialDeepStrictEqual(await plan(), { days_left: days_left - 1, expires_at }, 'time runs on');
});

test('a code from before the suspension cannot be exchanged', async () => {
  const { reseller, path } = await shop();
  const { login_url } = await placeOrder(service, reseller, { return_login: true });
  const { headers } = await fetch(service.address + new URL(login_url).pathname, {
    method: 'POST',
    redirect: 'manual',
  });
  const code = new URL(headers.get('location') ?? '').searchParams.get('code');
  expectStatus(await reseller.post(`${path}/suspend`), 200);
  const exchange = () => service.admin.post('/api/admin/v1/login-codes/exchange', { code });
  expectRefusal(await exchange(), '404 customer_not_found');
  expectStatus(await reseller.post(`${path}/resume`), 200);
  expectStatus(await exchange(), 200);
});

test('a cancel at the period’s end puts auto-renewal aside, and resume brings it back as it was', async () => {
  const { reseller, path, plan } = await shop();
  const set = { months: 3, max_charge: '27.00', hours_before: 48 };
  expectStatus(await reseller.send('PUT', `${path}/auto-renew`, set), 200);
  const auto = {
    ...set,
    period: 'quarterly',
    next_at: '2026-02-26T10:00:00Z',
    failure: null,
  };
  assert.deepEqual((await plan()).auto_renew, auto);
  const { refund, balance } = expectStatus(await reseller.post(`${path}/cancel`, { at: 'period_end' }), 200);
  assert.deepEqual([refund, balance], ['0.00', '90.00']);
  assert.partialDeepStrictEqual(await plan(), {
    status: 'active',
    active: true,
    ends_at_period_end: true,
    auto_renew: null,
  });
  expectStatus(await reseller.post(`${path}/resume`), 200);
  assert.partialDeepStrictEqual(await plan(), { ends_at_period_end: false, auto_renew: auto });

  // An extension keeps auto-renewal and moves its due time. A new run after a cancel at the period's end has none.
  await placeOrder(service, reseller, {});
  assert.equal((await plan()).auto_renew.next_at, '2026-03-29T10:00:00Z');
  expectStatus(await reseller.post(`${path}/cancel`, { at: 'period_end' }), 200);
  await placeOrder(service, reseller, { package_id: service.packages.plus });
  assert.partialDeepStrictEqual(await plan(), { ends_at_period_end: false, auto_renew: null });
  expectStatus(await reseller.send('PUT', `${path}/auto-renew`, { months: 1, max_charge: null }), 200);
  assert.partialDeepStrictEqual((await plan()).auto_renew, { max_charge: null, hours_before: 24 });
  expectStatus(await reseller.send('DELETE', `${path}/auto-renew`), 200);
  expectStatus(await reseller.send('DELETE', `${path}/auto-renew`), 200);
  assert.equal((await plan()).auto_renew, null);
});

test('auto-renewal that is set to what it is already leaves no item, unless it changes something', async () => {
  const { reseller, path } = await shop();
  const put = async (body: object) =>
    expectStatus(await reseller.send('PUT', `${path}/auto-renew`, body), 200);
  const settings = { months: 1, max_charge: '5.00', hours_before: 48 };
  const items = async () => {
    const { data } = expectStatus(await reseller.get(`${path}/history`), 200);
    return data.filter(({ type }: { type: string }) => type === 'auto_renew_set').length;
  };
  await put(settings);
  const before = await items();
  await put(settings);
  // A repeated key returns its answer and adds nothing to the history.
  const keyedOnce = await put({ ...settings, ...keyed('again') });
  assert.deepEqual(await put({ ...settings, ...keyed('again') }), keyedOnce);
  expectRefusal(
    await reseller.send('PUT', `${path}/auto-renew`, { months: 3, ...keyed('again') }),
    '409 idempotency_conflict',
  );
  assert.deepEqual([before, await items()], [1, 1]);

  // After a renewal refused for its price, the same settings allow another attempt. Withdrawing a cancel is a change.
  const { expires_at: end } = expectStatus(await reseller.get(path), 200).customer.plan;
  service.clock.seconds = secondsOf(end) - 47 * 3_600;
  await runRenewals(service);
  const { failure } = expectStatus(await reseller.get(path), 200).customer.plan.auto_renew;
  assert.equal(failure, 'price_changed');
  assert.equal((await put(settings)).customer.plan.auto_renew.failure, null);
  assert.equal(await items(), 2);
  expectStatus(await reseller.post(`${path}/cancel`, { at: 'period_end' }), 200);
  await put(settings);
  assert.equal(await items(), 3);
});

test('what cannot be read is refused with its field, and a foreign customer as one that does not exist', async () => {
  const { reseller, path } = await shop();
  const { path: foreign } = await shop();
  const table: [method: string, path: string, body: unknown, expected: string, field: string | null][] = [
    ['POST', 'cancel', {}, '422 validation_failed', 'at'],
    ['POST', 'cancel', { at: 'soon' }, '422 validation_failed', 'at'],
    ['POST', 'cancel', { at: null }, '422 validation_failed', 'at'],
    ['POST', 'cancel', undefined, '400 invalid_json', null],
    ['POST', 'cancel', { at: 'later', ...keyed('a b') }, '422 invalid_idempotency_key', 'idempotency_key'],
    ['POST', 'suspend', { reason: 7 }, '422 validation_failed', 'reason'],
    ['POST', 'suspend', { reason: 'a\u0000b' }, '422 validation_failed', 'reason'],
    ['POST', 'suspend', { reason: 'x'.repeat(201) }, '422 validation_failed', 'reason'],
    ['PUT', 'auto-renew', {}, '422 invalid_months', 'months'],
    ['PUT', 'auto-renew', { months: 2 }, '422 invalid_months', 'months'],
    ['PUT', 'auto-renew', { months: 1, max_charge: 10 }, '422 invalid_max_charge', 'max_charge'],
    ['PUT', 'auto-renew', { months: 1, hours_before: 0 }, '422 validation_failed', 'hours_before'],
    ['PUT', 'auto-renew', { months: 1, hours_before: 721 }, '422 validation_failed', 'hours_before'],
    ['PUT', 'auto-renew', { months: 1, hours_before: null }, '422 validation_failed', 'hours_before'],
  ];
  for (const [method, what, body, expected, field] of table) {
    const answer = await reseller.send(method, `${path}/${what}`, body);
    expectRefusal(answer, expected, undefined, `${what} ${JSON.stringify(body)}`);
    if (field !== null) assert.equal(answer.body.error.details.field, field, what);
  }
  for (const missing of [foreign, '/customers/0', '/customers/x', '/customers/9007199254740993']) {
    for (const [method, what, body] of [
      ['POST', 'cancel', { at: 'now' }],
      ['POST', 'suspend', undefined],
      ['POST', 'resume', undefined],
      ['PUT', 'auto-renew', { months: 1 }],
      ['DELETE', 'auto-renew', undefined],
    ] as const) {
      expectRefusal(
        await reseller.send(method, `${missing}/${what}`, body),
        '404 customer_not_found',
        {},
        what,
      );
    }
  }
});

test('CANCEL_REFUND=none gives nothing back', { skip: !isPostgres }, async () => {
  const other = await startTestService({ environment: { CANCEL_REFUND: 'none' } });
  try {
    const reseller = await other.createReseller({ credit: '10.00' });
    const { order } = await placeOrder(other, reseller, {});
    const path = `/customers/${order.customer.id}/cancel`;
    const { refund, balance, customer } = expectStatus(await reseller.post(path, { at: 'now' }), 200);
    assert.deepEqual([refund, balance, customer.plan.status], ['0.00', '0.00', 'cancelled']);
    assert.equal((await booksOf(other, reseller)).entries.length, 2);
  } finally {
    await other.close();
  }
});

test('the history of a plan shows who did what, and the plan before and after', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const trial = { package_id: service.packages.trial, customer: `told-${reseller.id}` };
  const granted = await service.admin.post(`/api/admin/v1/accounts/${reseller.id}/trials`, trial);
  const path = `/customers/${expectStatus(granted, 201).customer.id}`;
  service.clock.seconds += 60;
  const order = { customer: `told-${reseller.id}` };
  const placed = await placeOrder(service, reseller, order);
  expectStatus(await reseller.post(`${path}/suspend`, { reason: 'Invoice 7' }), 200);
  // The repeated key returns an answer, but nothing happens.
  expectStatus(await reseller.post(`${path}/suspend`, keyed('again')), 200);
  expectStatus(await service.admin.patch(`/api/admin/v1${path}`, { status: 'suspended' }), 200);
  expectStatus(await reseller.post(`${path}/resume`), 200);
  expectStatus(await service.admin.patch(`/api/admin/v1${path}`, { status: 'active' }), 200);
  expectStatus(await reseller.send('PUT', `${path}/auto-renew`, { months: 1, hours_before: 720 }), 200);
  await runRenewals(service);
  expectStatus(await reseller.post(`${path}/cancel`, { at: 'now' }), 200);
  service.clock.seconds += 60;
  await placeOrder(service, reseller, { ...order, months: 3 });

  const { data, next_cursor } = expectStatus(await reseller.get(`${path}/history`), 200);
  assert.equal(next_cursor, null);
  const seen = data.map((item: Record<string, never>) => {
    const { type, by, from, to } = item as unknown as Record<string, { status: string } & string>;
    return `${type} by ${by}: ${from?.status ?? 'nothing'} → ${to?.status}`;
  });
  assert.deepEqual(seen.toReversed(), [
    'trial_started by operator: nothing → active',
    'changed by account: active → active',
    'suspended by account: active → suspended',
    'suspended by operator: suspended → suspended',
    'resumed by account: suspended → suspended',
    'resumed by operator: suspended → active',
    'auto_renew_set by account: active → active',
    'renewed by service: active → active',
    'cancelled by account: active → cancelled',
    'activated by account: cancelled → active',
  ]);
  const oldestFirst = data.toReversed();
  assert.partialDeepStrictEqual(oldestFirst[1], {
    at: '2026-01-31T10:01:00Z',
    from: { package: 'Trial', expires_at: '2026-02-14T10:00:00Z' },
    to: { package: 'Basic', expires_at: '2026-02-28T10:01:00Z' },
    order: placed.order,
  });
  assert.equal(oldestFirst[2].reason, 'Invoice 7');
  assert.deepEqual(oldestFirst[6].auto_renew, {
    months: 1,
    period: 'monthly',
    max_charge: null,
    hours_before: 720,
  });
  assert.equal(oldestFirst[8].refund, '20.00');
  assert.equal(oldestFirst[8].to.expires_at, '2026-01-31T10:01:00Z');

  // The pages stay the same, no matter what happens meanwhile.
  const walked: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = expectStatus(await reseller.get(`${path}/history?limit=3&cursor=${cursor}`), 200);
    assert.ok(page.data.length <= 3);
    walked.push(...page.data);
    cursor = page.next_cursor;
    if (walked.length === 3) expectStatus(await reseller.post(`${path}/suspend`), 200);
  }
  assert.deepEqual(walked, data);

  const { next_cursor: cursor } = (await reseller.get(`${path}/history?limit=1`)).body;
  const { path: other } = await shop();
  expectRefusal(await reseller.get(`${path}/history?cursor=${cursor}x`), '422 invalid_cursor');
  expectRefusal(await reseller.get(`${other}/history`), '404 customer_not_found');
});
