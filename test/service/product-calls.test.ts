// Calls to a real product that answers, refuses, breaks and hangs. Every order ends completed, or failed and refunded.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { productCallsKinds } from '../../src/features/fulfillment/product-caller.ts';
import { booksOf } from '../harness/books.ts';
import { sqlAtOnce, sqlOf } from '../harness/group-sql.ts';
import { signIn } from '../harness/panel-client.ts';
import {
  type ProductReceiver,
  type ReceivedCall,
  startProductReceiver,
} from '../harness/product-receiver.ts';
import { readMetrics } from '../harness/read-metrics.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { beginProductCalls, endProductCalls, impatientCalls } from '../harness/run-product-calls.ts';
import { placeOrder } from '../harness/shop.ts';

const hour = 3_600;
let service: TestService;
let product: ProductReceiver;
before(async () => {
  service = await startTestService({
    limits: { outbound: { callMilliseconds: 2_000 }, productCalls: impatientCalls },
  });
});
after(() => service.close());
beforeEach(async () => {
  product = await startProductReceiver();
});
afterEach(async () => {
  await endProductCalls(service);
  expectStatus(await service.admin.send('DELETE', '/api/admin/v1/product'), 200);
  assert.deepEqual(product.forged, [], 'every call is signed');
  await product.close();
});

const sql = (text: string) => service.database.query({ name: '', text });

async function connect(mode: 'notify' | 'confirm'): Promise<void> {
  const { url, secret } = product;
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', { mode, url, secret }), 200);
  await beginProductCalls(service);
}

async function statusOf(account: TestAccount, orderId: number): Promise<string> {
  return expectStatus(await account.get(`/orders/${orderId}`), 200).order.status;
}

/** From /metrics. */
async function waiting(): Promise<(number | undefined)[]> {
  const metrics = await readMetrics(service);
  return ['product_calls_waiting', 'product_call_oldest_seconds', 'orders_needing_attention'].map((name) =>
    metrics.get(`sellthrough_${name}`),
  );
}

async function until(question: () => Promise<boolean>): Promise<void> {
  while (!(await question())) await new Promise((resolve) => setTimeout(resolve, 10));
}

const settled = (account: TestAccount, orderId: number) =>
  until(async () => (await statusOf(account, orderId)) !== 'pending');

const refusing = { status: 422, body: '{"reason":"No seats left in this region"}' };

test('an order waits until the product takes it; one that it refuses is paid back, with its reason', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await account.get('/events');
  await connect('confirm');
  product.answer(({ data }) => (data.customer.reference === 'refused' ? refusing : { status: 204 }));
  const { order: taken, balance } = await placeOrder(service, account, { customer: 'taken' });
  assert.deepEqual([taken.status, balance], ['pending', '90.00']);
  const { order: refused } = await placeOrder(service, account, { customer: 'refused' });
  await settled(account, taken.id);
  await settled(account, refused.id);
  assert.deepEqual(
    [await statusOf(account, taken.id), await statusOf(account, refused.id)],
    ['completed', 'failed'],
  );
  assert.equal((await booksOf(service, account)).balance, '90.00');
  const [call] = product.calls.filter(({ data }) => data.order_id === taken.id);
  assert.deepEqual(call, {
    id: `call_order_${taken.id}`,
    type: 'plan.activate',
    created_at: taken.created_at,
    data: {
      customer: { id: taken.customer.id, reference: 'taken', name: 'taken' },
      account: { id: account.id },
      order_id: taken.id,
      package: { id: service.packages.basic, name: 'Basic' },
      limits: { accounts: 1, posts_per_day: 2, ai_images_per_month: 3 },
      features: ['One', 'Two'],
      starts_at: taken.created_at,
      expires_at: taken.expires_at,
      status: 'active',
    },
  });
  const failed = expectStatus(await account.get('/events?type=order.failed'), 200).data;
  assert.equal(failed.length, 1);
  assert.deepEqual(
    [failed[0].data.order.id, failed[0].data.reason, failed[0].data.balance],
    [refused.id, 'No seats left in this region', '90.00'],
  );
});

test('after any other answer the call is retried with the same id, later and later', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const began = service.clock.seconds;
  await connect('confirm');
  const earlier = await readMetrics(service);
  const { order } = await placeOrder(service, account, { customer: 'patient' });
  const answers = [
    { status: 500 },
    { status: 404 },
    { status: 302, body: '' },
    { status: 429 },
    { status: 422 + 1 },
    null,
    { status: 200, body: 'not JSON at all' },
  ];
  product.answer(() => {
    const answer = answers[product.calls.length - 1];
    return answer === undefined ? { status: 200 } : answer;
  });
  const delays = [5, 30, 120, 600, 1_800, hour];
  for (const [index, delay] of delays.entries()) {
    await product.waitFor(index + 1);
    await until(async () => {
      const [row] = await sql(`select attempts from product_calls where call_id = 'call_order_${order.id}'`);
      return Number(row?.['attempts']) === index + 1;
    });
    assert.equal(await statusOf(account, order.id), 'pending');
    await until(async () => (await waiting()).join() === [1, service.clock.seconds - began, 0].join());
    expectRefusal(
      await account.post('/orders', { package_id: service.packages.plus, customer: 'patient' }),
      '422 order_failed',
      { reason: 'order_pending' },
    );
    service.clock.seconds += delay;
  }
  await settled(account, order.id);
  assert.equal(await statusOf(account, order.id), 'completed');
  const now = await readMetrics(service);
  const grown = (outcome: string) => {
    const name = `sellthrough_product_calls_total{outcome="${outcome}"}`;
    return (now.get(name) ?? 0) - (earlier.get(name) ?? 0);
  };
  assert.deepEqual(['taken', 'refused', 'retried', 'given_up'].map(grown), [1, 0, delays.length, 0]);
  assert.equal(new Set(product.calls.map(({ id }) => id)).size, 1);
  assert.ok(service.clock.seconds > began);
  // The terms are those of the second in which the order was placed.
  assert.equal((await account.get(`/orders/${order.id}`)).body.order.expires_at, order.expires_at);
});

test('a clock that was ahead, and is set right, keeps no order waiting', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('confirm');
  product.answer(() => ({ status: 503 }));
  const jump = 400 * 24 * hour;
  service.clock.seconds += jump;
  const { order } = await placeOrder(service, account, { customer: 'early' });
  await product.waitFor(1);
  await until(async () => {
    const [row] = await sql(`select attempts from product_calls where call_id = 'call_order_${order.id}'`);
    return Number(row?.['attempts']) === 1;
  });
  service.clock.seconds -= jump;
  product.answer(() => ({ status: 200 }));
  await settled(account, order.id);
  assert.equal(await statusOf(account, order.id), 'completed');
});

test('after 72 hours an order waits for a person, who accepts it or gives the money back', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('confirm');
  product.answer(() => ({ status: 503 }));
  const orders = [];
  for (const customer of ['accepted-by-hand', 'failed-by-hand']) {
    orders.push((await placeOrder(service, account, { customer })).order);
  }
  const [accepted, failed] = orders;
  await product.waitFor(2);
  let console = await signIn(service, service.admin);
  const handOff = async () => expectStatus(await console.get('/admin/product-calls'), 200);
  await until(async () => (await handOff()).data.every(({ attempts }: { attempts: number }) => attempts > 0));
  const { waiting: inLine, attention: needing, data: calls } = await handOff();
  assert.deepEqual([inLine.count, needing.count], [2, 0]);
  assert.deepEqual(
    calls
      .map((call: Record<string, unknown>) => [call['order_id'], call['type'], call['last_status']])
      .sort(),
    [
      [accepted.id, 'plan.activate', 503],
      [failed.id, 'plan.activate', 503],
    ],
  );
  const attention = async () =>
    expectStatus(await service.admin.get('/api/admin/v1/orders/attention'), 200).data.map(
      ({ order, call }: { order: { id: number }; call: { last_status: number } }) => [
        order.id,
        call.last_status,
      ],
    );
  await until(async () => {
    // Each attempt postpones the next one. Move the clock after it, beyond three days.
    service.clock.seconds += 2 * hour;
    await new Promise((resolve) => setTimeout(resolve, 20));
    return (await attention()).length === 2;
  });
  assert.deepEqual((await attention()).sort(), [
    [accepted.id, 503],
    [failed.id, 503],
  ]);
  await until(async () => (await waiting()).join() === '0,0,2');
  // Sign in again, because the session ended during the three days.
  console = await signIn(service, service.admin);
  assert.deepEqual(await handOff(), {
    waiting: { count: 0, more: false },
    attention: { count: 2, more: false },
    failing: { count: 0, more: false, since: null },
    data: [],
  });
  assert.deepEqual((await console.get('/admin/attention')).body, {
    count: 2,
    more: false,
    failing: { count: 0, more: false, since: null },
    payments: { count: 0, more: false },
  });
  expectStatus(await service.admin.post(`/api/admin/v1/orders/${accepted.id}/accept`, {}), 200);
  expectStatus(
    await service.admin.post(`/api/admin/v1/orders/${failed.id}/fail`, { reason: 'The product is gone' }),
    200,
  );
  assert.deepEqual(await attention(), []);
  await until(async () => (await waiting()).at(-1) === 0);
  assert.equal((await booksOf(service, account)).balance, '90.00');
});

test('a product in the mode notify gets every call of a customer in order, and no order waits for it', async () => {
  const account = await service.createReseller({ credit: '500.00' });
  await runPlanEnds(service);
  await connect('notify');
  const broken = new Set<string>();
  const isHis = ({ data }: ReceivedCall) => data.customer.reference === 'followed';
  product.answer((call) => {
    const { id } = call;
    if (!isHis(call) || broken.has(id) || broken.size > 2) return { status: 200 };
    broken.add(id);
    return { status: 500 };
  });
  const { order } = await placeOrder(service, account, { customer: 'followed' });
  assert.equal(order.status, 'completed');
  const path = `/customers/${order.customer.id}`;
  const key = { idempotency_key: 'plus' };
  await placeOrder(service, account, { customer: 'followed', package_id: service.packages.plus, ...key });
  expectStatus(await account.post(`/orders/${order.id}/renew`, {}), 422);
  for (const what of ['suspend', 'resume']) expectStatus(await account.post(`${path}/${what}`, {}), 200);
  const { order: next } = await placeOrder(service, account, {
    customer: 'followed',
    package_id: service.packages.plus,
    idempotency_key: 'again',
  });
  service.clock.seconds = Date.parse(next.expires_at) / 1_000;
  await runPlanEnds(service);
  const types = ['plan.activate', 'plan.change', 'plan.suspend', 'plan.resume', 'plan.renew', 'plan.expire'];
  const received = () => {
    const seen = new Map(product.calls.filter(isHis).map((call) => [call.id, call.type]));
    return [...seen.values()];
  };
  await until(async () => {
    service.clock.seconds += 1;
    return received().length === types.length;
  });
  assert.deepEqual(received(), types);
});

test('a product that hangs holds up its own calls alone, and is asked no more once it is removed', async () => {
  const account = await service.createReseller({ credit: '500.00' });
  await connect('confirm');
  product.answer(() => null);
  const { order } = await placeOrder(service, account, { customer: 'hanging' });
  await product.waitFor(1);
  assert.equal(expectStatus(await account.get('/balance'), 200).balance, '490.00');
  const other = await service.createReseller({ credit: '10.00' });
  assert.equal((await placeOrder(service, other, { customer: 'other' })).order.status, 'pending');
  expectStatus(await service.admin.send('DELETE', '/api/admin/v1/product'), 200);
  await until(async () => {
    const { data } = expectStatus(await service.admin.get('/api/admin/v1/orders/attention'), 200);
    return data.length === 2;
  });
  assert.equal(await statusOf(account, order.id), 'pending');
  for (const { id } of (await service.admin.get('/api/admin/v1/orders/attention')).body.data.map(
    ({ order: each }: { order: { id: number } }) => each,
  )) {
    expectStatus(await service.admin.post(`/api/admin/v1/orders/${id}/fail`, { reason: 'No product' }), 200);
  }
  assert.deepEqual(
    [(await booksOf(service, account)).balance, (await booksOf(service, other)).balance],
    ['500.00', '10.00'],
  );
});

test('a process that has lost the lease writes nothing more, and no order is settled twice', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('confirm');
  const { order } = await placeOrder(service, account, { customer: 'fenced' });
  await settled(account, order.id);
  product.answer(() => null);
  const { order: second } = await placeOrder(service, account, { customer: 'fenced-too' });
  await product.waitFor(1, ({ data }) => data.order_id === second.id);
  // Now another process has the lease.
  await sql(`update jobs set lease_number = lease_number + 1 where kind = '${productCallsKinds.live}'`);
  service.clock.seconds += 10;
  await until(async () => product.hanging() === 0);
  await service.service.jobs.idle();
  const [row] = await sql(
    `select attempts, status from product_calls where call_id = 'call_order_${second.id}'`,
  );
  assert.deepEqual([row?.['attempts'], row?.['status']], [0, 'waiting']);
  product.answer(() => ({ status: 200 }));
  await sql(
    `update jobs set leased_by = null, next_run_at = to_timestamp(0) where kind = '${productCallsKinds.live}'`,
  );
  await beginProductCalls(service);
  await until(async () => {
    service.clock.seconds += 1;
    return (await statusOf(account, second.id)) === 'completed';
  });
  assert.equal((await booksOf(service, account)).balance, '80.00');
});

test('an answer that cannot be carried out is asked for again later and later, not every second', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  await connect('confirm');
  // A process's first successful answer makes earlier failures due at once. Let that happen first.
  const { order: first } = await placeOrder(service, account, { customer: 'settled' });
  await settled(account, first.id);
  const group = service.database.ofAccount(account.id);
  await sqlAtOnce(group, [
    `create function refuse_handoff() returns trigger language plpgsql as $$
       begin raise exception 'broken on purpose'; end $$;
     create trigger broken before update on order_handoffs for each row
       when (new.account_id = ${account.id}) execute function refuse_handoff()`,
  ]);
  const { order } = await placeOrder(service, account, { customer: 'unsettled' });
  const attempts = async () => {
    const text = `select attempts, extract(epoch from next_attempt_at)::bigint as at from product_calls
      where account_id = ${account.id} and order_number = ${order.id % 1_000_000_000}`;
    const [row] = await sqlOf(service, account, text);
    return [Number(row?.['attempts']), Number(row?.['at']) - service.clock.seconds];
  };
  for (const [index, delay] of [5, 30].entries()) {
    await until(async () => (await attempts())[0] === index + 1);
    assert.deepEqual(await attempts(), [index + 1, delay]);
    assert.equal(product.calls.length, 1 + index + 1);
    service.clock.seconds += delay;
  }
  await sqlAtOnce(group, ['drop trigger broken on order_handoffs; drop function refuse_handoff()']);
  await until(async () => {
    service.clock.seconds += 60;
    return (await statusOf(account, order.id)) === 'completed';
  });
});
