// Test mode and the operator's product, which has a separate address for tests. Without one, test orders complete at once.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { productCallsKinds } from '../../src/features/fulfillment/product-caller.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { type ProductReceiver, startProductReceiver } from '../harness/product-receiver.ts';
import { readMetrics } from '../harness/read-metrics.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { beginProductCalls, endProductCalls } from '../harness/run-product-calls.ts';
import { placeOrder, secondsOf } from '../harness/shop.ts';
import { createTestAccounts } from '../harness/test-mode.ts';

const slots = { real: 6, ofTests: 2 };

let service: TestService;
let product: ProductReceiver;
let testProduct: ProductReceiver;
before(async () => {
  // Few slots, and calls that hang during the test.
  const tests = { callsMax: slots.ofTests, callsMaxUnanswered: 1 };
  service = await startTestService({
    limits: {
      outbound: { callMilliseconds: 60_000 },
      productCalls: { callsMax: slots.real, callsMaxUnanswered: 1, tests },
    },
  });
});
after(() => service.close());
beforeEach(async () => {
  service.clock.seconds = secondsOf('2026-01-31T10:00:00Z');
  product = await startProductReceiver();
  testProduct = await startProductReceiver();
});
afterEach(async () => {
  expectStatus(await service.admin.send('DELETE', '/api/admin/v1/product'), 200);
  // Hanging calls end together with their server.
  await Promise.all([product.close(), testProduct.close()]);
  await endProductCalls(service);
  assert.deepEqual([product.forged, testProduct.forged], [[], []], 'every call is signed');
});

const setProduct = (body: object) =>
  service.admin.send('PUT', '/api/admin/v1/product', {
    mode: 'confirm',
    url: product.url,
    secret: product.secret,
    ...body,
  });

const testAccounts = () => createTestAccounts(service);

/** The test runner's timeout ends the polling. */
async function settled(account: TestAccount, orderId: number): Promise<string> {
  for (;;) {
    const { status } = expectStatus(await account.get(`/orders/${orderId}`), 200).order;
    if (status !== 'pending') return status;
  }
}

const withTests = () => ({ test_url: testProduct.url, test_secret: testProduct.secret });

test('without an address for tests the product gets no test calls, and test orders complete at once', async () => {
  const shown = expectStatus(await setProduct({}), 200).product;
  assert.deepEqual(Object.keys(shown).sort(), ['has_secret', 'mode', 'url']);
  await beginProductCalls(service);
  const { live, tests } = await testAccounts();
  const { order } = await placeOrder(service, tests, { customer: 'quiet@example.com' });
  assert.equal(order.status, 'completed');
  expectStatus(await tests.post('/test/clock', { advance: 'P2M' }), 200);
  await placeOrder(service, live, { customer: 'called@example.com' });
  const calls = await product.waitFor(1);
  assert.deepEqual(
    calls.map(({ data }) => data.customer.reference),
    ['called@example.com'],
  );
});

test('with one it is asked there, by the clock of the test, and answers as it does for real orders', async () => {
  expectRefusal(await setProduct({ test_url: testProduct.url }), '422 validation_failed', {
    field: 'test_secret',
    reason: 'is needed the first time',
  });
  assert.equal(expectStatus(await setProduct(withTests()), 200).product.test_url, testProduct.url);
  // Omitted fields stay as they are.
  assert.equal(expectStatus(await setProduct({}), 200).product.test_url, testProduct.url);
  testProduct.answer(({ data }) =>
    data.customer.reference.startsWith('no')
      ? { status: 422, body: '{"reason":"not here"}' }
      : { status: 200 },
  );
  await beginProductCalls(service, 'test');
  const { tests } = await testAccounts();
  expectStatus(await tests.post('/test/clock', { now: '2027-01-01T00:00:00Z' }), 200);
  const taken = await placeOrder(service, tests, { customer: 'yes@example.com' });
  const refused = await placeOrder(service, tests, { customer: 'no@example.com' });
  assert.deepEqual([taken.order.status, refused.order.status], ['pending', 'pending']);
  assert.equal(expectStatus(await service.admin.get('/api/admin/v1/orders/attention'), 200).data.length, 0);
  await testProduct.waitFor(2);
  assert.equal(await settled(tests, taken.order.id), 'completed');
  assert.equal(await settled(tests, refused.order.id), 'failed');
  assert.equal(expectStatus(await tests.get('/balance'), 200).balance, '990.00');
  const [call] = testProduct.calls;
  assert.equal(call?.data.status, 'active');
  assert.deepEqual(product.calls, []);
  assert.equal(expectStatus(await setProduct({ test_url: null }), 200).product.test_url, undefined);
});

test('an order that waits when the address is taken away fails by itself, and is repaid', async () => {
  expectStatus(await setProduct(withTests()), 200);
  const { tests } = await testAccounts();
  const { order } = await placeOrder(service, tests, { customer: 'waits@example.com' });
  assert.equal(order.status, 'pending');
  expectStatus(await setProduct({ test_url: null }), 200);
  await beginProductCalls(service);
  assert.equal(await settled(tests, order.id), 'failed');
  assert.equal(expectStatus(await tests.get('/balance'), 200).balance, '1000.00');
});

test('tests whose product hangs have their own few slots, and real orders all of theirs', async () => {
  expectStatus(await setProduct(withTests()), 200);
  testProduct.answer(() => null);
  await beginProductCalls(service, 'test');
  const { live, tests } = await testAccounts();
  const hanging = [];
  for (let n = 0; n < 2 * slots.real; n += 1) {
    hanging.push((await placeOrder(service, tests, { customer: `hangs-${n}@example.com` })).order.id);
  }
  await testProduct.waitFor(slots.ofTests);
  // One real order after the other, each behind all tests.
  for (let n = 0; n < 2; n += 1) {
    const { order } = await placeOrder(service, live, { customer: `real-${n}@example.com` });
    assert.equal(await settled(live, order.id), 'completed');
  }
  product.answer(() => null);
  for (let n = 0; n < slots.real; n += 1)
    await placeOrder(service, live, { customer: `all-${n}@example.com` });
  await product.waitFor(slots.real, ({ data }) => data.customer.reference.startsWith('all-'));
  const waiting = async () => (await readMetrics(service)).get('sellthrough_product_calls_waiting');
  while ((await waiting()) !== slots.real);
  const asked = testProduct.calls.map(({ data }) => data.order_id);
  assert.deepEqual(asked.sort(), hanging.slice(0, slots.ofTests), 'in the order in which they were written');
});

test('a product that breaks in tests is not taken for one that does not answer real orders', async () => {
  expectStatus(await setProduct(withTests()), 200);
  await testProduct.close();
  await beginProductCalls(service, 'test');
  const { live, tests } = await testAccounts();
  const { order } = await placeOrder(service, tests, { customer: 'broken@example.com' });
  const attempts = `select attempts from product_calls where call_id = 'call_order_${order.id}'`;
  const tried = async () => (await service.database.query({ name: '', text: attempts }))[0]?.['attempts'];
  while ((await tried()) !== 1);
  product.answer(() => null);
  for (let n = 0; n < slots.real; n += 1)
    await placeOrder(service, live, { customer: `held-${n}@example.com` });
  const calls = await product.waitFor(slots.real);
  assert.equal(calls.length, slots.real);
});

test('once the product answers tests again, their delayed calls go out at once', async () => {
  expectStatus(await setProduct(withTests()), 200);
  testProduct.answer(({ data }) => ({ status: data.customer.reference.startsWith('first') ? 500 : 200 }));
  await beginProductCalls(service, 'test');
  const { tests } = await testAccounts();
  const first = await placeOrder(service, tests, { customer: 'first@example.com' });
  const isDelayed = `select from product_calls where call_id = 'call_order_${first.order.id}'
    and status = 'waiting' and attempts = 1 and next_attempt_at > to_timestamp(${service.clock.seconds})`;
  while ((await service.database.query({ name: '', text: isDelayed })).length === 0);
  testProduct.answer(() => ({ status: 200 }));
  const second = await placeOrder(service, tests, { customer: 'second@example.com' });
  assert.equal(await settled(tests, second.order.id), 'completed');
  assert.equal(await settled(tests, first.order.id), 'completed', 'without a move of the clock');
});

test('an order of a test that cannot be failed now is tried again later, and not without end', async () => {
  expectStatus(await setProduct(withTests()), 200);
  const { tests } = await testAccounts();
  const { order } = await placeOrder(service, tests, { customer: 'halted@example.com' });
  const sql = (text: string) => service.database.query({ name: '', text });
  await sqlOf(service, tests, `update accounts set halted_at = now() where id = ${tests.id}`);
  expectStatus(await setProduct({ test_url: null }), 200);
  const call = async () =>
    (
      await sql(`select attempts, status, extract(epoch from next_attempt_at)::bigint as next
        from product_calls where call_id = 'call_order_${order.id}'`)
    )[0];
  for (let put = await call(); put?.['attempts'] === 0; put = await call()) await beginProductCalls(service);
  const { attempts, status, next } = (await call()) ?? {};
  assert.deepEqual([attempts, status, Number(next)], [1, 'waiting', service.clock.seconds + 5]);
  await sqlOf(service, tests, `update accounts set halted_at = null where id = ${tests.id}`);
  service.clock.seconds += 5;
  for (;;) {
    await service.service.jobs.hasten(productCallsKinds.test);
    await service.service.jobs.look();
    const { status: now } = expectStatus(await tests.get(`/orders/${order.id}`), 200).order;
    if (now === 'failed') break;
  }
});

test('nothing waits for the product of a test that was reset', async () => {
  expectStatus(await setProduct(withTests()), 200);
  const { live, tests } = await testAccounts();
  await placeOrder(service, tests, { customer: 'reset@example.com' });
  expectStatus(await tests.post('/test/reset'), 200);
  const { order: later } = await placeOrder(service, tests, { customer: 'later@example.com' });
  await beginProductCalls(service, 'test');
  await testProduct.waitFor(1);
  await settled(tests, later.id);
  const { order } = await placeOrder(service, live, { customer: 'real@example.com' });
  await settled(live, order.id);
  assert.deepEqual(
    testProduct.calls.map(({ data }) => data.customer.reference),
    ['later@example.com'],
  );
});
