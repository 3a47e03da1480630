// Plans over time, through the API: renewals, kinds of orders, month ends, expiry. refunds.test.ts tests refunds.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { booksOf } from '../harness/books.ts';
import { rawRequest, sendRaw } from '../harness/raw-socket.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { changePackage, createPackage, placeOrder, renewOrder, secondsOf } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());
beforeEach(() => {
  service.clock.seconds = secondsOf('2026-01-31T10:00:00Z');
});

function at(time: string): void {
  service.clock.seconds = secondsOf(time);
}

async function planOf(account: TestAccount, customerId: number) {
  return (await account.get(`/customers/${customerId}`)).body.customer.plan;
}

test('a renewal is a new order of kind renew, one period on top of the expiry, with the balance after it', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const first = await placeOrder(service, reseller, {});
  at('2026-02-10T00:00:00Z');
  const answer = await reseller.post(`/orders/${first.order.id}/renew`, {}, { 'idempotency-key': 'renew-1' });
  assert.equal(answer.status, 201);
  assert.notEqual(answer.body.order.id, first.order.id);
  assert.deepEqual(answer.body, {
    order: {
      ...first.order,
      id: answer.body.order.id,
      kind: 'renew',
      expires_at: '2026-03-31T10:00:00Z',
      created_at: '2026-02-10T00:00:00Z',
      idempotency_key: 'renew-1',
    },
    balance: '80.00',
  });
  assert.deepEqual((await reseller.get(`/orders/${answer.body.order.id}`)).body.order, answer.body.order);
  assert.deepEqual(
    (await reseller.get(`/orders/${first.order.id}`)).body.order,
    first.order,
    'the first stays as it was',
  );
});

test('a renewal takes the months of its order unless it names others, as months or as period', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const { order: quarterly } = await placeOrder(service, reseller, { months: 3 });
  const { id } = quarterly;
  const table = [
    { body: {}, months: 3, price: '27.00', expires_at: '2026-07-31T10:00:00Z' },
    { body: { months: 1 }, months: 1, price: '10.00', expires_at: '2026-08-31T10:00:00Z' },
    { body: { period: 'yearly' }, months: 12, price: '96.00', expires_at: '2027-08-31T10:00:00Z' },
    { body: { period: 'monthly', months: 1 }, months: 1, price: '10.00', expires_at: '2027-09-30T10:00:00Z' },
    { body: undefined, months: 3, price: '27.00', expires_at: '2027-12-31T10:00:00Z' },
    {
      body: { package_id: 'x', customer: 1, return_login: true },
      months: 3,
      price: '27.00',
      expires_at: '2028-03-31T10:00:00Z',
    },
  ];
  for (const { body, ...expected } of table) {
    const answer = await renewOrder(reseller, id, body);
    assert.ok(!('login_url' in answer));
    const { months, price, expires_at } = answer.order;
    assert.deepEqual({ months, price, expires_at }, expected);
    assert.equal(answer.order.kind, 'renew');
  }
});

test('an absent body renews, however its absence is put', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const { order: first } = await placeOrder(service, reseller, { months: 3 });
  const head = [
    `POST /api/v1/orders/${first.id}/renew HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${reseller.key}`,
  ];
  const absent: [string[], string][] = [
    [[], ''],
    [['Content-Length: 0'], ''],
    [['Content-Type: application/json'], ''],
    [['Content-Length: 0', 'Content-Type: application/json'], ''],
    [['Transfer-Encoding: chunked'], '0\r\n\r\n'],
    [['Transfer-Encoding: chunked', 'Content-Type: text/plain'], '0\r\n\r\n'],
    // curl -d '' sends the first, fetch with an empty body the second.
    [['Content-Length: 0', 'Content-Type: application/x-www-form-urlencoded'], ''],
    [['Content-Length: 0', 'Content-Type: text/plain;charset=UTF-8'], ''],
  ];
  for (const [lines, bytes] of absent) {
    const { answers } = await sendRaw(service.address, rawRequest([...head, ...lines], bytes));
    assert.equal(answers[0]?.status, 201, `${lines} ${answers[0]?.text}`);
    assert.equal(answers[0]?.body.order.months, 3);
  }
});

test('kind is activate, renew or change, by what the customer runs at that moment', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const { basic, plus } = service.packages;
  const table: [string, number, string][] = [
    ['2026-01-31T10:00:00Z', basic, 'activate 2026-02-28T10:00:00Z'],
    ['2026-02-28T09:59:59Z', basic, 'renew 2026-03-31T10:00:00Z'],
    ['2026-03-31T09:59:59Z', plus, 'change 2026-04-30T09:59:59Z'],
    ['2026-04-30T09:59:59Z', plus, 'activate 2026-05-30T09:59:59Z'],
    ['2026-06-15T00:00:00Z', basic, 'activate 2026-07-15T00:00:00Z'],
  ];
  for (const [time, package_id, expected] of table) {
    at(time);
    const placed = await placeOrder(service, reseller, { package_id });
    assert.equal(`${placed.order.kind} ${placed.order.expires_at}`, expected);
  }
});

test('a plan from 31 January ends on 28 February, then on 31 March, and never drifts', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const { order: first } = await placeOrder(service, reseller, {});
  const ends = [first.expires_at];
  for (let months = 2; months <= 12; months += 1)
    ends.push((await renewOrder(reseller, first.id)).order.expires_at);
  const days = '02-28 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-31'.split(' ');
  assert.deepEqual(ends, [...days.map((day) => `2026-${day}T10:00:00Z`), '2027-01-31T10:00:00Z']);

  const yearly = await placeOrder(service, reseller, { customer: `yearly-${reseller.id}`, period: 'yearly' });
  assert.equal(yearly.order.expires_at, ends.at(-1), '12 months end when one year ends');
  const quarters = await placeOrder(service, reseller, { customer: `quarters-${reseller.id}`, months: 3 });
  for (let count = 0; count < 2; count += 1) await renewOrder(reseller, quarters.order.id);
  assert.equal((await renewOrder(reseller, quarters.order.id)).order.expires_at, ends.at(-1));
});

test('29 February plus a year is 28 February, plus four years 29 February', async () => {
  at('2028-02-29T23:59:59Z');
  const reseller = await service.createReseller({ credit: '1000.00' });
  const { order: first } = await placeOrder(service, reseller, { months: 12 });
  const ends = [first.expires_at];
  for (let years = 2; years <= 4; years += 1)
    ends.push((await renewOrder(reseller, first.id)).order.expires_at);
  assert.deepEqual(
    ends,
    ['2029', '2030', '2031'].map((year) => `${year}-02-28T23:59:59Z`).concat('2032-02-29T23:59:59Z'),
  );
});

test('an expired plan is shown as it was, and its renewal starts now with a new anchor', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const { order: first } = await placeOrder(service, reseller, {});
  const { id } = first.customer;
  at('2026-02-28T09:59:59Z');
  const last = { package: 'Basic', starts_at: '2026-01-31T10:00:00Z', expires_at: '2026-02-28T10:00:00Z' };
  assert.partialDeepStrictEqual(await planOf(reseller, id), { ...last, active: true, days_left: 1 });
  at('2026-02-28T10:00:00Z');
  assert.partialDeepStrictEqual(await planOf(reseller, id), { ...last, active: false, days_left: 0 });

  at('2026-03-10T08:00:00Z');
  const again = await renewOrder(reseller, first.id);
  assert.deepEqual([again.order.kind, again.order.expires_at], ['renew', '2026-04-10T08:00:00Z']);
  assert.equal((await planOf(reseller, id)).starts_at, '2026-03-10T08:00:00Z');
  assert.equal(
    (await renewOrder(reseller, first.id)).order.expires_at,
    '2026-05-10T08:00:00Z',
    'counted from the new anchor',
  );
});

test('starts_at is the beginning of the unbroken run, days_left is rounded up', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const { order: first } = await placeOrder(service, reseller, {});
  at('2026-02-20T00:00:00Z');
  await renewOrder(reseller, first.id);
  const { id } = first.customer;
  assert.partialDeepStrictEqual(await planOf(reseller, id), {
    package: 'Basic',
    active: true,
    starts_at: '2026-01-31T10:00:00Z',
    expires_at: '2026-03-31T10:00:00Z',
    days_left: 40,
  });
  at('2026-03-30T10:00:00Z');
  assert.equal((await planOf(reseller, id)).days_left, 1);
  at('2026-03-30T09:59:59Z');
  assert.equal((await planOf(reseller, id)).days_left, 2);
  const changed = await placeOrder(service, reseller, { package_id: service.packages.plus });
  assert.equal(changed.order.kind, 'change');
  assert.equal(
    (await planOf(reseller, id)).starts_at,
    '2026-03-30T09:59:59Z',
    'another package is another run',
  );
});

test('a renewal never changes a plan: plan_changed while another package runs, and again possible afterwards', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const { order: first } = await placeOrder(service, reseller, {});
  await placeOrder(service, reseller, { package_id: service.packages.plus });
  const before = await booksOf(service, reseller);
  const refused = await reseller.post(`/orders/${first.id}/renew`);
  expectRefusal(refused, '422 order_failed', { reason: 'plan_changed' });
  assert.deepEqual(await booksOf(service, reseller), before);
  at('2026-03-15T00:00:00Z');
  const renewed = await renewOrder(reseller, first.id);
  assert.deepEqual([renewed.order.package.name, renewed.order.expires_at], ['Basic', '2026-04-15T00:00:00Z']);
});

test('a plan reaches ten years ahead, and not a month further', async () => {
  const reseller = await service.createReseller({ credit: '2000.00' });
  const { order: first } = await placeOrder(service, reseller, { months: 12 });
  for (let years = 2; years <= 9; years += 1) await renewOrder(reseller, first.id);
  assert.equal(
    (await placeOrder(service, reseller, { months: 12 })).order.expires_at,
    '2036-01-31T10:00:00Z',
  );
  const before = await booksOf(service, reseller);
  const tooLong = { reason: 'term_too_long' };
  const body = { package_id: service.packages.basic, customer: `c-${reseller.id}` };
  expectRefusal(await reseller.post('/orders', body), '422 order_failed', tooLong);
  expectRefusal(await reseller.post(`/orders/${first.id}/renew`, { months: 1 }), '422 order_failed', tooLong);
  assert.deepEqual(await booksOf(service, reseller), before);
  at('2026-03-01T10:00:00Z');
  assert.equal(
    (await placeOrder(service, reseller, { months: 1 })).order.expires_at,
    '2036-02-29T10:00:00Z',
    'a month later a month more',
  );
});

test('a retired package cannot be ordered, but goes on being renewed at its price of today', async () => {
  const leaving = await createPackage(service, 'Leaving', ['10.00', '30.00', '90.00']);
  const reseller = await service.createReseller({ credit: '100.00' });
  const { order: first } = await placeOrder(service, reseller, { package_id: leaving });
  await changePackage(service, leaving, { retired: true, prices: { reseller: { monthly: '11.00' } } });
  for (const customer of [`c-${reseller.id}`, 'another-customer']) {
    const refused = await reseller.post('/orders', { package_id: leaving, customer });
    expectRefusal(refused, '422 package_unavailable', { field: 'package_id', reason: 'retired' });
  }
  const renewed = await renewOrder(reseller, first.id);
  assert.deepEqual([renewed.order.price, renewed.balance], ['11.00', '79.00']);
  await changePackage(service, leaving, { retired: false });
  assert.equal((await placeOrder(service, reseller, { package_id: leaving })).order.kind, 'renew');
});
