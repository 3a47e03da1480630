// POST /customers/{id}/erase: afterward no table holds what named the customer, and the money is as it was.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { eraseTexts } from '../../src/features/erasure/erasure-job.ts';
import { listErasuresAgain, repeatErasures } from '../../src/features/erasure/repeat-erasures.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { type PanelClient, signIn } from '../harness/panel-client.ts';
import { type ProductReceiver, startProductReceiver } from '../harness/product-receiver.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { beginProductCalls, endProductCalls } from '../harness/run-product-calls.ts';
import { testModeOf } from '../harness/test-mode.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

const hour = 3_600;
let service: TestService;
let account: TestAccount;
let product: ProductReceiver;
let webhooks: WebhookReceiver;
/** Reading the list of requests also writes those that are not written yet. */
let panel: PanelClient;
before(async () => {
  webhooks = await startWebhookReceiver();
  service = await startTestService({
    environment: { OUTBOUND_ALLOW: '127.0.0.0/8, ::1' },
    limits: { deliveries: { pollMilliseconds: 20, writeMilliseconds: 5 } },
  });
  account = await service.createReseller({ credit: '10000.00' });
  product = await startProductReceiver();
  panel = await signIn(service, account);
});
after(async () => {
  await product.close();
  await service.close();
  await webhooks.close();
});

const names = [
  'grace.hopper@example.com',
  'ghopper',
  'Grace "Amazing" Hopper',
  'crm-grace-77',
  'GRACE.HOPPER%40',
];

/** Every row of every table, as text. */
async function wholeDatabase(): Promise<string> {
  const rows: string[] = [];
  for (const group of service.database.accountGroups()) {
    const tables = await group.query({
      name: '',
      text: `select distinct tablename as name from pg_tables where schemaname = any(current_schemas(false))`,
    });
    for (const { name } of tables) {
      const found = await group.query({ name: '', text: `select t::text as text from ${name} t` });
      rows.push(...found.map(({ text }) => `${name}: ${text}`));
    }
  }
  return rows.join('\n');
}

function namedIn(text: string): string[] {
  const lines = text.toLowerCase().split('\n');
  return names.flatMap((name) => lines.filter((line) => line.includes(name.toLowerCase())));
}

async function runJob(): Promise<void> {
  const seal = service.service.seal;
  const now = () => service.clock.seconds;
  const left = await eraseTexts({ database: service.database, seal, now }, new AbortController().signal);
  assert.equal(left, 0);
}

/** Setting the product makes the job that calls it due. */
async function connect(): Promise<void> {
  const { url, secret } = product;
  const settings = { mode: 'notify', url, secret };
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', settings), 200);
  await beginProductCalls(service);
}

async function order(customer: string, key: string, more: object = {}) {
  const body = { package_id: service.packages.basic, customer, idempotency_key: key, ...more };
  return account.post('/orders', body);
}

describe('a customer with a long history', () => {
  let id: number;
  let path: string;
  let firstOrder: { readonly id: number };
  let ledger: string;

  before(async () => {
    await connect();
    product.answer((call) => ({ status: 200, body: `stored ${call.data.customer.reference}` }));
    await account.get('/events');
    expectStatus(await panel.put('/request-bodies', { bodies_kept: true }), 200);
    const shop = webhooks.at('/shop');
    shop.answer = ({ event }, response) => {
      response.end(`stored ${JSON.stringify(event.data.customer ?? event.data.order?.customer)}`);
      return null;
    };
    expectStatus(await account.post('/webhooks', { url: shop.url }), 201);
  });

  test('is named in tables, events, logs, calls and the audit log', async () => {
    const placed = await order('ghopper', 'g-1', { customer_name: 'Grace "Amazing" Hopper' });
    firstOrder = expectStatus(placed, 201).order;
    id = placed.body.order.customer.id;
    path = `/customers/${id}`;
    const edit = { reference: 'Grace.Hopper@example.com', external_ref: 'crm-grace-77' };
    expectStatus(await account.patch(path, edit), 200);
    await account.get('/customers?reference=grace.hopper@example.com');
    expectStatus(await account.post(`${path}/suspend`, { reason: 'asked grace.hopper@example.com' }), 200);
    expectStatus(await account.post(`${path}/resume`, {}), 200);
    expectStatus(await order('grace.hopper@example.com', 'g-2'), 201);
    await service.admin.get('/api/product/v1/entitlements/ghopper');
    // Other customers whose references contain this one keep them.
    for (const [index, other] of ['ghopper2', 'x-ghopper', 'not.grace.hopper@example.com'].entries())
      expectStatus(await order(other, `other-${index}`), 201);
    await connect();
    await product.waitFor(8);
    await endProductCalls(service);
    await panel.get('/requests');
    await service.service.jobs.hasten('deliveries');
    await service.service.jobs.look();
    await untilLogged('grace.hopper@example.com');
    const found = namedIn(await wholeDatabase());
    for (const table of ['customers', 'customer_references', 'former_references', 'events', 'audit_log'])
      assert.ok(
        found.some((line) => line.startsWith(`${table}:`)),
        table,
      );
    for (const table of [
      'product_calls',
      'api_request_bodies',
      'api_requests',
      'plan_changes',
      'webhook_attempts',
    ])
      assert.ok(
        found.some((line) => line.startsWith(`${table}:`)),
        table,
      );
  });

  test('is not erased while the plan runs or renews itself again', async () => {
    const refused = await account.post(`${path}/erase`, {});
    expectRefusal(refused, '422 order_failed', { reason: 'plan_running' });
    expectStatus(await account.send('PUT', `${path}/auto-renew`, { months: 1 }), 200);
    expectStatus(await account.post(`${path}/cancel`, { at: 'now' }), 200);
    expectRefusal(await (await service.createReseller()).post(`${path}/erase`, {}), '404 customer_not_found');
  });

  test('is erased from every table once the job has run twice', async () => {
    ledger = JSON.stringify((await account.get('/ledger')).body.data.map(withoutCustomer));
    const { customer } = expectStatus(await account.post(`${path}/erase`, {}), 200);
    assert.deepEqual(
      [customer.reference, customer.name, customer.email, customer.external_ref, customer.id],
      [`erased-${id}`, `erased-${id}`, '', undefined, id],
    );
    assert.equal(customer.plan.auto_renew, null);
    await runJob();
    await connect();
    const [call] = await product.waitFor(1, ({ type }) => type === 'customer.erased');
    await endProductCalls(service);
    assert.deepEqual(call?.data.customer, {
      id,
      reference: `erased-${id}`,
      former_references: ['grace.hopper@example.com', 'ghopper'],
      name: `erased-${id}`,
    });
    await panel.get('/requests');
    service.clock.seconds += hour;
    await runJob();
    const left = namedIn(await wholeDatabase()).filter(
      (line) => !/ghopper2|x-ghopper|not\.grace\.hopper@example\.com/.test(line),
    );
    assert.deepEqual(left, []);
    const [erasure] = await sqlOf(service, account, 'select sealed_words, next_pass_at from erasures');
    assert.deepEqual(erasure, { sealed_words: null, next_pass_at: null });
    const others = await wholeDatabase();
    for (const other of ['ghopper2', 'x-ghopper', 'not.grace.hopper@example.com'])
      assert.match(others, new RegExp(`customers: .*${other}`), other);
  });

  test('the ledger is as before, and repeated requests are answered as before', async () => {
    assert.equal(JSON.stringify((await account.get('/ledger')).body.data.map(withoutCustomer)), ledger);
    const again = await order('ghopper', 'g-1', { customer_name: 'Grace "Amazing" Hopper' });
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
    assert.deepEqual(
      [again.body.order.id, again.body.order.customer.reference],
      [firstOrder.id, `erased-${id}`],
    );
    const { body } = await account.get(path);
    assert.deepEqual((await account.post(`${path}/erase`, {})).body, body, 'erasing again changes nothing');
    const { data } = (await account.get(`${path}/history`)).body;
    assert.ok(data.every(({ reason = null }: { reason?: string | null }) => reason === null));
    const events = (await account.get('/events?limit=100')).body.data;
    assert.equal(events.at(-1)?.type, 'customer.erased');
  });

  test('nothing is ordered or changed for them any more, and the reference is free', async () => {
    expectRefusal(await account.post(`/orders/${firstOrder.id}/renew`, {}), '409 customer_erased', {});
    expectRefusal(await account.patch(path, { name: 'Grace' }), '409 customer_erased', {});
    expectRefusal(await order(`erased-${id}`, 'e-1'), '409 customer_erased', {});
    const back = expectStatus(await order('ghopper', 'g-3'), 201).order;
    assert.notEqual(back.customer.id, id);
  });
});

test('ids of orders are no ids of customers, and a customer called "package" is a word elsewhere', async () => {
  const other = await service.createReseller({ credit: '1000.00' });
  const place = async (customer: string, customer_name?: string) => {
    const body = { package_id: service.packages.basic, customer, ...(customer_name && { customer_name }) };
    return expectStatus(await other.post('/orders', body), 201).order;
  };
  await other.get('/events');
  await service.admin.get(`/api/admin/v1/accounts/${other.id}`);
  const erased = await place('package', 'ok');
  await place('package');
  const kept = await place('kept@example.com', 'package');
  const renewed = await place('kept@example.com');
  // The customer to erase is given the number of an order of another customer.
  const third = await place('third');
  assert.equal(third.customer.id, kept.id);
  for (const { customer } of [erased, third]) {
    expectStatus(await other.post(`/customers/${customer.id}/cancel`, { at: 'now' }), 200);
    expectStatus(await other.post(`/customers/${customer.id}/erase`, {}), 200);
  }
  const logged = await service.database.query({
    name: '',
    text: `select number, subject, before::text, after::text from audit_log
      where subject not like 'customer %' order by number`,
  });
  await runJob();
  const { data } = (await other.get('/events?limit=100')).body;
  const ofKept = data.filter(
    (event: { data: { order?: { id: number } } }) =>
      event.data.order?.id === kept.id || event.data.order?.id === renewed.id,
  );
  assert.equal(ofKept.length, 2);
  for (const event of ofKept) assert.equal(event.data.order.customer.email, 'kept@example.com');
  const created = data.filter(({ type }: { type: string }) => type === 'customer.created');
  assert.deepEqual(
    created.map((event: { data: { customer: { reference: string; name: string } } }) => [
      event.data.customer.reference,
      event.data.customer.name,
    ]),
    [
      [`erased-${erased.customer.id}`, `erased-${erased.customer.id}`],
      ['kept@example.com', 'package'],
      [`erased-${third.customer.id}`, `erased-${third.customer.id}`],
    ],
  );
  const still = await service.database.query({
    name: '',
    text: `select number, subject, before::text, after::text from audit_log
      where subject not like 'customer %' order by number`,
  });
  assert.deepEqual(still, logged, 'entries about packages and accounts are untouched');
});

test('the operator erases customers of any account, and a test customer is erased with the test’s clock', async () => {
  const placed = expectStatus(await order('by-operator', 'o-1'), 201).order;
  const { id } = placed.customer;
  expectStatus(await account.post(`/customers/${id}/cancel`, { at: 'now' }), 200);
  const erased = await service.admin.post(`/api/admin/v1/customers/${id}/erase`, {});
  assert.equal(expectStatus(erased, 200).customer.reference, `erased-${id}`);
  const missing = await service.admin.post('/api/admin/v1/customers/4000000000001/erase', {});
  expectRefusal(missing, '404 customer_not_found', {});
  const tests = await testModeOf(service, account);
  const body = { package_id: service.packages.basic, customer: 'tested' };
  const ofTest = expectStatus(await tests.post('/orders', body), 201).order;
  const path = `/customers/${ofTest.customer.id}`;
  expectRefusal(await tests.post(`${path}/erase`, {}), '422 order_failed', { reason: 'plan_running' });
  expectStatus(await tests.post('/test/clock', { advance: 'P40D' }), 200);
  expectStatus(await tests.post(`${path}/erase`, {}), 200);
  expectStatus(await tests.post('/orders', body), 201);
});

test('after a restore, those on the list are erased again, but not a customer who has their number now', async () => {
  const again = await service.createReseller({ credit: '1000.00' });
  const numbers: number[] = [];
  for (const customer of ['restored', 'new-holder', 'erased-before']) {
    const body = { package_id: service.packages.basic, customer };
    const { id } = expectStatus(await again.post('/orders', body), 201).order.customer;
    expectStatus(await again.post(`/customers/${id}/cancel`, { at: 'now' }), 200);
    numbers.push(id % 1_000_000_000);
  }
  const listed = async (offset: number, [index = 0]: number[]) => {
    const number = numbers[index] ?? assert.fail('a customer');
    const one = { accountId: again.id, number, createdAt: service.clock.seconds + offset };
    return listErasuresAgain(service.database, [one], service.clock.seconds);
  };
  assert.equal(await listed(0, [0]), 1);
  assert.equal(await listed(0, [0]), 0, 'it is on the list');
  assert.equal(await listed(-60, [1]), 0, 'created at another time');
  assert.equal(await listed(0, [2]), 1);
  // The customer who was on the list is another one by now.
  await sqlOf(
    service,
    again,
    `update erasures set customer_created_at = customer_created_at - interval '1 minute'
      where account_id = ${again.id} and customer_number = ${numbers[2]} returning 1`,
  );
  const { seal, engine, packages } = service.service;
  await repeatErasures({
    database: service.database,
    engine,
    seal,
    packages,
    now: () => service.clock.seconds,
  });
  const { data } = (await again.get('/customers')).body;
  assert.deepEqual(data.map((customer: { reference: string }) => customer.reference).sort(), [
    `erased-${again.id * 1_000_000_000 + (numbers[0] ?? 0)}`,
    'erased-before',
    'new-holder',
  ]);
  const left = await sqlOf(
    service,
    again,
    `select customer_number from erasures where account_id = ${again.id}`,
  );
  assert.deepEqual(
    left.map((row) => row['customer_number']),
    [numbers[0]],
  );
});

/** The log of deliveries is written behind them. */
async function untilLogged(text: string): Promise<void> {
  const end = performance.now() + 60_000;
  for (;;) {
    const rows = await sqlOf(
      service,
      account,
      `select answer from webhook_attempts where answer like '%${text}%'`,
    );
    if (rows.length > 0) return;
    assert.ok(performance.now() < end, 'no answer was logged');
    await pause(20);
  }
}

function withoutCustomer({ customer: _customer, ...entry }: Record<string, unknown>): object {
  return entry;
}

describe('the name that a customer gets when erased', () => {
  const wanted = (customer: string, more: object = {}) => ({
    package_id: service.packages.basic,
    customer,
    ...more,
  });

  test('is refused to a new customer of any account, wherever one can be made', async () => {
    const other = await service.createReseller({ credit: '1000.00' });
    const placed = expectStatus(await order('to-be-erased', 'r-1'), 201).order;
    const { id } = placed.customer;
    const name = `erased-${id}`;
    const reserved = '422 invalid_customer';
    const details = { field: 'customer', reason: 'is reserved for erased customers' };
    expectRefusal(await other.post('/orders', wanted(name)), reserved, details);
    expectRefusal(await account.post('/orders', wanted(name.toUpperCase())), reserved, details);
    expectRefusal(await other.post('/orders/preview', wanted(name)), reserved, details);
    const items = [wanted(name, { idempotency_key: 'b-1' }), wanted('fine', { idempotency_key: 'b-2' })];
    const bulk = expectStatus(await other.post('/orders/bulk', { orders: items }), 200);
    assert.deepEqual(
      bulk.results.map((one: { status: number; error?: { code: string; details: object } }) => [
        one.status,
        one.error?.code,
        one.error?.details,
      ]),
      [
        [422, 'invalid_customer', details],
        [201, undefined, undefined],
      ],
    );
    const trial = { package_id: service.packages.trial, customer: name };
    const granted = await service.admin.post(`/api/admin/v1/accounts/${other.id}/trials`, trial);
    expectRefusal(granted, reserved, details);
    const tests = await testModeOf(service, other);
    expectRefusal(await tests.post('/orders', wanted(name)), reserved, details);
    expectRefusal(await tests.post('/orders/preview', wanted(name)), reserved, details);

    expectStatus(await account.post(`/customers/${id}/cancel`, { at: 'now' }), 200);
    assert.equal(
      expectStatus(await account.post(`/customers/${id}/erase`, {}), 200).customer.reference,
      name,
    );
    expectRefusal(await other.post('/orders', wanted(name)), '409 customer_not_yours', {});
  });

  test('is an exact form: what is similar can be ordered for', async () => {
    const { id } = account;
    const similar = ['erased', 'erased-', 'erased-7', `erased-${id}000000000`, `erased-0${id}000000077`];
    for (const customer of [...similar, `erased-${id}000000077x`, `erased-${id}000000077@example.com`])
      assert.equal(
        expectStatus(await account.post('/orders', wanted(customer)), 201).order.customer.reference,
        customer,
      );
  });

  test('stays with a customer who had it before, and a repeated order is answered', async () => {
    // A test customer, because the audit compares the references of others with the audit log.
    const tests = await testModeOf(service, await service.createReseller());
    const first = wanted('squatter', { idempotency_key: 's-1' });
    const { id } = expectStatus(await tests.post('/orders', first), 201).order.customer;
    const accountId = Math.floor(id / 1_000_000_000);
    const name = `erased-${account.id}000000999`;
    const place = [name, accountId, id % 1_000_000_000];
    await sqlOf(
      service,
      { id: accountId },
      'update customers set reference = $1::text where account_id = $2::int and number = $3::int',
      place,
    );
    await service.database.query(
      {
        name: '',
        text: `update test_customer_references set reference = $1::text
          where account_id = $2::int and customer_number = $3::int`,
      },
      place,
    );
    const renewed = expectStatus(await tests.post('/orders', wanted(name)), 201).order;
    assert.deepEqual([renewed.customer.id, renewed.kind], [id, 'renew']);
    assert.equal(expectStatus(await tests.post('/orders', first), 201).order.customer.reference, name);
  });
});
