// The operator's product and tests: it is called for them at an address of their own, and where there is none their orders
// are completed at once, whatever real orders wait for.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { productCallsKind } from '../../src/delivery/product-caller.ts';
import { type ProductReceiver, startProductReceiver } from '../harness/product-receiver.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { beginProductCalls } from '../harness/run-product-calls.ts';
import { placeOrder, secondsOf } from '../harness/shop.ts';
import { testModeOf } from '../harness/test-mode.ts';

let service: TestService;
let product: ProductReceiver;
let testProduct: ProductReceiver;
before(async () => {
  service = await startTestService({ limits: { outbound: { callMilliseconds: 2_000 } } });
});
after(() => service.close());
beforeEach(async () => {
  service.clock.seconds = secondsOf('2026-01-31T10:00:00Z');
  product = await startProductReceiver();
  testProduct = await startProductReceiver();
});
afterEach(async () => {
  await service.service.jobs.cancel(productCallsKind);
  await service.service.jobs.idle();
  expectStatus(await service.admin.send('DELETE', '/api/admin/v1/product'), 200);
  assert.deepEqual([product.forged, testProduct.forged], [[], []], 'every call is signed');
  await product.close();
  await testProduct.close();
});

const setProduct = (body: object) =>
  service.admin.send('PUT', '/api/admin/v1/product', {
    mode: 'confirm',
    url: product.url,
    secret: product.secret,
    ...body,
  });

async function twins(): Promise<{ live: TestAccount; tests: TestAccount }> {
  const live = await service.createReseller({ credit: '100.00' });
  return { live, tests: await testModeOf(service, live) };
}

test('without an address for tests the product hears of none, and their orders are completed at once', async () => {
  const shown = expectStatus(await setProduct({}), 200).product;
  assert.deepEqual(Object.keys(shown).sort(), ['has_secret', 'mode', 'url']);
  await beginProductCalls(service);
  const { live, tests } = await twins();
  const { order } = await placeOrder(service, tests, { customer: 'quiet@example.com' });
  assert.equal(order.status, 'completed');
  expectStatus(await tests.post('/test/clock', { advance: 'P2M' }), 200);
  await placeOrder(service, live, { customer: 'heard@example.com' });
  const calls = await product.waitFor(1);
  assert.deepEqual(
    calls.map(({ data }) => data.customer.reference),
    ['heard@example.com'],
  );
});

test('with one it is asked there, by the clock of the test, and answers as it does for real orders', async () => {
  const body = { test_url: testProduct.url, test_secret: testProduct.secret };
  expectRefusal(await setProduct({ test_url: testProduct.url }), '422 validation_failed', {
    field: 'test_secret',
    reason: 'is needed the first time',
  });
  assert.equal(expectStatus(await setProduct(body), 200).product.test_url, testProduct.url);
  // What is left out stays.
  assert.equal(expectStatus(await setProduct({}), 200).product.test_url, testProduct.url);
  testProduct.answer(({ data }) =>
    data.customer.reference.startsWith('no')
      ? { status: 422, body: '{"reason":"not here"}' }
      : { status: 200 },
  );
  await beginProductCalls(service);
  const { tests } = await twins();
  expectStatus(await tests.post('/test/clock', { now: '2027-01-01T00:00:00Z' }), 200);
  const taken = await placeOrder(service, tests, { customer: 'yes@example.com' });
  const refused = await placeOrder(service, tests, { customer: 'no@example.com' });
  assert.deepEqual([taken.order.status, refused.order.status], ['pending', 'pending']);
  assert.equal(expectStatus(await service.admin.get('/api/admin/v1/orders/attention'), 200).data.length, 0);
  await testProduct.waitFor(2);
  for (const [{ order }, wanted] of [
    [taken, 'completed'],
    [refused, 'failed'],
  ] as const) {
    for (;;) {
      const { status } = expectStatus(await tests.get(`/orders/${order.id}`), 200).order;
      if (status !== 'pending') {
        assert.equal(status, wanted);
        break;
      }
    }
  }
  assert.equal(expectStatus(await tests.get('/balance'), 200).balance, '990.00');
  const [call] = testProduct.calls;
  assert.equal(call?.data.status, 'active');
  assert.deepEqual(product.calls, []);
  assert.equal(expectStatus(await setProduct({ test_url: null }), 200).product.test_url, undefined);
});

test('an order that waits when the address is taken away fails by itself, and is repaid', async () => {
  expectStatus(await setProduct({ test_url: testProduct.url, test_secret: testProduct.secret }), 200);
  const { tests } = await twins();
  const { order } = await placeOrder(service, tests, { customer: 'waits@example.com' });
  assert.equal(order.status, 'pending');
  expectStatus(await setProduct({ test_url: null }), 200);
  await beginProductCalls(service);
  while (expectStatus(await tests.get(`/orders/${order.id}`), 200).order.status === 'pending');
  assert.equal(expectStatus(await tests.get(`/orders/${order.id}`), 200).order.status, 'failed');
  assert.equal(expectStatus(await tests.get('/balance'), 200).balance, '1000.00');
});
