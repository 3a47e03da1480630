// GET /forecast: the plans it counts, their days and prices, and when the balance runs out. Computed by hand.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { Sellthrough } from '../../sdk/src/index.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { credit, placeOrder, renewOrder, schedulePrices, secondsOf } from '../harness/shop.ts';

let service: TestService;
let account: TestAccount;
before(async () => {
  service = await startTestService();
  account = await service.createReseller({ credit: '1000.00' });
});
after(() => service.close());

const forecastOf = async (one: TestAccount, query = '') =>
  expectStatus(await one.get(`/forecast${query}`), 200);

async function place(at: string, customer: string, body: object = {}): Promise<{ id: number; path: string }> {
  service.clock.seconds = secondsOf(at);
  const { order } = await placeOrder(service, account, { customer, ...body });
  return { id: order.id, path: `/customers/${order.customer.id}` };
}

async function setBalance(wanted: number): Promise<void> {
  const { balance } = (await account.get('/balance')).body;
  await credit(service, account, (wanted - Number(balance)).toFixed(2));
}

test('every plan that ends is renewed once, at the price of the second in which it ends', async () => {
  const { basic, plus, trial } = service.packages;
  const turned = await place('2025-10-12T12:00:00Z', 'turned-monthly', { months: 3 });
  await place('2025-11-15T12:00:00Z', 'quarterly', { months: 3 });
  await place('2025-12-01T12:00:00Z', 'ended');
  service.clock.seconds = secondsOf('2026-01-10T11:00:00Z');
  await renewOrder(account, turned.id, { months: 1 });
  await place('2026-01-10T12:00:00Z', 'monthly');
  await place('2026-01-10T12:00:00Z', 'bigger', { package_id: plus });
  await place('2026-01-10T17:59:59Z', 'last-second');
  await place('2026-01-10T18:00:00Z', 'first-second');
  const held = await place('2026-01-10T23:59:59Z', 'suspended');
  await place('2026-01-11T00:00:00Z', 'midnight');
  const automatic = await place('2026-01-11T00:00:00Z', 'automatic');
  const cancelled = await place('2026-01-12T12:00:00Z', 'cancelled');
  const leaving = await place('2026-01-12T12:00:00Z', 'leaving');
  await place('2026-01-12T12:00:00Z', 'later', { months: 12 });
  expectStatus(await account.post(`${held.path}/suspend`), 200);
  const renewal = { months: 3, hours_before: 1 };
  expectStatus(await account.send('PUT', `${automatic.path}/auto-renew`, renewal), 200);
  expectStatus(await account.post(`${cancelled.path}/cancel`, { at: 'now' }), 200);
  expectStatus(await account.post(`${leaving.path}/cancel`, { at: 'period_end' }), 200);
  service.clock.seconds = secondsOf('2026-01-20T12:00:00Z');
  const granted = { package_id: trial, customer: 'on-trial' };
  expectStatus(await service.admin.post(`/api/admin/v1/accounts/${account.id}/trials`, granted), 201);
  // From this time on, a month costs 12.00. Prices of other groups do not matter.
  await schedulePrices(service, basic, '2026-02-10T18:00:00Z', { reseller: { monthly: '12.00' } });
  await schedulePrices(service, basic, '2026-02-20T06:00:00Z', { distributor: { monthly: '9.00' } });
  const other = await service.createReseller({ credit: '100.00', group: 'distributor' });
  await placeOrder(service, other, { customer: 'of-another' });

  await setBalance(108);
  const days = [
    // monthly 10, bigger 25, last-second 10, first-second 12, suspended 12
    { date: '2026-02-10', plans: 5, cost: '69.00' },
    // midnight 12, automatic 27
    { date: '2026-02-11', plans: 2, cost: '39.00' },
    // turned-monthly
    { date: '2026-02-12', plans: 1, cost: '12.00' },
    // quarterly
    { date: '2026-02-15', plans: 1, cost: '27.00' },
  ];
  const whole = { days, plans: 9, total: '147.00', balance: '108.00', runs_out_on: '2026-02-12' };
  assert.deepEqual(await forecastOf(account), { ...whole, currency: 'USD' });
  const client = new Sellthrough({ baseUrl: service.address, apiKey: account.key });
  assert.deepEqual(await client.getForecast({ days: 30 }), { ...whole, currency: 'USD' });
  assert.deepEqual(await forecastOf(other, '?days=31'), {
    days: [{ date: '2026-02-20', plans: 1, cost: '9.00' }],
    plans: 1,
    total: '9.00',
    balance: '92.00',
    runs_out_on: null,
    currency: 'USD',
  });
  // The rest of the year of "later" ends on 12 January 2027.
  assert.partialDeepStrictEqual(await forecastOf(account, '?days=366'), { plans: 10, total: '243.00' });
});

test('the balance runs out on the first day whose costs, with those before it, are more than it', async () => {
  const runsOut = async (balance: number) => {
    await setBalance(balance);
    return (await forecastOf(account)).runs_out_on;
  };
  assert.equal(await runsOut(147), null, 'spent to the last cent');
  assert.equal(await runsOut(146.99), '2026-02-15');
  assert.equal(await runsOut(107.99), '2026-02-11');
  assert.equal(await runsOut(69), '2026-02-11');
  assert.equal(await runsOut(0), '2026-02-10');
});

test('the days are counted from this second, and what ends now has ended', async () => {
  const at = async (time: string) => {
    service.clock.seconds = secondsOf(time);
    const { days, plans } = await forecastOf(account, '?days=1');
    return [plans, ...days.map(({ date, cost }: { date: string; cost: string }) => `${date} ${cost}`)];
  };
  assert.deepEqual(await at('2026-02-09T11:59:59Z'), [0]);
  assert.deepEqual(await at('2026-02-09T12:00:00Z'), [2, '2026-02-10 35.00']);
  assert.deepEqual(await at('2026-02-10T12:00:00Z'), [5, '2026-02-10 34.00', '2026-02-11 39.00']);
  assert.deepEqual(await at('2026-02-10T18:00:00Z'), [3, '2026-02-10 12.00', '2026-02-11 39.00']);
});

test('more plans than one statement counts are counted, also where none of the first is renewed', async () => {
  const many = await service.createReseller({ credit: '37000.00' });
  for (let second = 0; second < 5; second += 1) {
    service.clock.seconds = secondsOf('2026-02-10T20:00:00Z') + second;
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        service.service.engine.submit({
          type: 'place',
          accountId: many.id,
          accessVersion: 1,
          idempotencyKey: `many-${second}-${index}`,
          keyIsMinted: false,
          packageId: service.packages.basic,
          customerReference: `many-${second}-${index}`,
          customerName: null,
          months: 1,
          maxChargeCents: null,
          loginLink: null,
        }),
      ),
    );
    assert.ok(outcomes.every(({ type }) => type === 'ordered'));
  }
  const whole = { plans: 2_500, total: '30000.00', balance: '7000.00', runs_out_on: '2026-03-10' };
  assert.partialDeepStrictEqual(await forecastOf(many), whole);
  const setLeaving = (isLeaving: boolean) => {
    const text = `update customers set ends_at_period_end = $2::boolean
      where account_id = $1::int and expires_at < timestamptz '2026-03-10T20:00:04Z'`;
    return sqlOf(service, many, text, [many.id, isLeaving]);
  };
  await setLeaving(true);
  assert.partialDeepStrictEqual(await forecastOf(many), { plans: 500, total: '6000.00', runs_out_on: null });
  // Restore it: otherwise verification at the end would miss the author of the ends.
  await setLeaving(false);
});

test('days are a whole number from 1 to 366', async () => {
  for (const days of ['', '0', '-1', '367', '1.5', '1e2', 'month', '99999999999999999999', '30&days=31']) {
    expectRefusal(await account.get(`/forecast?days=${days}`), '422 invalid_filter');
  }
  const refused = await account.get('/forecast?days=367');
  assert.deepEqual(refused.body.error.details, {
    field: 'days',
    reason: 'must be a whole number from 1 to 366',
  });
});
