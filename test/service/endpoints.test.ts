// Every documented endpoint, each field with its type and format, and prices for each group.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { rawRequest, sendRaw } from '../harness/raw-socket.ts';
import { createPackage, credit } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const amount = /^\d+\.\d{2}$/;

test('GET /balance has its four fields, and a group for each kind of account', async () => {
  for (const group of ['reseller', 'distributor'] as const) {
    const account = await service.createReseller({ credit: '1234567.8', group });
    const { status, body } = await account.get('/balance');
    assert.equal(status, 200);
    assert.deepEqual(body, { balance: '1234567.80', currency: 'USD', group, receivable: '0.00' });
  }
  const poor = await service.createReseller();
  assert.equal((await poor.get('/balance')).body.balance, '0.00');
  const { body } = await service.admin.get('/balance');
  assert.deepEqual(Object.keys(body), ['balance', 'currency', 'group', 'receivable']);
  assert.match(body.balance, amount);
  assert.equal(body.group, 'distributor');
});

test('GET /packages lists what can be ordered, field by field, at the prices of the caller’s group', async () => {
  const { basic, plus, trial, retired } = service.packages;
  const expected = (prices: Record<number, string>) =>
    Object.entries(prices).map(([id, cells]) => {
      const entries = cells.split(', ').map((cell) => cell.split(' '));
      return {
        id: Number(id),
        name: Number(id) === basic ? 'Basic' : 'Plus',
        description: null,
        currency: 'USD',
        price: entries[0]?.[1],
        periods: ['monthly', 'quarterly', 'yearly'],
        prices: entries.map(([period, price, saving]) => ({
          months: { monthly: 1, quarterly: 3, yearly: 12 }[period ?? ''],
          period,
          price,
          saving_percent: Number(saving),
          price_rule: 'group',
        })),
        duration_days: 30,
        limits: { accounts: 1, posts_per_day: 2, ai_images_per_month: 3 },
        features: Number(id) === basic ? ['One', 'Two'] : [],
        upcoming: [],
      };
    });
  const ofReseller = expected({
    [basic]: 'monthly 10.00 0, quarterly 27.00 10, yearly 96.00 20',
    [plus]: 'monthly 25.00 0, quarterly 70.00 6, yearly 250.00 16',
  });
  const ofDistributor = expected({
    [basic]: 'monthly 8.00 0, quarterly 21.00 12, yearly 72.00 25',
    [plus]: 'monthly 20.00 0, quarterly 55.00 8, yearly 190.00 20',
  });
  const reseller = await service.createReseller();
  const distributor = await service.createReseller({ group: 'distributor' });
  const answer = await reseller.get('/packages');
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, { group: 'reseller', data: ofReseller });
  assert.deepEqual((await distributor.get('/packages')).body, { group: 'distributor', data: ofDistributor });
  assert.deepEqual((await service.admin.get('/packages')).body, {
    group: 'distributor',
    data: ofDistributor,
  });
  for (const hidden of [trial, retired])
    assert.ok(!answer.body.data.some(({ id }: { id: number }) => id === hidden));
});

test('saving_percent is rounded down and never below zero', async () => {
  const dearer = await createPackage(service, 'Dearer in bulk', ['10.00', '30.01', '119.99']);
  const free = await createPackage(service, 'Free but no trial', ['0.00', '0.00', '0.00']);
  const { data } = (await (await service.createReseller()).get('/packages')).body;
  const savings = (id: number) =>
    data
      .find((one: { id: number }) => one.id === id)
      .prices.map((one: { saving_percent: number }) => one.saving_percent);
  assert.deepEqual(savings(dearer), [0, 0, 0]);
  assert.deepEqual(savings(free), [0, 0, 0]);
});

test('an order has every field in its format, for each period, by e-mail address and by username', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const cases = [
    { months: 1, period: 'monthly', price: '10.00', expires_at: '2026-02-15T12:00:00Z', balance: '990.00' },
    { months: 3, period: 'quarterly', price: '27.00', expires_at: '2026-04-15T12:00:00Z', balance: '963.00' },
    { months: 12, period: 'yearly', price: '96.00', expires_at: '2027-01-15T12:00:00Z', balance: '867.00' },
  ];
  for (const { balance, ...expected } of cases) {
    const isEmail = expected.months !== 3;
    const reference = isEmail ? `fields+${expected.months}@example.com` : 'Field_user.1-x';
    const placed = await reseller.post('/orders', {
      package_id: service.packages.basic,
      customer: reference,
      months: expected.months,
    });
    assert.equal(placed.status, 201, placed.text);
    assert.deepEqual(Object.keys(placed.body), ['order', 'balance'], 'login_url only where it is asked for');
    const { id, customer, idempotency_key, ...order } = placed.body.order;
    assert.ok(Number.isSafeInteger(id) && id > 0);
    assert.match(idempotency_key, /^auto_[\x21-\x7e]{1,75}$/);
    assert.deepEqual(order, {
      kind: 'activate',
      status: 'completed',
      package: { id: service.packages.basic, name: 'Basic' },
      ...expected,
      price_rule: 'group',
      refund: '0.00',
      currency: 'USD',
      created_at: '2026-01-15T12:00:00Z',
    });
    const normalized = reference.toLowerCase();
    assert.deepEqual(customer, { id: customer.id, reference: normalized, email: isEmail ? normalized : '' });
    assert.ok(Number.isSafeInteger(customer.id) && customer.id > 0);
    assert.equal(placed.body.balance, balance);

    const shown = await reseller.get(`/orders/${id}`);
    assert.deepEqual([shown.status, shown.body], [200, { order: placed.body.order }]);
    const listed = await reseller.get('/orders?limit=1');
    assert.deepEqual(listed.body.data, [placed.body.order]);
  }
});

test('a customer has every field in its format, alone and in the list', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const body = {
    package_id: service.packages.basic,
    customer: 'Shown_Customer',
    customer_name: '  Zoë 🦊 O’Hara ',
  };
  const { order } = (await reseller.post('/orders', body)).body;
  const shown = await reseller.get(`/customers/${order.customer.id}`);
  assert.equal(shown.status, 200);
  assert.deepEqual(shown.body, {
    customer: {
      id: order.customer.id,
      name: 'Zoë 🦊 O’Hara',
      reference: 'shown_customer',
      email: '',
      status: 'active',
      plan: {
        package: 'Basic',
        package_id: service.packages.basic,
        last_order_id: order.id,
        status: 'active',
        active: true,
        starts_at: '2026-01-15T12:00:00Z',
        expires_at: '2026-02-15T12:00:00Z',
        days_left: 31,
        ends_at_period_end: false,
        auto_renew: null,
      },
      created_at: '2026-01-15T12:00:00Z',
    },
  });
  const listed = await reseller.get('/customers');
  assert.deepEqual(listed.body, { data: [shown.body.customer], page: 1, per_page: 25, total: 1 });
});

test('each account pays the price of its group, an administrator the distributor’s from his own balance', async () => {
  await credit(service, service.admin, '100.00');
  const accounts: [TestAccount, string, string][] = [
    [await service.createReseller({ credit: '100.00' }), '10.00', '90.00'],
    [await service.createReseller({ credit: '100.00', group: 'distributor' }), '8.00', '92.00'],
    [service.admin, '8.00', '92.00'],
  ];
  for (const [account, price, balance] of accounts) {
    const body = { package_id: service.packages.basic, customer: `group-${account.id}` };
    const placed = await account.post('/orders', body);
    assert.deepEqual([placed.status, placed.body.order?.price, placed.body.balance], [201, price, balance]);
    assert.equal((await account.get('/balance')).body.balance, balance);
    const renewed = await account.post(`/orders/${placed.body.order.id}/renew`);
    assert.equal(renewed.body.order.price, price);
  }
});

test('unknown fields of any name are ignored and set nothing', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const text = `{"__proto__": {"customer_name": "Mallory", "return_login": true}, "constructor": {"prototype": 1},
    "price": "0.01", "group": "distributor", "account_id": 1, "id": 1, "refund": "99.00", "status": "x", "toString": null,
    "package_id": ${service.packages.basic}, "customer": "unknown-fields"}`;
  const { status, body } = await reseller.post('/orders', text);
  assert.deepEqual([status, body.order.price, body.balance], [201, '10.00', '90.00']);
  assert.ok(!('login_url' in body));
  const { customer } = (await reseller.get(`/customers/${body.order.customer.id}`)).body;
  assert.notEqual(customer.name, 'Mallory');
});

test('the body is read as JSON and Content-Type is ignored', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'x',
    'application/json; charset=latin1',
  ];
  for (const [index, type] of types.entries()) {
    const body = { package_id: service.packages.basic, customer: `type-${index}` };
    const answer = await reseller.post('/orders', body, { 'content-type': type });
    assert.equal(answer.status, 201, `${type} ${answer.text}`);
  }
  const body = JSON.stringify({ package_id: service.packages.basic, customer: 'type-none' });
  const head = ['POST /api/v1/orders HTTP/1.1', 'Host: x', `Authorization: Bearer ${reseller.key}`];
  const { answers } = await sendRaw(
    service.address,
    rawRequest([...head, `Content-Length: ${body.length}`], body),
  );
  assert.equal(answers[0]?.status, 201);
});

test('X-Request-Id: a harmless one comes back, any other is replaced by a new one', async () => {
  const reseller = await service.createReseller();
  const sent = await reseller.get('/balance', { 'x-request-id': 'my-Request_1.2' });
  assert.equal(sent.headers.get('x-request-id'), 'my-Request_1.2');
  const ids = new Set<string | null>();
  for (const id of [undefined, '', 'a b', '<script>', 'x'.repeat(65), 'é']) {
    const answer = await reseller.get('/balance', id === undefined ? {} : { 'x-request-id': id });
    ids.add(answer.headers.get('x-request-id'));
    assert.match(answer.headers.get('x-request-id') ?? '', /^[A-Za-z0-9._-]{1,64}$/);
    assert.notEqual(answer.headers.get('x-request-id'), id);
  }
  assert.equal(ids.size, 6);
});
