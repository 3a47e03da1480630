// Descriptions of packages, and the periods that they are sold for: in views, orders, and verification of past orders.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { booksOf } from '../harness/books.ts';
import { falsify, verify } from '../harness/falsified-books.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { runRenewals } from '../harness/run-renewals.ts';
import { changePackage, placeOrder, renewOrder, schedulePrices, secondsOf } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const api = '/api/admin/v1/packages';
const all = ['monthly', 'quarterly', 'yearly'];
const amounts = { monthly: '10.00', quarterly: '27.00', yearly: '96.00' };
const prices = { reseller: amounts, distributor: amounts };

async function create(name: string, more: object = {}) {
  const answer = await service.admin.post(api, { name, limits: {}, prices, ...more });
  return expectStatus(answer, 201).package;
}

async function offered(account: Pick<TestAccount, 'get'>, id: number) {
  const { data } = expectStatus(await account.get('/packages'), 200);
  return data.find((one: { id: number }) => one.id === id);
}

const notSold = (...periods: string[]) => ({
  field: 'months',
  reason: `must be a period that the package is sold for: ${periods.join(', ')}`,
  periods,
});

async function audited(id: number) {
  const { data } = expectStatus(await service.admin.get(`/api/admin/v1/audit?subject=package%20${id}`), 200);
  return data[0];
}

test('a package without description and periods has none and all three, and changes keep what they do not name', async () => {
  const reseller = await service.createReseller({ credit: '1.00' });
  const plain = await create('Plain');
  assert.deepEqual([plain.description, plain.periods], [null, all]);
  const made = await create('Described', { description: '  For teams. ', periods: ['yearly', 'monthly'] });
  assert.deepEqual([made.description, made.periods], ['For teams.', ['monthly', 'yearly']]);
  const shown = await offered(reseller, made.id);
  assert.deepEqual([shown.description, shown.periods], ['For teams.', ['monthly', 'yearly']]);

  const changed = expectStatus(
    await service.admin.patch(`${api}/${made.id}`, { name: 'Named' }),
    200,
  ).package;
  assert.deepEqual([changed.description, changed.periods], ['For teams.', ['monthly', 'yearly']]);
  await changePackage(service, made.id, { description: null, periods: ['quarterly'] });
  const { description, periods } = expectStatus(await service.admin.get(`${api}/${made.id}`), 200).package;
  assert.deepEqual([description, periods], [null, ['quarterly']]);
  const entry = await audited(made.id);
  assert.deepEqual([entry.before.description, entry.before.periods], ['For teams.', ['monthly', 'yearly']]);
  assert.deepEqual([entry.after.description, entry.after.periods], [null, ['quarterly']]);
  assert.equal((await create('Long', { description: '🦆'.repeat(500) })).description, '🦆'.repeat(500));
});

test('a repeated creation is the same request, with and without the new fields', async () => {
  const body = { name: 'Once', limits: {}, prices, idempotency_key: `once-${service.clock.seconds}` };
  const first = await service.admin.post(api, body);
  const { id } = expectStatus(first, 201).package;
  const spelled = { ...body, description: null, periods: all };
  assert.equal(expectStatus(await service.admin.post(api, spelled), 201).package.id, id);
  for (const other of [{ description: 'Other' }, { periods: ['monthly'] }])
    expectRefusal(await service.admin.post(api, { ...body, ...other }), '409 idempotency_conflict');
});

test('what is wrong is refused with its field, and a trial has no periods', async () => {
  const { id } = await create('Refusing');
  const cases: [body: object, field: string][] = [
    [{ description: 'x'.repeat(501) }, 'description'],
    [{ description: '' }, 'description'],
    [{ description: ' ' }, 'description'],
    [{ description: 'a\nb' }, 'description'],
    [{ periods: [] }, 'periods'],
    [{ periods: ['monthly', 'monthly'] }, 'periods'],
    [{ periods: ['monthly', 'weekly'] }, 'periods.1'],
    [{ periods: ['Monthly'] }, 'periods.0'],
    [{ periods: null }, 'periods'],
  ];
  for (const [body, field] of cases) {
    for (const refused of [
      await service.admin.patch(`${api}/${id}`, body),
      await service.admin.post(api, { name: 'No', limits: {}, prices, ...body }),
    ]) {
      expectRefusal(refused, '422 validation_failed');
      assert.equal(refused.body.error.details.field, field, refused.text);
    }
  }
  const ofTrial = { field: 'periods', reason: 'a free trial has no periods' };
  const trial = { name: 'Try', limits: {}, trial: true, periods: ['monthly'] };
  expectRefusal(await service.admin.post(api, trial), '422 validation_failed', ofTrial);
  const path = `${api}/${service.packages.trial}`;
  expectRefusal(await service.admin.patch(path, { periods: all }), '422 validation_failed', ofTrial);
});

test('lists have the prices of sold periods only, and the monthly price all the same', async () => {
  const reseller = await service.createReseller({ credit: '1.00' });
  const { id } = await create('Long terms', { periods: ['quarterly', 'yearly'] });
  const from = (days: number) =>
    new Date((service.clock.seconds + days * 86_400) * 1000).toISOString().replace('.000Z', 'Z');
  await schedulePrices(service, id, from(1), { reseller: { monthly: '11.00' } });
  await schedulePrices(service, id, from(2), { reseller: { yearly: '90.00' } });
  const one = await offered(reseller, id);
  assert.equal(one.price, '10.00');
  assert.deepEqual(one.prices, [
    { months: 3, period: 'quarterly', price: '27.00', saving_percent: 10, price_rule: 'group' },
    { months: 12, period: 'yearly', price: '96.00', saving_percent: 20, price_rule: 'group' },
  ]);
  assert.deepEqual(one.upcoming, [
    {
      from: from(2),
      prices: [
        { months: 3, period: 'quarterly', price: '27.00', saving_percent: 18, price_rule: 'group' },
        { months: 12, period: 'yearly', price: '90.00', saving_percent: 31, price_rule: 'group' },
      ],
    },
  ]);
  await changePackage(service, id, { periods: all });
  assert.equal((await offered(reseller, id)).upcoming.length, 2);
});

test('no order is taken for a period that is not sold, by any road, and nothing is charged', async () => {
  const reseller = await service.createReseller({ credit: '500.00' });
  const customer = `c-${reseller.id}`;
  const { id } = await create('Some', { periods: ['monthly', 'yearly'] });
  const { order: first } = await placeOrder(service, reseller, { package_id: id, idempotency_key: 'first' });
  const before = await booksOf(service, reseller);
  const details = notSold('monthly', 'yearly');
  const body = { package_id: id, customer };
  for (const wanted of [{ months: 3 }, { period: 'quarterly' }]) {
    for (const path of ['/orders', '/orders/preview'])
      expectRefusal(await reseller.post(path, { ...body, ...wanted }), '422 invalid_months', details);
    expectRefusal(await reseller.post(`/orders/${first.id}/renew`, wanted), '422 invalid_months', details);
  }
  const message = (await reseller.post('/orders', { ...body, months: 3 })).body.error.message;
  assert.equal(message, '`months` must be a period that the package is sold for: monthly, yearly.');
  const orders = [
    { ...body, months: 3, idempotency_key: 'bulk-1' },
    { renew_customer: first.customer.id, months: 3, idempotency_key: 'bulk-2' },
    { ...body, months: 2, idempotency_key: 'bulk-3' },
  ];
  const { results } = expectStatus(await reseller.post('/orders/bulk', { orders }), 200);
  assert.deepEqual(
    results.map((one: { error: { code: string; details: object } }) => [one.error.code, one.error.details]),
    [
      ['invalid_months', details],
      ['invalid_months', details],
      ['invalid_months', { field: 'months', reason: 'must be 1, 3 or 12' }],
    ],
  );
  const change = `/api/admin/v1/customers/${first.customer.id}/change-package`;
  const { id: other } = await create('Other', { periods: ['yearly'] });
  expectRefusal(
    await service.admin.post(change, { package_id: other, months: 1 }),
    '422 invalid_months',
    notSold('yearly'),
  );
  expectRefusal(
    await reseller.send('PUT', `/customers/${first.customer.id}/auto-renew`, { months: 3 }),
    '422 invalid_months',
    details,
  );
  assert.deepEqual(await booksOf(service, reseller), before);

  // A used key still returns its order. A renewal must be for a period that is sold now.
  await changePackage(service, id, { periods: ['quarterly'] });
  const again = await reseller.post('/orders', { ...body, idempotency_key: 'first' });
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(expectStatus(again, 201).order.id, first.id);
  expectRefusal(await reseller.post(`/orders/${first.id}/renew`), '422 invalid_months', notSold('quarterly'));
  assert.equal((await renewOrder(reseller, first.id, { months: 3 })).order.price, '27.00');
});

test('an automatic renewal for a period that is sold no longer fails, is reported, and succeeds once it is sold again', async () => {
  service.clock.seconds = secondsOf('2026-01-31T10:00:00Z');
  const reseller = await service.createReseller({ credit: '100.00' });
  expectStatus(await reseller.get('/events'), 200);
  const { id } = await create('Renewing');
  const { order } = await placeOrder(service, reseller, { package_id: id });
  const path = `/customers/${order.customer.id}`;
  expectStatus(await reseller.send('PUT', `${path}/auto-renew`, { months: 1 }), 200);
  await changePackage(service, id, { periods: ['yearly'] });

  service.clock.seconds = secondsOf('2026-02-27T10:00:00Z');
  await runRenewals(service);
  const plan = async () => expectStatus(await reseller.get(path), 200).customer.plan;
  const { auto_renew: set } = await plan();
  assert.equal(set.failure, 'invalid_months');
  assert.ok(set.next_at > '2026-02-27T10:00:00Z', set.next_at);
  const { data } = expectStatus(await reseller.get('/events?limit=100'), 200);
  const [failed] = data.filter(({ type }: { type: string }) => type === 'renewal.failed');
  assert.equal(failed.data.code, 'invalid_months');

  await changePackage(service, id, { periods: ['monthly'] });
  service.clock.seconds = secondsOf(set.next_at);
  await runRenewals(service);
  const renewed = await plan();
  assert.deepEqual([renewed.expires_at, renewed.auto_renew.failure], ['2026-03-31T10:00:00Z', null]);
});

test('verification judges an order by what was sold in its second, and the package by the audit log', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const { id } = await create('Audited', { description: 'As it was.' });
  await placeOrder(service, reseller, { package_id: id, months: 3 });
  service.clock.seconds += 86_400;
  await changePackage(service, id, { periods: ['monthly', 'yearly'] });
  assert.deepEqual(await verify(service), { ok: true, problems: [] });

  await service.database.query({
    name: '',
    text: `update packages set periods = '{yearly}' where id = ${id}`,
  });
  assert.match(JSON.stringify(await verify(service)), /it is not as the audit log left it/);
  await service.database.query({
    name: '',
    text: `update packages set periods = '{monthly,yearly}' where id = ${id}`,
  });
  const moved = (days: number) =>
    `update orders set created_at = created_at + interval '${days} day' where account_id = ${reseller.id}`;
  await falsify(service, reseller, moved(2));
  assert.match(JSON.stringify(await verify(service)), /order 1.*it is refused: invalid_months/);
  await falsify(service, reseller, moved(-2));
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
});

test('the customer’s page has the description of the plan, as text', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const { id } = await create('Marked', { description: 'For <teams> & friends.' });
  const { login_url: url } = await placeOrder(service, reseller, { package_id: id, return_login: true });
  const { pathname } = new URL(url);
  const confirmed = await fetch(service.address + pathname, { method: 'POST', redirect: 'manual' });
  const cookie = confirmed.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const page = await (await fetch(`${service.address}/customer`, { headers: { cookie } })).text();
  assert.match(page, /<p dir="auto">For &lt;teams&gt; &amp; friends\.<\/p>/);
});
