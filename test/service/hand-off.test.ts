// Pending orders (docs/decisions/0037-hand-off.md), with money computed by hand. The tests submit the product's answers.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { findProduct, openProductSecret } from '../../src/features/fulfillment/product-settings.ts';
import type { OrderOutcome } from '../../src/features/order-engine/decisions/order-commands.ts';
import { parseOwnedId } from '../../src/shared/identifiers.ts';
import { formatTime } from '../../src/shared/times.ts';
import { booksOf } from '../harness/books.ts';
import { verify } from '../harness/falsified-books.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { holdAccount, queueReaches } from '../harness/held-account.ts';
import { prepareCalls } from '../harness/prepare-calls.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { runRenewals } from '../harness/run-renewals.ts';
import { changePackage, createPackage, placeOrder, secondsOf } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());
beforeEach(async () => {
  service.clock.seconds = secondsOf('2026-01-31T10:00:00Z');
  await setMode('confirm');
});

const product = { url: 'http://127.0.0.1:9/calls', secret: `whsec_${'A'.repeat(32)}` };

async function setMode(mode: 'none' | 'notify' | 'confirm'): Promise<void> {
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', { ...product, mode }), 200);
}

async function answered(orderId: number, failure: string | null = null): Promise<OrderOutcome> {
  const id = parseOwnedId(String(orderId));
  assert.ok(id);
  return service.service.engine.submit({
    type: 'settle_order',
    accountId: id.accountId,
    orderNumber: id.number,
    outcome: failure === null ? 'completed' : 'failed',
    reason: failure,
    by: null,
  });
}

interface Call {
  readonly call_id: string;
  readonly type: string;
  readonly status: string;
  readonly payload: Record<string, unknown>;
}

/** Calls for the account's customers, oldest first. The next call of each customer is prepared for sending. */
async function callsOf({ id }: Pick<TestAccount, 'id'>): Promise<Call[]> {
  await prepareCalls(service);
  const rows = await service.database.query({
    name: '',
    text: `select call_id, type, status, payload from product_calls where account_id = ${id} order by id`,
  });
  return rows as unknown as Call[];
}

const orderOf = async (reseller: TestAccount, id: number) =>
  expectStatus(await reseller.get(`/orders/${id}`), 200).order;
const customerOf = async (reseller: TestAccount, path: string) =>
  expectStatus(await reseller.get(path), 200).customer;
const ledgerOf = async (reseller: TestAccount) => (await booksOf(service, reseller)).entries;
const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed') === 'true';

test('an order is pending until the product has taken it: the money moves at once, the plan then', async () => {
  const reseller = await service.createReseller({ credit: '50.00' });
  const placed = await placeOrder(service, reseller, { idempotency_key: 'first' });
  assert.deepEqual([placed.order.status, placed.balance], ['pending', '40.00']);
  assert.equal(placed.order.expires_at, '2026-02-28T10:00:00Z');
  const path = `/customers/${placed.order.customer.id}`;
  assert.partialDeepStrictEqual((await customerOf(reseller, path)).plan, {
    status: 'expired',
    active: false,
    expires_at: '2026-01-31T10:00:00Z',
  });
  const [call] = await callsOf(reseller);
  assert.deepEqual([call?.type, call?.status], ['plan.activate', 'waiting']);
  assert.deepEqual(call?.payload, {
    customer: { id: placed.order.customer.id, reference: `c-${reseller.id}`, name: `c-${reseller.id}` },
    account: { id: reseller.id },
    order_id: placed.order.id,
    package: { id: service.packages.basic, name: 'Basic' },
    limits: { accounts: 1, posts_per_day: 2, ai_images_per_month: 3 },
    features: ['One', 'Two'],
    starts_at: '2026-01-31T10:00:00Z',
    expires_at: '2026-02-28T10:00:00Z',
    status: 'active',
  });

  // The answer takes 71 hours. The terms are those of the second in which the order was placed.
  service.clock.seconds += 71 * 3_600;
  const outcome = await answered(placed.order.id);
  assert.ok(outcome.type === 'settled' && !outcome.replayed);
  assert.partialDeepStrictEqual((await customerOf(reseller, path)).plan, {
    status: 'active',
    active: true,
    starts_at: '2026-01-31T10:00:00Z',
    expires_at: '2026-02-28T10:00:00Z',
  });
  assert.deepEqual(await ledgerOf(reseller), ['charge -10.00 40.00', 'credit 50.00 50.00']);
  assert.equal((await orderOf(reseller, placed.order.id)).status, 'completed');
  assert.deepEqual(
    (await callsOf(reseller)).map(({ status }) => status),
    ['done'],
  );
});

test('a replay shows the present state of the order, and is otherwise the same', async () => {
  const reseller = await service.createReseller({ credit: '50.00' });
  const place = () => placeOrder(service, reseller, { idempotency_key: 'again' });
  const first = await place();
  assert.deepEqual(await place(), first);
  await answered(first.order.id, 'No');
  const failure = { reason: 'No', at: formatTime(service.clock.seconds), refunded: '10.00' };
  assert.deepEqual(await place(), { ...first, order: { ...first.order, status: 'failed', failure } });
});

test('an order that failed is paid back by entries of its own, and the plan is as it was', async () => {
  const reseller = await service.createReseller({ credit: '50.00' });
  const placed = await placeOrder(service, reseller, {});
  await answered(placed.order.id);
  const path = `/customers/${placed.order.customer.id}`;
  const before = await customerOf(reseller, path);
  // Half is unused, so 5.00 come back and Plus is charged. Both are undone.
  service.clock.seconds = secondsOf('2026-02-14T10:00:00Z');
  const changed = await placeOrder(service, reseller, { package_id: service.packages.plus });
  assert.deepEqual([changed.order.kind, changed.order.refund, changed.balance], ['change', '5.00', '20.00']);
  const emitted = await answered(changed.order.id, 'No such address');
  assert.ok(emitted.type === 'settled');
  assert.deepEqual(await ledgerOf(reseller), [
    'charge -5.00 40.00',
    'refund 25.00 45.00',
    'charge -25.00 20.00',
    'refund 5.00 45.00',
    'charge -10.00 40.00',
    'credit 50.00 50.00',
  ]);
  const after = await customerOf(reseller, path);
  assert.deepEqual({ ...after.plan, days_left: 0 }, { ...before.plan, days_left: 0 });
  // Unused time keeps its value: the refused order took nothing and refunded nothing twice.
  const again = await placeOrder(service, reseller, { package_id: service.packages.plus });
  assert.deepEqual([again.order.refund, again.balance], ['5.00', '20.00']);
  await answered(again.order.id);
  assert.equal((await customerOf(reseller, path)).plan.package, 'Plus');
});

describe('an order that gives back more than it costs', () => {
  /** A year of Plus for 250.00, changed on the same day to a month of Basic for 10.00. */
  async function change() {
    const reseller = await service.createReseller({ credit: '250.00' });
    const year = await placeOrder(service, reseller, { package_id: service.packages.plus, months: 12 });
    await answered(year.order.id);
    const { order, balance } = await placeOrder(service, reseller, {});
    assert.deepEqual([order.price, order.refund, balance], ['10.00', '250.00', '0.00']);
    return { reseller, order, path: `/customers/${order.customer.id}` };
  }

  test('gives no more than its price while it is pending, and the rest when it is completed', async () => {
    const { reseller, order, path } = await change();
    expectRefusal(
      await reseller.post('/orders', { package_id: service.packages.basic, customer: `o-${reseller.id}` }),
      '402 insufficient_credit',
      { balance: '0.00', required: '10.00', currency: 'USD' },
    );
    await answered(order.id);
    assert.deepEqual((await ledgerOf(reseller)).slice(0, 3), [
      'refund 240.00 240.00',
      'charge -10.00 0.00',
      'refund 10.00 10.00',
    ]);
    assert.equal((await customerOf(reseller, path)).plan.package, 'Basic');
  });

  test('takes nothing but what it gave when it fails', async () => {
    const { reseller, order, path } = await change();
    await answered(order.id, 'No');
    assert.deepEqual((await ledgerOf(reseller)).slice(0, 4), [
      'charge -10.00 0.00',
      'refund 10.00 10.00',
      'charge -10.00 0.00',
      'refund 10.00 10.00',
    ]);
    const { plan } = await customerOf(reseller, path);
    assert.deepEqual([plan.package, plan.expires_at], ['Plus', '2027-01-31T10:00:00Z']);
  });
});

test('an order for nothing fails without an entry', async () => {
  const free = await createPackage(service, 'Free', ['0.00', '0.00', '0.00']);
  const reseller = await service.createReseller({ credit: '1.00' });
  const { order } = await placeOrder(service, reseller, { package_id: free });
  await answered(order.id, 'No');
  assert.deepEqual(await ledgerOf(reseller), ['charge 0.00 1.00', 'credit 1.00 1.00']);
});

test('an order is settled once: the same again is a replay, the contrary is refused', async () => {
  const reseller = await service.createReseller({ credit: '50.00' });
  const path = (id: number, what: string) => `/api/admin/v1/orders/${id}/${what}`;
  const fail = (id: number) => service.admin.post(path(id, 'fail'), { reason: 'No' });
  const accept = (id: number) => service.admin.post(path(id, 'accept'));
  const { order } = await placeOrder(service, reseller, {});
  const settled = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? fail : accept)(order.id)));
  const first = settled.find((answer) => answer.status === 200 && !isReplay(answer));
  assert.ok(first);
  const { status } = first.body.order;
  for (const answer of settled.filter((one) => one !== first)) {
    if (answer.status === 200) assert.deepEqual([isReplay(answer), answer.body.order.status], [true, status]);
    else expectRefusal(answer, '409 order_already_settled', { status });
  }
  const books = await booksOf(service, reseller);
  assert.equal(books.balance, status === 'failed' ? '50.00' : '40.00');

  await setMode('none');
  const plain = await placeOrder(service, reseller, { customer: `plain-${reseller.id}` });
  assert.equal(plain.order.status, 'completed');
  assert.ok(isReplay(await accept(plain.order.id)));
  expectRefusal(await fail(plain.order.id), '409 order_already_settled', { status: 'completed' });
  expectRefusal(await fail(9_000_000_001), '404 order_not_found');
  expectRefusal(await accept(1), '404 order_not_found');
  expectRefusal(
    await service.admin.post(path(plain.order.id, 'fail'), { reason: '' }),
    '422 validation_failed',
  );
});

test('while an order is pending nothing else changes the plan, but holds are set and lifted', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const { order } = await placeOrder(service, reseller, {});
  await answered(order.id);
  const customer = `c-${reseller.id}`;
  const path = `/customers/${order.customer.id}`;
  const renewal = expectStatus(await reseller.post(`/orders/${order.id}/renew`), 201);
  assert.equal(renewal.order.status, 'pending');
  const { basic, plus, trial } = service.packages;
  const books = await booksOf(service, reseller);
  for (const refused of [
    () => reseller.post('/orders', { package_id: basic, customer }),
    () => reseller.post('/orders', { package_id: plus, customer }),
    () => reseller.post(`/orders/${order.id}/renew`),
    () => reseller.post('/orders/preview', { package_id: basic, customer }),
    () => reseller.post(`${path}/cancel`, { at: 'now' }),
    () => reseller.post(`${path}/cancel`, { at: 'period_end' }),
    () => reseller.send('PUT', `${path}/auto-renew`, { months: 1 }),
    () => reseller.send('DELETE', `${path}/auto-renew`),
    () => service.admin.post(`/api/admin/v1/accounts/${reseller.id}/trials`, { package_id: trial, customer }),
  ]) {
    expectRefusal(await refused(), '422 order_failed', { reason: 'order_pending' });
  }
  assert.deepEqual(await booksOf(service, reseller), books);
  expectStatus(await reseller.post(`${path}/suspend`), 200);
  assert.equal((await customerOf(reseller, path)).plan.status, 'suspended');
  await placeOrder(service, reseller, { customer: `other-${reseller.id}` });
  await answered(renewal.order.id);
  const { plan } = await customerOf(reseller, path);
  assert.deepEqual([plan.status, plan.expires_at], ['suspended', '2026-03-31T10:00:00Z']);
  expectStatus(await reseller.post(`${path}/resume`), 200);
  await placeOrder(service, reseller, { package_id: plus });
});

test('of twenty parallel orders for one customer one is pending', async () => {
  const reseller = await service.createReseller({ credit: '500.00' });
  const body = { package_id: service.packages.basic, customer: `c-${reseller.id}` };
  const answers = await Promise.all(Array.from({ length: 20 }, () => reseller.post('/orders', body)));
  const placed = answers.filter(({ status }) => status === 201);
  assert.equal(placed.length, 1);
  for (const answer of answers.filter((one) => !placed.includes(one))) {
    expectRefusal(answer, '422 order_failed', { reason: 'order_pending' });
  }
  assert.equal((await booksOf(service, reseller)).balance, '490.00');
});

describe('a plan that renews itself', () => {
  /** The plan ends on 28 February at 10:00, and its renewal is due a day before. */
  async function renewing() {
    const reseller = await service.createReseller({ credit: '100.00' });
    const { order } = await placeOrder(service, reseller, {});
    await answered(order.id);
    const path = `/customers/${order.customer.id}`;
    expectStatus(await reseller.send('PUT', `${path}/auto-renew`, { months: 1 }), 200);
    const orders = async () => (await reseller.get('/orders')).body.data;
    const autoRenew = async () => (await customerOf(reseller, path)).plan.auto_renew;
    const renewAt = async (time: string) => {
      service.clock.seconds = secondsOf(time);
      await runRenewals(service);
      await runRenewals(service);
    };
    return { reseller, path, order, orders, autoRenew, renewAt };
  }

  test('is renewed once, however long the product takes', async () => {
    const { orders, autoRenew, renewAt, reseller, path } = await renewing();
    await renewAt('2026-02-27T10:00:00Z');
    await renewAt('2026-02-28T09:00:00Z');
    const [pending, ...others] = await orders();
    assert.deepEqual([pending.kind, pending.status, others.length], ['renew', 'pending', 1]);
    assert.partialDeepStrictEqual(await autoRenew(), { next_at: null, failure: null });
    service.clock.seconds = secondsOf('2026-03-01T10:00:00Z');
    await answered(pending.id);
    const { plan } = await customerOf(reseller, path);
    assert.deepEqual([plan.starts_at, plan.expires_at], ['2026-01-31T10:00:00Z', '2026-03-31T10:00:00Z']);
    assert.partialDeepStrictEqual(plan.auto_renew, { next_at: '2026-03-30T10:00:00Z', failure: null });
  });

  test('that the product refuses is tried again six hours later, and paid back each time', async () => {
    const { orders, autoRenew, renewAt, reseller } = await renewing();
    await renewAt('2026-02-27T10:00:00Z');
    await answered((await orders())[0].id, 'Not now');
    assert.partialDeepStrictEqual(await autoRenew(), {
      next_at: '2026-02-27T16:00:00Z',
      failure: 'order_failed',
    });
    await renewAt('2026-02-27T15:59:59Z');
    assert.equal((await orders()).length, 2);
    await renewAt('2026-02-27T16:00:00Z');
    assert.equal((await orders()).length, 3);
    await answered((await orders())[0].id);
    assert.equal((await booksOf(service, reseller)).balance, '80.00');
  });

  test('waits for an order that is pending when it is due, and is due again when that has failed', async () => {
    const { order, orders, autoRenew, renewAt, reseller, path } = await renewing();
    service.clock.seconds = secondsOf('2026-02-27T09:00:00Z');
    const renewal = expectStatus(await reseller.post(`/orders/${order.id}/renew`), 201);
    await renewAt('2026-02-27T10:00:00Z');
    assert.partialDeepStrictEqual(await autoRenew(), {
      next_at: '2026-02-27T16:00:00Z',
      failure: 'order_failed',
    });
    service.clock.seconds = secondsOf('2026-03-01T10:00:00Z');
    await answered(renewal.order.id, 'No');
    // The end was missed, but the plan is renewed, as the reseller asked.
    await runRenewals(service);
    const [mended] = await orders();
    assert.deepEqual([mended.kind, mended.status], ['renew', 'pending']);
    await answered(mended.id);
    const { plan } = await customerOf(reseller, path);
    assert.deepEqual([plan.status, plan.starts_at], ['active', '2026-03-01T10:00:00Z']);
  });

  test('that was refused for another reason is not tried earlier because an order has failed', async () => {
    const { order, autoRenew, renewAt, reseller, path } = await renewing();
    const guarded = { months: 1, max_charge: '5.00' };
    expectStatus(await reseller.send('PUT', `${path}/auto-renew`, guarded), 200);
    await renewAt('2026-02-27T10:00:00Z');
    const refused = { next_at: '2026-02-27T16:00:00Z', failure: 'price_changed' };
    assert.partialDeepStrictEqual(await autoRenew(), refused);
    service.clock.seconds = secondsOf('2026-02-27T11:00:00Z');
    const renewal = expectStatus(await reseller.post(`/orders/${order.id}/renew`), 201);
    await answered(renewal.order.id, 'No');
    assert.partialDeepStrictEqual(await autoRenew(), refused);
  });
});

test('in the mode notify an order is completed at once, and the product is notified', async () => {
  await setMode('notify');
  const reseller = await service.createReseller({ credit: '100.00' });
  const { order } = await placeOrder(service, reseller, {});
  assert.equal(order.status, 'completed');
  const path = `/customers/${order.customer.id}`;
  const take = async () => {
    await prepareCalls(service);
    await sqlOf(
      service,
      reseller,
      `update product_calls set status = 'done' where account_id = ${reseller.id}`,
    );
  };
  const act = async (what: string, body?: object) => {
    await take();
    expectStatus(await reseller.post(`${path}/${what}`, body), 200);
  };
  const hold = (status: string) => service.admin.patch(`/api/admin/v1${path}`, { status });
  await take();
  await reseller.post(`/orders/${order.id}/renew`);
  await take();
  await placeOrder(service, reseller, { package_id: service.packages.plus });
  await act('suspend');
  await act('suspend');
  // One of two suspensions remains, so nothing changes for the product.
  expectStatus(await hold('suspended'), 200);
  await act('resume');
  expectStatus(await hold('active'), 200);
  await act('cancel', { at: 'period_end' });
  await act('resume');
  await act('cancel', { at: 'now' });
  const trial = { package_id: service.packages.trial, customer: `t-${reseller.id}` };
  await service.admin.post(`/api/admin/v1/accounts/${reseller.id}/trials`, trial);
  const calls = await callsOf(reseller);
  assert.deepEqual(
    calls.map(({ type, payload }) => `${type} ${payload['status']} ${payload['order_id'] === null}`),
    [
      'plan.activate active false',
      'plan.renew active false',
      'plan.change active false',
      'plan.suspend suspended true',
      'plan.resume active true',
      'plan.cancel cancelled true',
      'plan.activate active true',
    ],
  );
  assert.equal(new Set(calls.map(({ call_id }) => call_id)).size, calls.length);
});

test('without a product nothing is written for one', async () => {
  await setMode('none');
  const reseller = await service.createReseller({ credit: '100.00' });
  const { order } = await placeOrder(service, reseller, {});
  expectStatus(await reseller.post(`/customers/${order.customer.id}/cancel`, { at: 'now' }), 200);
  assert.deepEqual(await callsOf(reseller), []);
});

test('when an administrator fails an order, the product is sent the state that holds instead', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const { order } = await placeOrder(service, reseller, {});
  await prepareCalls(service);
  const fail = (id: number) => service.admin.post(`/api/admin/v1/orders/${id}/fail`, { reason: 'No answer' });
  expectStatus(await fail(order.id), 200);
  await prepareCalls(service);
  await sqlOf(
    service,
    reseller,
    `update product_calls set status = 'done' where account_id = ${reseller.id}`,
  );
  const again = await placeOrder(service, reseller, {});
  await prepareCalls(service);
  await answered(again.order.id);
  const renewal = await reseller.post(`/orders/${again.order.id}/renew`);
  await prepareCalls(service);
  expectStatus(await fail(renewal.body.order.id), 200);
  const calls = await callsOf(reseller);
  assert.deepEqual(
    calls.map(({ type, status, payload }) => `${type} ${status} ${payload['expires_at']}`),
    [
      'plan.activate done 2026-02-28T10:00:00Z',
      'plan.cancel done 2026-01-31T10:00:00Z',
      'plan.activate done 2026-02-28T10:00:00Z',
      'plan.renew done 2026-03-31T10:00:00Z',
      'plan.change waiting 2026-02-28T10:00:00Z',
    ],
  );
});

test('the product is set, shown without its secret, and removed; each is noted', async () => {
  const put = (body: object) => service.admin.send('PUT', '/api/admin/v1/product', body);
  const shown = async () => (await service.admin.get('/api/admin/v1/product')).body.product;
  assert.deepEqual(await shown(), { mode: 'confirm', url: product.url, has_secret: true });
  const { secretSealed } = await findProduct(service.database);
  assert.ok(secretSealed !== null && !secretSealed.includes(product.secret));
  assert.equal(openProductSecret(service.service.seal, secretSealed), product.secret);

  for (const [body, field] of [
    [{ ...product, mode: 'later' }, 'mode'],
    [{ ...product, mode: 'confirm', url: 'http://product.example.com' }, 'url'],
    [{ ...product, mode: 'confirm', url: 'https://me:secret@product.example.com' }, 'url'],
    [{ ...product, mode: 'confirm', url: 'nowhere' }, 'url'],
    [{ ...product, mode: 'confirm', secret: 'whsec_short' }, 'secret'],
    [{ mode: 'confirm' }, 'url'],
  ] as const) {
    const answer = await put(body);
    expectRefusal(answer, '422 validation_failed');
    assert.equal(answer.body.error.details.field, field);
  }
  expectStatus(await put({ mode: 'notify', url: product.url }), 200);
  assert.equal((await findProduct(service.database)).secretSealed, secretSealed);
  expectStatus(await service.admin.send('DELETE', '/api/admin/v1/product'), 200);
  assert.deepEqual(await shown(), { mode: 'none', url: null, has_secret: false });
  expectRefusal(await put({ mode: 'notify', url: product.url }), '422 validation_failed');
  const { data } = (await service.admin.get('/api/admin/v1/audit?limit=2')).body;
  assert.deepEqual(
    data.map((entry: { action: string; before: unknown; after: unknown }) => [
      entry.action,
      entry.before,
      entry.after,
    ]),
    [
      ['product.delete', { mode: 'notify', url: product.url }, { mode: 'none', url: null }],
      ['product.update', { mode: 'confirm', url: product.url }, { mode: 'notify', url: product.url }],
    ],
  );
});

test('orders that no one answers wait for an administrator, who accepts or fails each', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const ids: number[] = [];
  for (const name of ['a', 'b', 'c']) {
    ids.push((await placeOrder(service, reseller, { customer: `${name}-${reseller.id}` })).order.id);
  }
  const list = async (query = '') =>
    expectStatus(await service.admin.get(`/api/admin/v1/orders/attention${query}`), 200);
  const own = ({ account }: { account: { id: number } }) => account.id === reseller.id;
  assert.deepEqual((await list()).data.filter(own), []);
  expectStatus(await service.admin.send('DELETE', '/api/admin/v1/product'), 200);
  const waiting = (await list()).data.filter(own);
  assert.deepEqual(
    waiting.map((one: { order: { id: number } }) => one.order.id),
    ids,
  );
  assert.partialDeepStrictEqual(waiting[0], {
    order: { status: 'pending' },
    call: { type: 'plan.activate', attempts: 0, first_attempt_at: null, last_error: 'no_product' },
  });
  const paged: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await list(`?limit=1&cursor=${cursor}`);
    paged.push(...page.data.filter(own).map((one: { order: { id: number } }) => one.order.id));
    cursor = page.next_cursor;
  }
  assert.deepEqual(paged, ids);
  expectRefusal(await service.admin.get('/api/admin/v1/orders/attention?cursor=x'), '422 invalid_cursor');

  const [first, second, third] = ids;
  expectStatus(await service.admin.post(`/api/admin/v1/orders/${first}/accept`), 200);
  expectStatus(await service.admin.post(`/api/admin/v1/orders/${second}/fail`, { reason: 'Gone' }), 200);
  const left = (await list()).data.filter(own);
  assert.deepEqual(
    left.map((one: { order: { id: number } }) => one.order.id),
    [third],
  );
  assert.equal((await booksOf(service, reseller)).balance, '80.00');
  const { data } = (await service.admin.get('/api/admin/v1/audit?limit=2')).body;
  assert.partialDeepStrictEqual(data, [
    { action: 'order.fail', subject: `order ${second}`, after: { status: 'failed', refund: '10.00' } },
    { action: 'order.accept', subject: `order ${first}`, before: { status: 'pending' } },
  ]);
});

test('orders are found by their status, alone and with other filters', async () => {
  const reseller = await service.createReseller({ credit: '200.00' });
  const ids: number[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    ids.push((await placeOrder(service, reseller, { customer: `${name}-${reseller.id}` })).order.id);
  }
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = ids;
  await answered(a);
  await answered(b, 'No');
  await answered(d, 'No');
  await setMode('none');
  const plain = (await placeOrder(service, reseller, { customer: `f-${reseller.id}` })).order.id;
  const found = async (query: string): Promise<number[]> => {
    const all: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = expectStatus(await reseller.get(`/orders?${query}&limit=1&cursor=${cursor}`), 200);
      all.push(...page.data.map((order: { id: number }) => order.id));
      cursor = page.next_cursor;
    }
    return all;
  };
  assert.deepEqual(await found('status=completed'), [plain, a]);
  assert.deepEqual(await found('status=failed'), [d, b]);
  assert.deepEqual(await found('status=pending'), [e, c]);
  assert.deepEqual(await found(`status=pending&customer=c-${reseller.id}`), [c]);
  assert.deepEqual(await found(`status=failed&customer=c-${reseller.id}`), []);
  assert.deepEqual(await found('status=failed&kind=activate'), [d, b]);
  assert.deepEqual(await found('status=failed&kind=renew'), []);
  assert.deepEqual(await found(`status=failed&package_id=${service.packages.plus}`), []);
  assert.deepEqual(await found('status=failed&created_from=2026-02-01'), []);
  assert.deepEqual(await found('status=failed&created_from=2026-01-31'), [d, b]);
  expectRefusal(await reseller.get('/orders?status=done'), '422 invalid_filter');
  const csv = await reseller.get('/orders?status=failed&format=csv');
  assert.match(csv.text, /\n\d+,[^,]+,activate,failed,/);
  for (const [id, entries] of [
    [b, 'refund 10.00, charge -10.00'],
    [c, 'charge -10.00'],
    [e, 'charge -10.00'],
    [plain, 'charge -10.00'],
  ] as const) {
    const { data } = expectStatus(await reseller.get(`/ledger?order_id=${id}`), 200);
    assert.equal(
      data.map((entry: { kind: string; amount: string }) => `${entry.kind} ${entry.amount}`).join(', '),
      entries,
    );
  }
});

test('a plan’s history has an order twice: when it was placed, and how it was settled', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const { order } = await placeOrder(service, reseller, {});
  service.clock.seconds += 60;
  await answered(order.id, 'No such address');
  service.clock.seconds += 60;
  const again = await placeOrder(service, reseller, {});
  service.clock.seconds += 60;
  await answered(again.order.id);
  const path = `/customers/${order.customer.id}/history`;
  const whole = expectStatus(await reseller.get(path), 200).data;
  assert.deepEqual(
    whole.map((item: Record<string, { status: string; expires_at: string; id: number } | string>) => {
      const [from, to, placed] = [item['from'], item['to'], item['order']];
      const shown = (state: typeof from) =>
        typeof state === 'object' && state !== null ? `${state.status} ${state.expires_at}` : 'nothing';
      const of = typeof placed === 'object' ? placed.status : '';
      return `${item['type']} by ${item['by']}, ${of}: ${shown(from)} → ${shown(to)}`;
    }),
    [
      'order_completed by product, completed: expired 2026-01-31T10:00:00Z → active 2026-02-28T10:02:00Z',
      'order_placed by account, completed: expired 2026-01-31T10:00:00Z → expired 2026-01-31T10:00:00Z',
      'order_failed by product, failed: expired 2026-01-31T10:00:00Z → expired 2026-01-31T10:00:00Z',
      'order_placed by account, failed: nothing → expired 2026-01-31T10:00:00Z',
    ],
  );
  assert.partialDeepStrictEqual(whole[2], { reason: 'No such address', refund: '10.00' });
  const paged: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = expectStatus(await reseller.get(`${path}?limit=1&cursor=${cursor}`), 200);
    paged.push(...page.data);
    cursor = page.next_cursor;
  }
  assert.deepEqual(paged, whole);
});

test('days, statements and the forecast count an order once, and not what failed or is pending', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const kept = await placeOrder(service, reseller, { months: 3 });
  await answered(kept.order.id);
  const failed = await placeOrder(service, reseller, { customer: `f-${reseller.id}` });
  await answered(failed.order.id, 'No');
  const pending = await placeOrder(service, reseller, { customer: `p-${reseller.id}` });
  const { statement } = expectStatus(await reseller.get('/statements/2026-01'), 200);
  assert.deepEqual([statement.charges, statement.refunds, statement.closing], ['47.00', '10.00', '63.00']);
  // There were three orders that day. An entry that settles an order is not an order.
  const days = await service.database.query({
    name: '',
    text: `select order_count, entry_count, last_order from ledger_days where account_id = ${reseller.id}`,
  });
  assert.deepEqual(
    days.map((row) => [Number(row['order_count']), Number(row['entry_count']), row['last_order']]),
    [[3, 5, 3]],
  );
  const forecast = async () => expectStatus(await reseller.get('/forecast?days=90'), 200);
  // The quarter costs 27.00. The other two customers have no plan.
  assert.deepEqual([(await forecast()).plans, (await forecast()).total], [1, '27.00']);
  // A month for the same customer fails, so renewing still costs a quarter.
  const month = expectStatus(await reseller.post(`/orders/${kept.order.id}/renew`, { months: 1 }), 201);
  assert.equal((await forecast()).plans, 0);
  await answered(month.order.id, 'No');
  assert.deepEqual([(await forecast()).plans, (await forecast()).total], [1, '27.00']);
  await answered(pending.order.id);
  const { ok, problems } = await verify(service);
  assert.deepEqual(problems, []);
  assert.ok(ok);
});

test('a preview says what the order would be answered with', async () => {
  const reseller = await service.createReseller({ credit: '250.00' });
  const customer = `c-${reseller.id}`;
  const first = { package_id: service.packages.plus, customer, months: 12 };
  const before = expectStatus(await reseller.post('/orders/preview', first), 200).preview;
  assert.deepEqual(
    [before.starts_at, before.expires_at, before.balance_after],
    ['2026-01-31T10:00:00Z', '2027-01-31T10:00:00Z', '0.00'],
  );
  const { order } = await placeOrder(service, reseller, first);
  await answered(order.id);
  service.clock.seconds += 86_400;
  const change = { package_id: service.packages.basic, customer };
  const { preview } = expectStatus(await reseller.post('/orders/preview', change), 200);
  const placed = await placeOrder(service, reseller, change);
  assert.deepEqual(
    [preview.balance_after, preview.refund, preview.starts_at, preview.expires_at],
    [placed.balance, placed.order.refund, '2026-02-01T10:00:00Z', placed.order.expires_at],
  );
});

test('an account whose books are wrong settles nothing until they are right', async () => {
  const reseller = await service.createReseller({ credit: '50.00' });
  const { order } = await placeOrder(service, reseller, {});
  const halt = (to: string) =>
    sqlOf(service, reseller, `update accounts set halted_at = ${to} where id = ${reseller.id}`);
  await halt('now()');
  const refused = await answered(order.id);
  assert.ok(refused.type === 'refused');
  assert.deepEqual(refused.refusal.details, { reason: 'account_halted' });
  await halt('null');
  assert.equal((await answered(order.id)).type, 'settled');
});

test('a failed order says why, when and what was given back, wherever it is shown', async () => {
  const reseller = await service.createReseller({ credit: '50.00' });
  await reseller.get('/events');
  const { order: completed } = await placeOrder(service, reseller, { customer: 'says-why' });
  await answered(completed.id);
  // Half is unused: the change refunds 5.00 at once, so the failure refunds 20.00.
  service.clock.seconds = secondsOf('2026-02-14T10:00:00Z');
  const changed = await placeOrder(service, reseller, {
    customer: 'says-why',
    package_id: service.packages.plus,
  });
  service.clock.seconds += 5;
  await answered(changed.order.id, 'No seats left');
  const refunded = '20.00';
  assert.deepEqual([changed.order.price, changed.order.refund, changed.balance], ['25.00', '5.00', '20.00']);
  const failure = { reason: 'No seats left', at: formatTime(service.clock.seconds), refunded };
  const { order } = expectStatus(await reseller.get(`/orders/${changed.order.id}`), 200);
  assert.deepEqual(order, { ...changed.order, status: 'failed', failure });
  assert.equal((await reseller.get('/balance')).body.balance, '40.00');
  for (const path of ['/orders', '/orders?status=failed', '/orders?customer=says-why']) {
    const { data } = expectStatus(await reseller.get(path), 200);
    const shown = data.map((each: { id: number; failure?: unknown }) => [each.id, each.failure]);
    assert.deepEqual(shown[0], [order.id, failure], path);
    if (data.length > 1) assert.deepEqual(shown[1], [completed.id, undefined], path);
  }
  const [event] = expectStatus(await reseller.get('/events?type=order.failed'), 200).data;
  assert.deepEqual(event.data.order.failure, failure);
  const csv = (await reseller.get('/orders?format=csv')).text.split(/\r?\n/);
  const ofOrder = csv.find((line) => line.startsWith(String(order.id))) ?? '';
  assert.ok(csv[0]?.endsWith('failure_reason,failed_at,failure_refunded'), csv[0]);
  assert.match(ofOrder, new RegExp(`,"?No seats left"?,"?${failure.at}"?,"?${refunded}"?$`));
  const { order: silent } = await placeOrder(service, reseller, { customer: 'silent' });
  await service.service.engine.submit({
    type: 'settle_order',
    accountId: reseller.id,
    orderNumber: silent.id % 1_000_000_000,
    outcome: 'failed',
    reason: null,
    by: null,
  });
  const { failure: unsaid } = expectStatus(await reseller.get(`/orders/${silent.id}`), 200).order;
  assert.deepEqual(unsaid, { reason: null, at: failure.at, refunded: '10.00' });
});

test('a renewal in the batch that completes a change pays the price that the change holds', async () => {
  await setMode('none');
  const reseller = await service.createReseller({ credit: '200.00' });
  const held = await createPackage(service, 'Held', ['30.00', '80.00', '300.00']);
  await placeOrder(service, reseller, { customer: 'kept' });
  await setMode('confirm');
  const { order } = await placeOrder(service, reseller, { package_id: held, customer: 'kept' });
  // What the plan keeps is what was paid for it, not the price just before the one that others pay.
  await changePackage(service, held, { prices: { reseller: { monthly: '40.00' } } });
  const from = formatTime(service.clock.seconds + 60);
  const raised = { from, prices: { reseller: { monthly: '50.00' } }, existing_plans: 'held' };
  expectStatus(await service.admin.post(`/api/admin/v1/packages/${held}/prices`, raised), 201);
  service.clock.seconds += 120;

  const release = await holdAccount(service, reseller);
  const waiting = [placeOrder(service, reseller, { customer: 'first' })];
  await queueReaches(service, 1);
  const settled = answered(order.id);
  waiting.push(placeOrder(service, reseller, { package_id: held, customer: 'kept' }));
  await queueReaches(service, 3);
  await release();
  assert.equal((await settled).type, 'settled');
  const [, renewal] = await Promise.all(waiting);
  assert.deepEqual(
    [renewal?.order.kind, renewal?.order.price, renewal?.order.price_rule],
    ['renew', '30.00', 'held'],
  );
});
