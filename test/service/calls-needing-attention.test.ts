// Calls that the product does not accept: visible at once, never dropped, sent again or closed by an administrator.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { deleteOldProductCalls } from '../../src/features/fulfillment/product-caller.ts';
import { signIn } from '../harness/panel-client.ts';
import {
  type ProductAnswer,
  type ProductReceiver,
  startProductReceiver,
} from '../harness/product-receiver.ts';
import { readMetrics } from '../harness/read-metrics.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { beginProductCalls, endProductCalls, impatientCalls } from '../harness/run-product-calls.ts';
import { placeOrder } from '../harness/shop.ts';

const hour = 3_600;
const calls = '/api/admin/v1/product-calls';

let service: TestService;
let product: ProductReceiver;
before(async () => {
  service = await startTestService({
    limits: {
      productCalls: impatientCalls,
    },
  });
});
after(() => service.close());
beforeEach(async () => {
  product = await startProductReceiver();
});
afterEach(async () => {
  await endProductCalls(service);
  // Without a product, open calls are given up. Pending orders must be failed.
  expectStatus(await service.admin.send('DELETE', '/api/admin/v1/product'), 200);
  for (const { order } of expectStatus(await service.admin.get('/api/admin/v1/orders/attention'), 200).data) {
    const failed = await service.admin.post(`/api/admin/v1/orders/${order.id}/fail`, { reason: 'Test' });
    expectStatus(failed, 200);
  }
  await product.close();
});

interface ShownCall {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly next_attempt_at: string | null;
  readonly latest_attempts: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly error: string | null;
    readonly milliseconds: number;
    readonly answer: string | null;
  }[];
  readonly customer: { readonly reference: string };
}

async function connect(mode: 'notify' | 'confirm'): Promise<void> {
  const { url, secret } = product;
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', { mode, url, secret }), 200);
  await beginProductCalls(service);
}

async function until(question: () => Promise<boolean>): Promise<void> {
  while (!(await question())) await new Promise((resolve) => setTimeout(resolve, 10));
}

const list = async (query: string): Promise<ShownCall[]> =>
  expectStatus(await service.admin.get(`${calls}?${query}`), 200).data;
const needing = () => list('status=attention');
const waiting = () => list('status=waiting');

async function lastAttempt(hours: number): Promise<void> {
  const { clock, database } = service;
  await until(async () => (await waiting()).every(({ attempts }) => attempts > 0));
  const text = `update product_calls set attempts = 9, next_attempt_at = to_timestamp(${clock.seconds}),
      first_attempt_at = to_timestamp(${clock.seconds - hours * hour}) where status = 'waiting'`;
  for (const group of database.accountGroups()) await group.query({ name: '', text });
}

async function untilNeeding(count: number): Promise<void> {
  await lastAttempt(76);
  await until(async () => (await needing()).length === count || (await waiting()).length === 0);
  assert.equal((await needing()).length, count, 'calls that ran out of attempts are on the list');
}

const isTaken = (id: string) => async () => {
  const text = `select status from product_calls where call_id = '${id}'`;
  const [row] = await service.database.query({ name: '', text });
  return row?.['status'] === 'done';
};
const received = (reference: string) =>
  product.calls.filter(({ data }) => data.customer.reference === reference);
const lastHeard = (reference: string) => received(reference).at(-1)?.data.status;

async function suspend(account: TestAccount, customerId: number): Promise<void> {
  expectStatus(await account.post(`/customers/${customerId}/suspend`, {}), 200);
}
async function resume(account: TestAccount, customerId: number): Promise<void> {
  expectStatus(await account.post(`/customers/${customerId}/resume`, {}), 200);
}

async function customerAtProduct(account: TestAccount, reference: string): Promise<number> {
  product.answer(() => ({ status: 200 }));
  const { order } = await placeOrder(service, account, { customer: reference });
  await until(isTaken(`call_order_${order.id}`));
  return order.customer.id;
}

async function customerWithListedCall(account: TestAccount, reference: string) {
  const customer = await customerAtProduct(account, reference);
  product.answer(() => ({ status: 503 }));
  await suspend(account, customer);
  await untilNeeding(1);
  const [call] = await needing();
  assert.ok(call);
  return { customer, call };
}

test('a call of any kind that ran out of attempts needs attention, and raises the alert', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('notify');
  const customer = await customerAtProduct(account, 'kept');
  product.answer(() => ({ status: 503 }));
  await suspend(account, customer);
  await placeOrder(service, account, { customer: 'new' });
  // Early attempts do not shorten the schedule: ten of them within ten hours do not end it.
  await lastAttempt(10);
  await until(async () => (await waiting()).every(({ attempts }) => attempts === 10));
  assert.deepEqual([(await needing()).length, (await waiting()).length], [0, 2]);
  await untilNeeding(2);
  const [suspended, activated] = await needing();
  assert.deepEqual(
    [suspended, activated].map((call) => [
      call?.type,
      call?.customer.reference,
      call?.status,
      call?.last_status,
    ]),
    [
      ['plan.suspend', 'kept', 'attention', 503],
      ['plan.activate', 'new', 'attention', 503],
    ],
  );
  assert.ok((suspended?.attempts ?? 0) >= 10);
  assert.equal(suspended?.next_attempt_at, null);
  assert.deepEqual(
    expectStatus(await service.admin.get('/api/admin/v1/orders/attention'), 200).data,
    [],
    'no order waits for a decision',
  );
  const console = await signIn(service, service.admin);
  const counted = expectStatus(await console.get('/admin/attention'), 200);
  assert.deepEqual([counted.count, counted.failing.count], [2, 0]);
  await until(async () => (await readMetrics(service)).get('sellthrough_orders_needing_attention') === 2);
});

test('a call that fails now is counted at its first failure, with the time of it', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('confirm');
  product.answer(() => ({ status: 500 }));
  const { order } = await placeOrder(service, account, { customer: 'failing' });
  const console = await signIn(service, service.admin);
  const failing = async () => expectStatus(await console.get('/admin/attention'), 200).failing;
  await until(async () => (await failing()).count === 1);
  assert.deepEqual(await failing(), { count: 1, more: false, since: order.created_at });
  const overview = expectStatus(await console.get('/admin/overview?from=2026-01-01&to=2026-01-31'), 200);
  assert.deepEqual(overview.orders, {
    attention: { count: 0, more: false },
    failing: { count: 1, more: false, since: order.created_at },
  });
  const [call] = await list('status=failing');
  const [ofOrder] = await list(`order_id=${order.id}`);
  assert.deepEqual(call, ofOrder);
  assert.deepEqual(
    [ofOrder?.customer.reference, ofOrder?.attempts, ofOrder?.last_status],
    ['failing', 1, 500],
  );
  // The order can be settled before the 72 hours are over.
  expectStatus(await service.admin.post(`/api/admin/v1/orders/${order.id}/accept`, {}), 200);
  assert.equal((await failing()).count, 0);
});

test('a call keeps its latest attempts, with how each answer began and without secrets', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('confirm');
  const answers: ProductAnswer[] = [
    { status: 503, body: `{"error":"down\\u0000","api_key":"abc","more":"${'x'.repeat(900)}"}` },
    'cut',
    { status: 500, body: `<p>Down</p>\n${'é'.repeat(300)} password=abc` },
    { status: 404 },
    { status: 422, body: '{"reason":"No seats left"}' },
  ];
  let attempt = 0;
  // After the connection was cut, the attempt may be sent again.
  product.answer(() => answers[attempt] ?? null);
  const { order } = await placeOrder(service, account, { customer: 'logged' });
  const ofOrder = async () => (await list(`order_id=${order.id}`))[0] ?? assert.fail();
  const isOver = async () => (await ofOrder()).attempts === attempt + 1;
  for (const delay of [5, 30, 120, 0]) {
    await until(isOver);
    attempt += 1;
    service.clock.seconds += delay;
  }
  expectStatus(await service.admin.post(`${calls}/call_order_${order.id}/send`, {}), 200);
  await until(isOver);
  const { latest_attempts: log } = await ofOrder();
  const began = Date.parse(order.created_at) / 1_000;
  assert.deepEqual(
    log.map(({ at }) => Date.parse(at) / 1_000 - began),
    [0, 5, 35, 155, 155],
  );
  assert.ok(log.every(({ milliseconds }) => Number.isInteger(milliseconds) && milliseconds >= 0));
  assert.deepEqual(
    log.map(({ status, error, answer }) => [status, error, answer?.slice(0, 41) ?? null]),
    [
      [503, null, '{"error":"down\\u0000","api_key":"[redacte'],
      [null, 'connection_lost', null],
      [500, null, `<p>Down</p> ${'é'.repeat(29)}`],
      [404, null, null],
      [422, null, '{"reason":"No seats left"}'],
    ],
  );
  assert.ok(!JSON.stringify(log).includes('abc'));
  const [long] = log.filter(({ status }) => status === 500);
  assert.match(long?.answer ?? '', /é…$/);
  assert.ok(Buffer.byteLength(long?.answer ?? '') <= 204);
});

test('of many attempts the latest twenty are kept', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('notify');
  const { call } = await customerWithListedCall(account, 'often-tried');
  for (let sent = 1; sent <= 20; sent += 1) {
    expectStatus(await service.admin.post(`${calls}/${call.id}/send`, {}), 200);
    await until(async () => (await needing()).length === 1);
  }
  const [tried] = await needing();
  assert.equal(tried?.latest_attempts.length, 20);
});

test('when the product answers again, what waits for a later attempt goes out at once', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('confirm');
  product.answer(() => ({ status: 503 }));
  const { order } = await placeOrder(service, account, { customer: 'patient' });
  // Attempts come after 0, 5, 35 and 155 seconds. The next one is ten minutes away.
  for (const [attempts, delay] of [5, 30, 120, 0].entries()) {
    await until(async () => (await list(`order_id=${order.id}`))[0]?.attempts === attempts + 1);
    service.clock.seconds += delay;
  }
  product.answer(() => ({ status: 200 }));
  const { order: next } = await placeOrder(service, account, { customer: 'prompt' });
  await until(isTaken(`call_order_${next.id}`));
  await until(isTaken(`call_order_${order.id}`));
  assert.equal(expectStatus(await account.get(`/orders/${order.id}`), 200).order.status, 'completed');
});

test('also when another process had seen it fail', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('confirm');
  product.answer(() => ({ status: 503 }));
  const { order } = await placeOrder(service, account, { customer: 'handed-on' });
  for (const [attempts, delay] of [5, 30, 120, 0].entries()) {
    await until(async () => (await list(`order_id=${order.id}`))[0]?.attempts === attempts + 1);
    service.clock.seconds += delay;
  }
  await endProductCalls(service);
  product.answer(() => ({ status: 200 }));
  service.clock.seconds += 60;
  await beginProductCalls(service);
  const { order: next } = await placeOrder(service, account, { customer: 'handed-over' });
  await until(isTaken(`call_order_${next.id}`));
  await until(isTaken(`call_order_${order.id}`));
});

test('a customer whose calls alone fail is not tried more often because others are taken', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('confirm');
  await customerAtProduct(account, 'first');
  product.answer(({ data }) => ({ status: data.customer.reference === 'broken' ? 500 : 200 }));
  const { order: broken } = await placeOrder(service, account, { customer: 'broken' });
  await until(async () => (await list(`order_id=${broken.id}`))[0]?.attempts === 1);
  service.clock.seconds += 5;
  await until(async () => (await list(`order_id=${broken.id}`))[0]?.attempts === 2);
  for (const customer of ['second', 'third', 'fourth']) {
    const { order } = await placeOrder(service, account, { customer });
    await until(isTaken(`call_order_${order.id}`));
  }
  assert.equal((await list(`order_id=${broken.id}`))[0]?.attempts, 2);
});

test('a call that is sent again goes out at once, once for a key, and is noted', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('notify');
  const { call } = await customerWithListedCall(account, 'again');
  // The product is still away, so after one attempt the call is listed again.
  const before = received('again').length;
  const key = { idempotency_key: 'again-1' };
  const sent = await service.admin.post(`${calls}/${call.id}/send`, key);
  assert.equal(expectStatus(sent, 200).call.status, 'waiting');
  await until(async () => received('again').length === before + 1 && (await needing()).length === 1);
  const replayed = await service.admin.post(`${calls}/${call.id}/send`, key);
  assert.equal(replayed.headers.get('idempotent-replayed'), 'true');
  assert.equal(expectStatus(replayed, 200).call.status, 'attention');
  expectRefusal(await service.admin.post(`${calls}/${call.id}/done`, key), '409 idempotency_conflict');
  product.answer(() => ({ status: 200 }));
  expectStatus(await service.admin.post(`${calls}/${call.id}/send`, {}), 200);
  await until(isTaken(call.id));
  assert.equal(lastHeard('again'), 'suspended');
  assert.equal(received('again').length, before + 2);
  assert.equal(
    expectStatus(await service.admin.post(`${calls}/${call.id}/send`, {}), 200).call.status,
    'done',
  );
  const { data } = expectStatus(await service.admin.get('/api/admin/v1/audit?limit=5'), 200);
  const noted = data.filter(({ subject }: { subject: string }) => subject === `product call ${call.id}`);
  assert.deepEqual(
    noted.map(({ action, before: was, after: is }: Record<string, unknown>) => [action, was, is]),
    Array(2).fill(['product_call.send_again', { status: 'attention' }, { status: 'waiting' }]),
  );
});

test('a call is closed when a later one is taken, and then no old state is sent to the product', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('notify');
  const { customer, call } = await customerWithListedCall(account, 'past');
  product.answer(() => ({ status: 200 }));
  await resume(account, customer);
  await until(async () => (await needing()).length === 0);
  assert.equal(lastHeard('past'), 'active');
  const count = received('past').length;
  const sent = await service.admin.post(`${calls}/${call.id}/send`, {});
  assert.equal(expectStatus(sent, 200).call.status, 'superseded');
  // Any call for that customer would have come before this one.
  await customerAtProduct(account, 'after-past');
  assert.equal(received('past').length, count);
});

test('of several calls of a customer that ran out of attempts the last one stands for all', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('notify');
  const { customer, call } = await customerWithListedCall(account, 'twice');
  await resume(account, customer);
  await untilNeeding(1);
  await until(async () => (await needing())[0]?.type === 'plan.resume' && (await needing()).length === 1);
  product.answer(() => ({ status: 200 }));
  assert.deepEqual(expectStatus(await service.admin.post(`${calls}/send`, {}), 200), {
    calls: 1,
    more: false,
  });
  await until(async () => lastHeard('twice') === 'active' && (await waiting()).length === 0);
  assert.equal(
    expectStatus(await service.admin.post(`${calls}/${call.id}/send`, {}), 200).call.status,
    'superseded',
  );
});

test('a call whose later one still waits is not sent before it: the later one goes out', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('notify');
  const { customer, call } = await customerWithListedCall(account, 'both');
  const before = received('both').length;
  await resume(account, customer);
  await until(async () => received('both').length === before + 1 && (await waiting())[0]?.attempts === 1);
  product.answer(() => ({ status: 200 }));
  assert.equal(
    expectStatus(await service.admin.post(`${calls}/${call.id}/send`, {}), 200).call.status,
    'superseded',
  );
  await until(async () => (await waiting()).length === 0);
  assert.deepEqual(
    received('both')
      .slice(before)
      .map(({ type }) => type),
    ['plan.resume', 'plan.resume'],
  );
});

test('all that need attention are sent again by one request', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('notify');
  const references = ['all-1', 'all-2', 'all-3'];
  product.answer(() => ({ status: 503 }));
  for (const customer of references) await placeOrder(service, account, { customer });
  await untilNeeding(3);
  product.answer(() => ({ status: 200 }));
  const key = { idempotency_key: 'all-at-once' };
  assert.deepEqual(expectStatus(await service.admin.post(`${calls}/send`, key), 200), {
    calls: 3,
    more: false,
  });
  await until(async () => (await waiting()).length === 0);
  assert.deepEqual(references.map(lastHeard), ['active', 'active', 'active']);
  const again = await service.admin.post(`${calls}/send`, key);
  assert.deepEqual(expectStatus(again, 200), { calls: 3, more: false });
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
});

test('what was done by hand is not sent any more; a pending order is accepted or failed instead', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('confirm');
  const { call } = await customerWithListedCall(account, 'by-hand');
  assert.equal(
    expectStatus(await service.admin.post(`${calls}/${call.id}/done`, {}), 200).call.status,
    'done',
  );
  assert.deepEqual(await needing(), []);
  const count = received('by-hand').length;
  const { order } = await placeOrder(service, account, { customer: 'undecided' });
  await untilNeeding(1);
  expectRefusal(
    await service.admin.post(`${calls}/call_order_${order.id}/done`, {}),
    '409 product_call_decides_order',
    { order_id: order.id },
  );
  const console = await signIn(service, service.admin);
  assert.deepEqual(expectStatus(await console.get('/admin/held-orders'), 200), {
    ...{ total: order.price, count: 1, more: false },
    data: [{ order_id: order.id, amount: order.price }],
  });
  const before = expectStatus(await console.get('/admin/product-figures'), 200);
  product.answer(() => ({ status: 200 }));
  expectStatus(await service.admin.post(`${calls}/call_order_${order.id}/send`, {}), 200);
  await until(isTaken(`call_order_${order.id}`));
  assert.equal(expectStatus(await account.get(`/orders/${order.id}`), 200).order.status, 'completed');
  const [taken] = await list(`order_id=${order.id}`);
  await until(async () => (await list(`order_id=${order.id}`))[0]?.last_status === 200);
  assert.equal(taken?.status, 'done');
  assert.equal(received('by-hand').length, count);
  assert.equal(expectStatus(await console.get('/admin/held-orders'), 200).count, 0);
  const after = expectStatus(await console.get('/admin/product-figures'), 200);
  assert.equal(after.accepted, before.accepted + 1);
  assert.ok(after.median_milliseconds >= 0 && after.accepted_at !== null);
  expectRefusal(await service.admin.post(`${calls}/call_order_1/done`, {}), '404 product_call_not_found');
});

test('an expiry that is closed by hand while a renewal is being sent is followed by the current plan', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('notify');
  await customerAtProduct(account, 'renewed-late');
  await runPlanEnds(service);
  product.answer(() => ({ status: 503 }));
  service.clock.seconds += 32 * 24 * hour;
  await runPlanEnds(service);
  // Plans of other tests end too.
  await lastAttempt(76);
  await until(async () => (await waiting()).length === 0);
  const ended = (await needing()).find((call) => call.customer.reference === 'renewed-late');
  assert.equal(ended?.type, 'plan.expire');
  await placeOrder(service, account, { customer: 'renewed-late' });
  await until(async () => (await waiting())[0]?.attempts === 1);
  expectStatus(await service.admin.post(`${calls}/${ended?.id}/done`, {}), 200);
  // The product may have taken the renewal before the expiry was carried out by hand.
  product.answer(() => ({ status: 200 }));
  expectStatus(await service.admin.post(`${calls}/${(await waiting())[0]?.id}/send`, {}), 200);
  await until(async () => (await waiting()).length === 0);
  const last = received('renewed-late').at(-1);
  assert.deepEqual([last?.type, last?.data.status], ['plan.change', 'active']);
});

test('without a product nothing is sent again', async () => {
  expectRefusal(await service.admin.post(`${calls}/send`, {}), '409 product_not_set');
  expectRefusal(await service.admin.post(`${calls}/call_order_1/send`, {}), '409 product_not_set');
});

test('pages of a list go on where the last one ended', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('confirm');
  product.answer(() => ({ status: 500 }));
  for (const customer of ['page-1', 'page-2', 'page-3']) await placeOrder(service, account, { customer });
  await until(async () => (await list('status=failing')).length === 3);
  for (const status of ['failing', 'waiting']) {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { data: ShownCall[]; next_cursor: string | null } = expectStatus(
        await service.admin.get(`${calls}?status=${status}&limit=2&cursor=${cursor}`),
        200,
      );
      seen.push(...page.data.map(({ customer }) => customer.reference));
      cursor = page.next_cursor;
    }
    assert.deepEqual(seen.sort(), ['page-1', 'page-2', 'page-3'], status);
  }
  expectRefusal(await service.admin.get(`${calls}?order_id=x`), '422 invalid_filter');
});

test('old calls are deleted however many older ones are undecided', async () => {
  const { database, clock } = service;
  const account = await service.createReseller({ credit: '100.00' });
  const group = database.ofAccount(account.id);
  const old = clock.seconds - 80 * 24 * hour;
  const insert = (status: string, count: number) =>
    group.query({
      name: '',
      text: `insert into product_calls (call_id, account_id, customer_number, type, payload, created_at, status,
          next_attempt_at)
        select 'call_${status}_' || n, ${account.id}, 1, 'plan.suspend', '{}', to_timestamp(${old}), '${status}',
          to_timestamp(${old}) from generate_series(1, ${count}) n`,
    });
  await insert('attention', 1_000);
  for (const status of ['done', 'failed', 'superseded']) await insert(status, 300);
  const { signal } = new AbortController();
  assert.equal(await deleteOldProductCalls(database, clock.seconds - 30 * 24 * hour, signal), false);
  const text = `select status, count(*)::int as count from product_calls where account_id = ${account.id} group by 1`;
  assert.deepEqual(
    (await group.query({ name: '', text })).map((row) => [row['status'], row['count']]),
    [['attention', 1_000]],
  );
});
