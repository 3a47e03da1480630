// Previews, and the guard (max_charge) that keeps an order from costing more than its preview.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { booksOf } from '../harness/books.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { changeAccount, changePackage, createPackage, credit } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

interface Body {
  readonly order_id?: number;
  readonly idempotency_key?: string;
}

const cents = (amount: string) => Math.round(Number(amount) * 100);
const amountOf = (whole: number) => (whole / 100).toFixed(2);

async function place(account: Pick<TestAccount, 'post'>, body: object): Promise<Answer['body']> {
  const answer = await account.post('/orders', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

test('a preview says what the order then does, or what it is refused with, and writes nothing', async () => {
  const random = createRandom(20_260_115);
  const spare = await createPackage(service, 'Spare', ['7.00', '20.00', '70.00']);
  const packages = [
    service.packages.basic,
    service.packages.plus,
    service.packages.retired,
    service.packages.trial,
    spare,
    999_999,
  ];
  const outsider = await service.createReseller({ credit: '10.00' });
  await place(outsider, { package_id: service.packages.basic, customer: 'a-stranger-has-it' });
  const account = await service.createReseller({ credit: '250.00' });
  const orders: number[] = [];
  const keyed: Body[] = [];
  const seen = new Map<string, number>();

  for (let round = 0; round < 150; round += 1) {
    service.clock.seconds += random.pick([0, 1, 3_600, 5 * 3_600]);
    if (random.below(8) === 0) await credit(service, account, random.pick(['15.00', '90.00']));
    if (random.below(12) === 0) {
      await changePackage(service, spare, {
        prices: { reseller: { monthly: `${1 + random.below(30)}.${10 + random.below(89)}` } },
        retired: random.below(6) === 0,
      });
    }
    if (random.below(20) === 0) {
      await changeAccount(service, account, { group: random.pick(['reseller', 'distributor']) });
    }
    const customer = random.below(25) === 0 ? 'a-stranger-has-it' : `preview-${random.below(6)}`;
    const months = random.pick([0, 1, 1, 3, 12, 2]);
    const guard = random.pick([null, null, null, '500', '9.99', '0.00', '-0.01', 'x', 5]);
    const chosen = {
      ...(months !== 0 && { months }),
      ...(guard !== null && { max_charge: guard }),
      ...(random.below(10) === 0 && { idempotency_key: `preview-key-${random.below(3)}` }),
    };
    const renews = orders.length > 0 && random.below(3) === 0;
    const orderId = random.below(12) === 0 ? 1 : (orders[random.below(orders.length)] ?? 1);
    const fresh = renews
      ? { order_id: orderId, ...chosen }
      : { package_id: random.pick(packages), customer, ...chosen };
    const body: Body = keyed.length > 0 && random.below(12) === 0 ? random.pick(keyed) : fresh;

    const before = await booksOf(service, account);
    const preview = await account.post('/orders/preview', body);
    assert.deepEqual(await booksOf(service, account), before, 'nothing was written');
    const { order_id: renewed, ...others } = body;
    const done = await account.post(renewed === undefined ? '/orders' : `/orders/${renewed}/renew`, others);
    const why = `${round}: ${JSON.stringify(body)}\n${preview.text}\n${done.text}`;
    if (done.status !== 201) {
      assert.equal(preview.status, done.status, why);
      assert.deepEqual(preview.body, done.body, why);
      seen.set(done.body.error.code, (seen.get(done.body.error.code) ?? 0) + 1);
      continue;
    }
    const { order, balance } = done.body;
    const replayed = done.headers.get('idempotent-replayed');
    orders.push(order.id);
    if (body.idempotency_key !== undefined) keyed.push(body);
    const outcome = replayed === null ? order.kind : 'replayed';
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    assert.equal(preview.status, 200, why);
    assert.equal(preview.headers.get('idempotent-replayed'), replayed, why);
    const charge = cents(order.price) - cents(order.refund);
    const { plan } = (await account.get(`/customers/${order.customer.id}`)).body.customer;
    assert.deepEqual(
      preview.body,
      {
        preview: {
          kind: order.kind,
          package: order.package,
          months: order.months,
          period: order.period,
          price: order.price,
          price_rule: order.price_rule,
          refund: order.refund,
          charge: amountOf(charge),
          currency: order.currency,
          balance: replayed === null ? before.balance : amountOf(cents(balance) + charge),
          balance_after: balance,
          starts_at: plan.starts_at,
          expires_at: order.expires_at,
        },
      },
      why,
    );
    if (replayed === null) assert.equal(plan.expires_at, order.expires_at, why);
  }
  for (const outcome of [
    'activate',
    'renew',
    'change',
    'replayed',
    'idempotency_conflict',
    'price_changed',
    'invalid_max_charge',
    'insufficient_credit',
    'package_unavailable',
    'invalid_package',
    'invalid_months',
    'customer_not_yours',
    'order_not_found',
  ]) {
    assert.ok((seen.get(outcome) ?? 0) > 0, `${outcome} came up: ${JSON.stringify([...seen])}`);
  }
});

test('a preview takes odd bodies as the order does, and binds no idempotency key', async () => {
  const account = await service.createReseller({ credit: '50.00' });
  const body = { package_id: service.packages.basic, customer: 'odd-preview', idempotency_key: 'previewed' };
  assert.equal((await account.post('/orders/preview', body)).status, 200);
  assert.equal((await account.post('/orders/preview', body)).status, 200);
  const placed = await account.post('/orders', body);
  assert.deepEqual([placed.status, placed.headers.get('idempotent-replayed')], [201, null]);
  for (const odd of ['x', 1.5, null, [], {}]) {
    expectRefusal(await account.post('/orders/preview', { order_id: odd }), '422 validation_failed');
  }
  for (const missing of [0, -1, 1, 1e15, 9e15]) {
    expectRefusal(await account.post('/orders/preview', { order_id: missing }), '404 order_not_found');
  }
  expectRefusal(await account.post('/orders/preview'), '400 invalid_json');
  expectRefusal(await account.post('/orders/preview', {}), '422 invalid_package');
});

test('a price that rose in between is not charged: the answer says what it would be now', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const rising = await createPackage(service, 'Rising', ['10.00', '27.00', '96.00']);
  const body = { package_id: rising, customer: 'guarded', idempotency_key: 'guarded-1' };
  const { preview } = (await account.post('/orders/preview', body)).body;
  assert.equal(preview.charge, '10.00');

  await changePackage(service, rising, { prices: { reseller: { monthly: '10.01' } } });
  const before = await booksOf(service, account);
  const guarded = { ...body, max_charge: preview.charge };
  const details = { max_charge: '10.00', charge: '10.01', currency: 'USD' };
  expectRefusal(await account.post('/orders', guarded), '409 price_changed', details);
  expectRefusal(await account.post('/orders/preview', guarded), '409 price_changed', details);
  assert.deepEqual(await booksOf(service, account), before);

  // The refusal left the key free. A charge equal to the guard is allowed.
  const { order } = await place(account, { ...body, max_charge: '10.01' });
  assert.equal(order.price, '10.01');
  // The guard is not part of the compared data, so a repeat with another guard is answered.
  for (const guard of [{}, { max_charge: '0' }, { max_charge: '-5.00' }, { max_charge: '999999999999.99' }]) {
    const again = await account.post('/orders', { ...body, ...guard });
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true'], again.text);
    assert.deepEqual(again.body.order, order);
  }

  const renewal = `/orders/${order.id}/renew`;
  expectRefusal(await account.post(renewal, { max_charge: '10' }), '409 price_changed', {
    ...details,
    max_charge: '10.00',
  });
  assert.equal((await account.post(renewal, { max_charge: '10.01' })).status, 201);
});

test('the guard of a change to a cheaper package says what must come back at least', async () => {
  const account = await service.createReseller({ credit: '500.00' });
  const { basic, plus } = service.packages;
  await place(account, { package_id: plus, customer: 'steps-down', months: 12 });
  const down = { package_id: basic, customer: 'steps-down' };
  const { preview } = (await account.post('/orders/preview', down)).body;
  assert.ok(cents(preview.charge) < 0, preview.charge);
  const more = amountOf(cents(preview.charge) - 1);
  expectRefusal(await account.post('/orders', { ...down, max_charge: more }), '409 price_changed', {
    max_charge: more,
    charge: preview.charge,
    currency: 'USD',
  });
  const { balance } = await place(account, { ...down, max_charge: preview.charge });
  assert.equal(balance, preview.balance_after);
});

test('the guard is asked after order_failed and before insufficient_credit; what is no amount is refused before the key', async () => {
  const account = await service.createReseller({ credit: '1.00' });
  const { basic, retired } = service.packages;
  const body = { package_id: basic, customer: 'ordered-checks', idempotency_key: 'ordered-checks' };
  expectRefusal(await account.post('/orders', { ...body, max_charge: '0.50' }), '409 price_changed');
  expectRefusal(await account.post('/orders', { ...body, max_charge: '50' }), '402 insufficient_credit');
  await credit(service, account, '5000.00');
  const { order } = await place(account, { ...body, max_charge: '50' });
  for (let year = 1; year < 10; year += 1)
    await place(account, { ...body, idempotency_key: `year-${year}`, months: 12 });
  const tooLong = { max_charge: '0.01', months: 12 };
  expectRefusal(await account.post(`/orders/${order.id}/renew`, tooLong), '422 order_failed', {
    reason: 'term_too_long',
  });
  for (const odd of [5, null, '', 'x', '1,00', '1.234', '1e3', '+1', ' 1', '1'.repeat(13), [], {}, true]) {
    for (const path of ['/orders', '/orders/preview', `/orders/${order.id}/renew`]) {
      const answer = await account.post(path, { ...body, package_id: retired, max_charge: odd });
      expectRefusal(answer, '422 invalid_max_charge', undefined, `${path} ${JSON.stringify(odd)}`);
      assert.equal(answer.body.error.details.field, 'max_charge');
    }
    expectRefusal(
      await account.post('/orders', { ...body, months: 2, max_charge: odd }),
      '422 invalid_months',
    );
  }
});

test('where orders wait for the product, the balance of a preview is the one that GET /balance answers', async () => {
  const account = await service.createReseller({ credit: '300.00' });
  const { packages, admin } = service;
  await place(account, { package_id: packages.plus, customer: 'ada-confirm', months: 12 });
  const product = { mode: 'confirm', url: 'https://127.0.0.1/product', secret: `whsec_${'A'.repeat(32)}` };
  expectStatus(await admin.send('PUT', '/api/admin/v1/product', product), 200);
  const cheaper = { package_id: packages.basic, customer: 'ada-confirm', months: 1 };
  const { preview } = expectStatus(await account.post('/orders/preview', cheaper), 200);
  expectStatus(await admin.send('DELETE', '/api/admin/v1/product'), 200);
  assert.equal(preview.charge, '-240.00');
  assert.equal(preview.balance, expectStatus(await account.get('/balance'), 200).balance);
  assert.equal(preview.balance_after, '50.00');
});
