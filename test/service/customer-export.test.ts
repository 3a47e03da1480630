// GET /customers/{id}/export: everything about one customer and nothing about others, also after an erasure.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { testModeOf } from '../harness/test-mode.ts';

let service: TestService;
let account: TestAccount;
before(async () => {
  service = await startTestService();
  account = await service.createReseller({ credit: '100000.00' });
  await account.get('/events');
});
after(() => service.close());

async function order(customer: string, key: string, more: object = {}, by = account) {
  const body = { package_id: service.packages.basic, customer, idempotency_key: key, ...more };
  return expectStatus(await by.post('/orders', body), 201).order;
}

interface Row {
  readonly id: number;
  readonly order_id?: number | null;
  readonly type?: string;
  readonly kind?: string;
}

test('has the customer, orders, history, ledger entries and events, and nothing of another customer', async () => {
  const first = await order('ada@example.com', 'a-1', { customer_name: 'Ada' });
  await order('bob@example.com', 'b-1');
  const { id } = first.customer;
  const path = `/customers/${id}`;
  expectStatus(await account.patch(path, { reference: 'ada2@example.com', external_ref: 'crm-1' }), 200);
  const second = await order('ada2@example.com', 'a-2', { months: 3 });
  expectStatus(await account.post(`${path}/suspend`, { reason: 'asked for it' }), 200);
  expectStatus(await account.post(`${path}/resume`, {}), 200);
  expectStatus(await account.post(`${path}/cancel`, { at: 'now' }), 200);
  const answer = await account.get(`${path}/export`);
  const exported = expectStatus(answer, 200);
  assert.equal(answer.headers.get('content-disposition'), `attachment; filename="customer-${id}.json"`);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.deepEqual(Object.keys(exported), [
    ...['exported_at', 'account', 'customer', 'former_references', 'orders', 'history', 'ledger', 'events'],
    ...['login_links', 'sessions'],
  ]);
  assert.equal(exported.account.id, account.id);
  assert.deepEqual(exported.customer, (await account.get(path)).body.customer);
  assert.deepEqual(exported.former_references, ['ada@example.com']);
  assert.deepEqual(
    exported.orders.map((one: Row) => one.id),
    [second.id, first.id],
  );
  assert.deepEqual(exported.history, (await account.get(`${path}/history?limit=100`)).body.data);
  // The refund of the cancel belongs to no order.
  const { data: ledger } = (await account.get('/ledger?limit=100')).body;
  const own = ledger.filter(
    (one: Row) => one.order_id === first.id || one.order_id === second.id || one.kind === 'refund',
  );
  assert.equal(own.length, 3);
  assert.deepEqual(exported.ledger, own);
  const { data: events } = (await account.get('/events?limit=100')).body;
  const about = events.filter(
    ({ data }: { data: { customer?: Row; order?: { customer: Row } } }) =>
      data.customer?.id === id || data.order?.customer.id === id,
  );
  assert.ok(about.length >= 8 && about.length < events.length);
  assert.deepEqual(exported.events, about.toReversed());
  assert.doesNotMatch(answer.text, /bob@example\.com/);
  assert.match(answer.text, /asked for it/);
});

test('lists of many pages are whole, and an event that only has the number is not about the customer', async () => {
  const { customer } = await order('many@example.com', 'm-0');
  for (let place = 1; place < 420; place += 70) {
    const keys = Array.from({ length: 70 }, (_, index) => `m-${place + index}`);
    const orders = keys.map((idempotency_key) => ({
      package_id: service.packages.basic,
      customer: 'many@example.com',
      idempotency_key,
    }));
    // The term of a plan has an end, so it is cancelled in between.
    expectStatus(await account.post('/orders/bulk', { orders }), 200);
    expectStatus(await account.post(`/customers/${customer.id}/cancel`, { at: 'now' }), 200);
  }
  const exported = expectStatus(await account.get(`/customers/${customer.id}/export`), 200);
  const { total } = (await account.get('/orders?limit=1')).body;
  assert.equal(exported.orders.length, 421);
  assert.ok(total > 421);
  assert.equal(new Set(exported.orders.map((one: Row) => one.id)).size, 421);
  assert.equal(exported.ledger.filter(({ kind }: Row) => kind === 'charge').length, 421);
  assert.equal(exported.ledger.filter(({ kind }: Row) => kind === 'refund').length, 6);
  assert.equal(new Set(exported.ledger.map((one: Row) => one.id)).size, exported.ledger.length);
  // The order of another customer has the number of this customer.
  const events: { data: { order?: Row } }[] = exported.events;
  assert.ok(events.length > 842);
  const ids = new Set(exported.orders.map((one: Row) => one.id));
  for (const { data } of events) if (data.order !== undefined) assert.ok(ids.has(data.order.id));
});

test('login links and sign-ins are in it without their tokens', async () => {
  const placed = await account.post('/orders', {
    ...{ package_id: service.packages.basic, customer: 'links@example.com', return_login: true },
  });
  const { order: made, login_url: url } = expectStatus(placed, 201);
  const opened = await fetch(`${service.address}${new URL(url).pathname}`, {
    method: 'POST',
    redirect: 'manual',
  });
  assert.equal(opened.status, 303);
  const cookie = /=([\w-]{20,})/.exec(opened.headers.get('set-cookie') ?? '')?.[1] ?? '';
  assert.notEqual(cookie, '');
  const answer = await account.get(`/customers/${made.customer.id}/export`);
  const { login_links: links, sessions } = expectStatus(answer, 200);
  assert.deepEqual(
    links.map(({ state, made_by: by }: { state: string; made_by: string }) => [state, by]),
    [['used', 'order']],
  );
  assert.equal(sessions.length, 1);
  const token = url.split('/').at(-1);
  for (const secret of [token, cookie]) assert.ok(!answer.text.includes(secret));
  assert.doesNotMatch(answer.text, /token|hash/);
});

test('an erased customer answers with what is left', async () => {
  const { customer } = await order('grace@example.com', 'g-1', { customer_name: 'Grace' });
  const path = `/customers/${customer.id}`;
  expectStatus(await account.post(`${path}/cancel`, { at: 'now' }), 200);
  expectStatus(await account.post(`${path}/erase`, {}), 200);
  const exported = expectStatus(await account.get(`${path}/export`), 200);
  assert.deepEqual(
    [exported.customer.reference, exported.customer.name, exported.former_references],
    [`erased-${customer.id}`, `erased-${customer.id}`, []],
  );
  assert.deepEqual([exported.orders.length, exported.ledger.length], [1, 2]);
});

test('the operator gets calls to the product and the audit log as well', async () => {
  const { customer } = await order('op@example.com', 'o-1');
  const own = `/customers/${customer.id}`;
  expectStatus(await account.patch(own, { name: 'Opal' }), 200);
  const number = customer.id % 1_000_000_000;
  await sqlOf(
    service,
    account,
    `insert into product_calls (call_id, account_id, customer_number, type, created_at, status, next_attempt_at)
      select 'call_export_' || n, ${account.id}, ${number}, 'plan.renew', now(), 'done', now() from generate_series(1, 401) n`,
  );
  const path = `/api/admin/v1${own}/export`;
  const exported = expectStatus(await service.admin.get(path), 200);
  assert.equal(exported.product_calls.length, 401);
  assert.equal(new Set(exported.product_calls.map((one: Row) => one.id)).size, 401);
  assert.deepEqual(
    exported.audit_log.map(({ action }: { action: string }) => action),
    ['customer.update'],
  );
  const ofAccount = expectStatus(await account.get(`${own}/export`), 200);
  const { product_calls: _calls, audit_log: _log, ...shared } = exported;
  assert.deepEqual(ofAccount, shared);
  expectRefusal(
    await service.admin.get('/api/admin/v1/customers/4000000000001/export'),
    '404 customer_not_found',
  );
});

test('test customers are exported with a test key, and others are not found', async () => {
  const other = await service.createReseller();
  const tests = await testModeOf(service, other);
  const body = { package_id: service.packages.basic, customer: 'tested@example.com' };
  const { customer } = expectStatus(await tests.post('/orders', body), 201).order;
  const exported = expectStatus(await tests.get(`/customers/${customer.id}/export`), 200);
  assert.deepEqual([exported.orders.length, exported.ledger.length], [1, 1]);
  expectRefusal(await account.get(`/customers/${customer.id}/export`), '404 customer_not_found', {});
  expectRefusal(await tests.get('/customers/1/export'), '404 customer_not_found', {});
});
