// What a package change refunds, through the API, with the arithmetic beside it. renewals.test.ts tests renewals.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { booksOf } from '../harness/books.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { changePackage, createPackage, credit, placeOrder, renewOrder, secondsOf } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());
beforeEach(() => {
  service.clock.seconds = secondsOf('2026-01-31T10:00:00Z');
});

function at(time: string): void {
  service.clock.seconds = secondsOf(time);
}

test('a change of package refunds the unused time of three stacked periods of different prices to the cent', async () => {
  const stacked = await createPackage(service, 'Stacked', ['10.00', '28.00', '100.00']);
  const setPrices = (prices: object) => changePackage(service, stacked, { prices: { reseller: prices } });
  const reseller = await service.createReseller({ credit: '100.00' });
  const { order: first } = await placeOrder(service, reseller, { package_id: stacked });
  await setPrices({ monthly: '12.34' });
  await renewOrder(reseller, first.id);
  at('2026-02-03T00:00:00Z');
  await setPrices({ quarterly: '30.01' });
  const third = await placeOrder(service, reseller, { package_id: stacked, months: 3 });
  await setPrices({ monthly: '99.99', quarterly: '299.99' });
  // 100.00 − 10.00 − 12.34 − 30.01
  assert.deepEqual([third.order.expires_at, third.balance], ['2026-06-30T10:00:00Z', '47.65']);

  // One second after half of the first period:
  //   31 Jan 10:00 → 28 Feb 10:00   10.00 × 1,209,599 s of 2,419,200 s = 4.9999958…   4.99
  //   28 Feb 10:00 → 31 Mar 10:00   12.34, all of it                                 12.34
  //   31 Mar 10:00 → 30 Jun 10:00   30.01, all of it                                 30.01
  //                                                                                  47.34
  // 47.65 + 47.34 − 25.00 = 69.99
  at('2026-02-14T10:00:01Z');
  const changed = await placeOrder(service, reseller, { package_id: service.packages.plus });
  const { kind, price, refund, expires_at } = changed.order;
  assert.deepEqual(
    { kind, price, refund, expires_at, balance: changed.balance },
    {
      kind: 'change',
      price: '25.00',
      refund: '47.34',
      expires_at: '2026-03-14T10:00:01Z',
      balance: '69.99',
    },
  );
  assert.deepEqual((await booksOf(service, reseller)).entries, [
    'charge -25.00 69.99',
    'refund 47.34 94.99',
    'charge -30.01 47.65',
    'charge -12.34 77.66',
    'charge -10.00 90.00',
    'credit 100.00 100.00',
  ]);

  // Changed back at once: all of the 25.00 is unused, but the old periods are not refunded again.
  const back = await placeOrder(service, reseller, { package_id: service.packages.basic });
  assert.deepEqual([back.order.refund, back.balance], ['25.00', '84.99']);
});

test('inside a later period the earlier ones are worth nothing, and the cent is rounded down', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const { order: first } = await placeOrder(service, reseller, {});
  await renewOrder(reseller, first.id);
  await renewOrder(reseller, first.id);
  // On 10 March at 10:00, 21 of the 31 days from 28 February to 31 March are left: 10.00 × 21 ÷ 31 = 6.774…, and 10.00.
  at('2026-03-10T10:00:00Z');
  const changed = await placeOrder(service, reseller, { package_id: service.packages.plus });
  assert.deepEqual([changed.order.refund, changed.balance], ['16.77', '61.77']);
});

test('what was paid is refunded in the old group’s money when the account moves to another group', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  await placeOrder(service, reseller, {});
  await service.admin.patch(`/api/admin/v1/accounts/${reseller.id}`, { group: 'distributor' });
  const changed = await placeOrder(service, reseller, { package_id: service.packages.plus });
  assert.deepEqual([changed.order.refund, changed.order.price, changed.balance], ['10.00', '20.00', '80.00']);
});

test('the refund counts towards the price of the new package', async () => {
  const reseller = await service.createReseller({ credit: '25.00' });
  await placeOrder(service, reseller, {});
  // The 15.00 left and the refund of 10.00 are exactly the price of Plus.
  await credit(service, reseller, '-0.01');
  const body = { package_id: service.packages.plus, customer: `c-${reseller.id}` };
  const before = await booksOf(service, reseller);
  const details = { balance: '14.99', required: '15.00', currency: 'USD' };
  expectRefusal(await reseller.post('/orders', body), '402 insufficient_credit', details);
  assert.deepEqual(await booksOf(service, reseller), before);
  await credit(service, reseller, '0.01');
  assert.equal((await placeOrder(service, reseller, { package_id: service.packages.plus })).balance, '0.00');
});

test('the free trial cannot be ordered; a trial that runs is replaced without a refund', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const customer = `c-${reseller.id}`;
  const body = { package_id: service.packages.trial, customer };
  const refused = await reseller.post('/orders', body);
  expectRefusal(refused, '422 package_unavailable', { field: 'package_id', reason: 'free_trial' });
  const granted = await service.admin.post(`/api/admin/v1/accounts/${reseller.id}/trials`, body);
  assert.equal(granted.status, 201, granted.text);
  assert.equal(granted.body.customer.plan.expires_at, '2026-02-14T10:00:00Z', '14 days');
  const changed = await placeOrder(service, reseller, {});
  assert.deepEqual([changed.order.kind, changed.order.refund, changed.balance], ['change', '0.00', '90.00']);
});
