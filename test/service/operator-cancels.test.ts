// The operator's actions for a customer of any account, by the rules of the account's own requests.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { signIn } from '../harness/panel-client.ts';
import { placeOrder } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const day = 86_400;
const cancelPath = (id: number) => `/api/admin/v1/customers/${id}/cancel`;
const changePath = (id: number) => `/api/admin/v1/customers/${id}/change-package`;

test('the operator cancels a plan once: the account gets the refund, the event and the history name the operator', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const { order } = await placeOrder(service, account, { customer: 'ada', months: 1 });
  const { body: feed } = await account.get('/events');
  service.clock.seconds += 15 * day;
  const testAccount = await service.createReseller({ credit: '100.00' });
  service.clock.seconds -= 15 * day;
  const other = await placeOrder(service, testAccount, { customer: 'ada-of-twin', months: 1 });
  service.clock.seconds += 15 * day;
  const key = { 'idempotency-key': 'ticket-1' };

  const panel = await signIn(service, service.admin);
  const previewed = await panel.get(`/admin/customers/${order.customer.id}/cancel`);
  const done = await service.admin.post(cancelPath(order.customer.id), { at: 'now' }, key);
  assert.equal(done.status, 200, done.text);
  const own = await testAccount.post(`/customers/${other.order.customer.id}/cancel`, { at: 'now' });
  assert.deepEqual(
    [done.body.refund, done.body.balance],
    [own.body.refund, own.body.balance],
    'as the account’s own cancel of the same plan',
  );
  assert.equal(done.body.customer.plan.status, 'cancelled');
  assert.deepEqual(
    [previewed.body.refund, previewed.body.balance_after],
    [done.body.refund, done.body.balance],
    'as it was previewed',
  );
  assert.equal((await account.get('/balance')).body.balance, done.body.balance);

  const again = await service.admin.post(cancelPath(order.customer.id), { at: 'now' }, key);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(again.body, done.body);
  const otherwise = await service.admin.post(cancelPath(order.customer.id), { at: 'period_end' }, key);
  assert.deepEqual([otherwise.status, otherwise.body.error.code], [409, 'idempotency_conflict']);
  const twice = await service.admin.post(cancelPath(order.customer.id), { at: 'now' });
  assert.deepEqual(
    [twice.status, twice.body.error.code, twice.body.error.details],
    [422, 'order_failed', { reason: 'plan_not_running' }],
  );

  const after = feed.data.at(-1)?.id;
  const events = await account.get(after === undefined ? '/events' : `/events?after=${after}`);
  const cancelled = events.body.data.filter(({ type }: { type: string }) => type === 'plan.cancelled');
  assert.equal(cancelled.length, 1);
  assert.deepEqual([cancelled[0].data.by, cancelled[0].data.refund], ['operator', done.body.refund]);
  const history = await account.get(`/customers/${order.customer.id}/history`);
  assert.deepEqual([history.body.data[0].type, history.body.data[0].by], ['cancelled', 'operator']);
  const ownHistory = await testAccount.get(`/customers/${other.order.customer.id}/history`);
  assert.equal(ownHistory.body.data[0].by, 'account');
  const log = await service.admin.get('/api/admin/v1/audit?limit=2');
  const [byAccount, byOperator] = log.body.data;
  assert.deepEqual(
    [byOperator.action, byOperator.subject],
    ['customer.cancel', `customer ${order.customer.id}`],
  );
  assert.notEqual(byOperator.actor, byAccount.actor, 'the operator is the author of theirs');
  const verified = await service.admin.get('/api/admin/v1/verify');
  assert.equal(verified.body.ok, true, verified.text);
});

test('a cancel by the operator is refused for what is missing, and a login link is made, audited without its token', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const { order } = await placeOrder(service, account, { customer: 'grace' });
  const { id } = order.customer;
  for (const [path, body, status, code] of [
    [cancelPath(id + 1), { at: 'now' }, 404, 'customer_not_found'],
    ['/api/admin/v1/customers/x/cancel', { at: 'now' }, 404, 'customer_not_found'],
    [cancelPath(id), {}, 422, 'validation_failed'],
    [cancelPath(id), { at: 'now', idempotency_key: 'a b' }, 422, 'invalid_idempotency_key'],
    ['/api/admin/v1/customers/x/login-link', undefined, 404, 'customer_not_found'],
  ] as const) {
    const answer = await service.admin.post(path, body);
    assert.deepEqual([answer.status, answer.body.error.code], [status, code], path);
  }
  const outsider = await account.send('POST', cancelPath(id), { at: 'now' });
  assert.equal(outsider.status, 403, 'a reseller’s key is no operator’s');

  const made = await service.admin.post(`/api/admin/v1/customers/${id}/login-link`);
  assert.equal(made.status, 201, made.text);
  const url = new URL(made.body.login_url);
  const opened = await fetch(`${service.address}${url.pathname}`, { method: 'POST', redirect: 'manual' });
  assert.equal(opened.status, 303);
  const used = await fetch(`${service.address}${url.pathname}`, { method: 'POST', redirect: 'manual' });
  assert.equal(used.status, 410, 'it works once');
  const log = await service.admin.get('/api/admin/v1/audit?limit=1');
  assert.equal(log.body.data[0].action, 'customer.login_link');
  assert.ok(!log.text.includes(url.pathname.split('/').at(-1) ?? '-'));
});

test('the operator changes a package once, at the account’s price: order, event, history and log name the operator', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const { order } = await placeOrder(service, account, { customer: 'alan', months: 1 });
  const { id } = order.customer;
  const { body: feed } = await account.get('/events');
  const { plus } = service.packages;
  service.clock.seconds += 15 * day;
  const wanted = { package_id: plus, months: 3 };
  const own = await account.post('/orders/preview', { ...wanted, customer: 'alan' });
  const panel = await signIn(service, service.admin);
  const preview = await panel.post(`/admin/customers/${id}/change-package/preview`, wanted);
  assert.deepEqual(preview.body, own.body, 'previewed as the account’s own order');
  const before = await account.get('/balance');
  const tooDear = { ...wanted, max_charge: '0.01' };
  const refused = await service.admin.post(changePath(id), tooDear);
  assert.equal(refused.body.error.code, 'price_changed', refused.text);

  const key = { 'idempotency-key': 'ticket-2' };
  const done = await service.admin.post(changePath(id), wanted, key);
  assert.equal(done.status, 200, done.text);
  const { charge, refund, price, balance_after, expires_at } = own.body.preview;
  assert.deepEqual(
    [done.body.order.kind, done.body.order.price, done.body.order.refund, done.body.order.expires_at],
    ['change', price, refund, expires_at],
  );
  assert.deepEqual(
    [done.body.balance, (await account.get('/balance')).body.balance],
    [balance_after, balance_after],
  );
  assert.notEqual(before.body.balance, balance_after, `charged ${charge}`);
  const again = await service.admin.post(changePath(id), wanted, key);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(again.body, done.body);
  const stolen = await account.post('/orders', { ...wanted, customer: 'alan', idempotency_key: 'ticket-2' });
  assert.deepEqual([stolen.status, stolen.body.error.code], [409, 'idempotency_conflict']);

  const events = await account.get(`/events${feed.data.length === 0 ? '' : `?after=${feed.data.at(-1).id}`}`);
  const changed = events.body.data.filter(({ type }: { type: string }) => type === 'plan.changed');
  assert.deepEqual(
    changed.map(({ data }: { data: { by: string; order_id: number } }) => [data.by, data.order_id]),
    [['operator', done.body.order.id]],
  );
  const history = await account.get(`/customers/${id}/history`);
  assert.deepEqual(
    history.body.data.map(({ type, by }: { type: string; by: string }) => [type, by]),
    [
      ['changed', 'operator'],
      ['activated', 'account'],
    ],
  );
  const log = await service.admin.get('/api/admin/v1/audit?limit=1');
  const [entry] = log.body.data;
  assert.deepEqual(
    [entry.action, entry.subject, entry.actor.username, entry.after.order_id],
    ['customer.change_package', `customer ${id}`, 'admin', done.body.order.id],
  );
  const verified = await service.admin.get('/api/admin/v1/verify');
  assert.equal(verified.body.ok, true, verified.text);
});

test('a change of package is refused for what is missing, for the present package and for a plan that is over', async () => {
  const account = await service.createReseller({ credit: '10.00' });
  const { order } = await placeOrder(service, account, { customer: 'barbara', months: 1 });
  const { id } = order.customer;
  const { plus, trial } = service.packages;
  const present = order.package.id;
  for (const [path, body, status, code, details] of [
    [changePath(id + 1), { package_id: plus }, 404, 'customer_not_found', {}],
    [changePath(id), {}, 422, 'invalid_package', { field: 'package_id', reason: 'missing' }],
    [
      changePath(id),
      { package_id: 99_999 },
      422,
      'invalid_package',
      { field: 'package_id', reason: 'unknown' },
    ],
    [
      changePath(id),
      { package_id: trial },
      422,
      'package_unavailable',
      { field: 'package_id', reason: 'free_trial' },
    ],
    [changePath(id), { package_id: present }, 422, 'order_failed', { reason: 'same_package' }],
  ] as const) {
    const answer = await service.admin.post(path, body);
    assert.deepEqual(
      [answer.status, answer.body.error.code, answer.body.error.details],
      [status, code, details],
      answer.text,
    );
  }
  const poor = await service.admin.post(changePath(id), { package_id: plus, months: 12 });
  assert.equal(poor.body.error.code, 'insufficient_credit');
  assert.equal((await account.send('POST', changePath(id), { package_id: plus })).status, 403);
  service.clock.seconds += 40 * day;
  const over = await service.admin.post(changePath(id), { package_id: plus });
  assert.deepEqual(over.body.error.details, { reason: 'plan_not_running' });
});
