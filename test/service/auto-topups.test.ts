// Automatic top-ups: the card, the threshold, one charge at a time, the monthly maximum, failures. The provider is the
// stand-in.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { holdAutoTopups } from '../../src/features/payments/auto-topup-store.ts';
import {
  moneyOf,
  type PaymentScene,
  sessionOf,
  startPaymentScene,
  topupOf,
} from '../harness/payment-scene.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { runJob } from '../harness/run-job.ts';
import { createTestAccounts } from '../harness/test-mode.ts';

let scene: PaymentScene;
before(async () => {
  scene = await startPaymentScene();
});
after(() => scene.close());

const settings = { below: '50.00', amount: '100.00', monthly_maximum: '250.00' };
const set = (account: TestAccount, more: object = {}) =>
  account.send('PUT', '/api/v1/auto-topup', { ...settings, ...more });
const shown = async (account: TestAccount) =>
  expectStatus(await account.get('/api/v1/auto-topup'), 200).auto_topup;
const charge = () => runJob(scene.service, 'auto_topups');

async function withCard(
  button: 'save_card' | 'save_card_that_asks' | 'save_card_that_fails' = 'save_card',
  account?: TestAccount,
): Promise<TestAccount> {
  const of = account ?? (await scene.service.createReseller({ credit: '40.00' }));
  const { setup_url: pay_url } = expectStatus(await of.post('/api/v1/auto-topup/card', {}), 201);
  scene.standIn.control.press(sessionOf({ pay_url, id: 0, status: '', credited_at: null }), button);
  await scene.standIn.control.deliveriesSettled();
  return of;
}

async function spend(account: TestAccount, amount: string): Promise<void> {
  const body = { amount: `-${amount}`, memo: 'Spent' };
  expectStatus(await scene.service.admin.post(`/api/admin/v1/accounts/${account.id}/credit`, body), 201);
}

async function nextHour(): Promise<void> {
  scene.service.clock.seconds += 3_600;
  await charge();
}

test('it needs a card, and amounts that fit', async () => {
  const account = await scene.service.createReseller();
  assert.deepEqual(await shown(account), {
    status: 'off',
    reason: null,
    below: null,
    amount: null,
    monthly_maximum: null,
    charged_this_month: '0.00',
    card: null,
    currency: 'EUR',
  });
  expectRefusal(await set(account), '409 card_missing');
  await withCard('save_card', account);
  assert.equal((await shown(account)).card, 'visa 4242');
  for (const wrong of [
    { below: '0' },
    { amount: '0.99' },
    { amount: '5000.01' },
    { monthly_maximum: '99.99' },
  ])
    expectRefusal(await set(account, wrong), '422 validation_failed');
  expectRefusal(await set(account, { outcome: 'pay' }), '403 test_mode_only');
  assert.equal(expectStatus(await set(account), 200).auto_topup.status, 'on');
});

test('a balance below the threshold is topped up once, however many orders come and however often it looks', async () => {
  const account = await withCard();
  expectStatus(await set(account), 200);
  await charge();
  await charge();
  assert.equal(await moneyOf(account), '140.00, 0.00');
  const orders = Array.from({ length: 12 }, (_, index) => ({
    package_id: scene.service.packages.basic,
    customer: `customer${index}@example.com`,
    months: 1,
  }));
  const placed = await Promise.all(orders.map((order) => account.post('/api/v1/orders', order)));
  for (const answer of placed) expectStatus(answer, 201);
  await charge();
  await charge();
  assert.equal(await moneyOf(account), '120.00, 0.00');
  const { total } = expectStatus(await account.get('/api/v1/topups'), 200);
  assert.equal(total, 2);
  assert.equal((await shown(account)).charged_this_month, '200.00');
});

test('a month never exceeds its maximum, and the next one starts from zero', async () => {
  const account = await withCard();
  expectStatus(await set(account), 200);
  await charge();
  await spend(account, '120.00');
  await nextHour();
  assert.equal(await moneyOf(account), '120.00, 0.00');
  await spend(account, '100.00');
  await nextHour();
  assert.equal(await moneyOf(account), '20.00, 0.00');
  scene.service.clock.seconds = Date.parse('2026-02-01T00:00:00Z') / 1000;
  await charge();
  assert.equal(await moneyOf(account), '120.00, 0.00');
  assert.equal((await shown(account)).charged_this_month, '100.00');
});

test('three failures in a row switch it off', async () => {
  const account = await withCard('save_card_that_fails');
  expectStatus(await account.get('/api/v1/events'), 200);
  expectStatus(await set(account), 200);
  await charge();
  assert.deepEqual([(await shown(account)).status, await moneyOf(account)], ['on', '40.00, 0.00']);
  await nextHour();
  for (let day = 0; day < 2; day += 1) {
    scene.service.clock.seconds += 86_400;
    await charge();
  }
  const { status, reason, charged_this_month: charged } = await shown(account);
  assert.deepEqual([status, reason, charged], ['off', 'failed', '0.00']);
  const { data } = expectStatus(await account.get('/api/v1/events?type=auto_topup.disabled'), 200);
  assert.equal(data.length, 1);
  const failed = expectStatus(await account.get('/api/v1/topups?status=failed'), 200).data;
  assert.equal(failed.length, 3);
});

test('a bank that asks for the card holder pauses it at once, and the top-up can be paid by hand', async () => {
  const account = await withCard('save_card_that_asks');
  expectStatus(await set(account), 200);
  await charge();
  const { status, reason } = await shown(account);
  assert.deepEqual([status, reason], ['paused', 'holder_needed']);
  await nextHour();
  const { data } = expectStatus(await account.get('/api/v1/topups'), 200);
  assert.equal(data.length, 1);
  scene.standIn.control.press(sessionOf(data[0]), 'pay');
  await scene.standIn.control.deliveriesSettled();
  assert.equal((await topupOf(account, data[0].id)).status, 'paid');
  await withCard('save_card', account);
  assert.equal((await shown(account)).status, 'on');
});

test('a charge without an answer is asked for again, and charged once', async () => {
  const account = await withCard();
  expectStatus(await set(account), 200);
  scene.standIn.control.setFault({ answer: 500, requests: 2, afterEffect: true });
  await charge();
  scene.service.clock.seconds += 61;
  await charge();
  await scene.standIn.control.deliveriesSettled();
  assert.equal(await moneyOf(account), '140.00, 0.00');
  assert.equal((await shown(account)).charged_this_month, '100.00');
});

test('the newest card is charged, also when the news of an earlier one comes later', async () => {
  const { control } = scene.standIn;
  const account = await scene.service.createReseller({ credit: '40.00' });
  control.configureDeliveries({ mode: 'hold' });
  for (const button of ['save_card_that_fails', 'save_card'] as const) {
    const { setup_url: pay_url } = expectStatus(await account.post('/api/v1/auto-topup/card', {}), 201);
    control.press(sessionOf({ pay_url, id: 0, status: '', credited_at: null }), button);
  }
  await control.release('newest_first');
  control.configureDeliveries({ mode: 'send' });
  await control.deliveriesSettled();
  expectStatus(await set(account), 200);
  await charge();
  assert.equal(await moneyOf(account), '140.00, 0.00');
});

test('it can be stopped', async () => {
  const account = await withCard();
  expectStatus(await set(account), 200);
  assert.equal(
    expectStatus(await account.send('DELETE', '/api/v1/auto-topup'), 200).auto_topup.status,
    'off',
  );
  await charge();
  assert.equal(await moneyOf(account), '40.00, 0.00');
});

test('in test mode a card is saved at once, and the request says what becomes of the charges', async () => {
  const { tests } = await createTestAccounts(scene.service);
  expectStatus(await tests.post('/api/v1/auto-topup/card', {}), 201);
  expectStatus(await set(tests, { below: '1500.00', amount: '600.00', monthly_maximum: '600.00' }), 200);
  await charge();
  assert.equal(await moneyOf(tests), '1600.00, 0.00');
  expectStatus(await set(tests, { below: '2000.00', outcome: 'fail' }), 200);
  await charge();
  assert.equal(await moneyOf(tests), '1600.00, 0.00');
});

test('after a restore, no card is charged for a day', async () => {
  const account = await withCard();
  expectStatus(await set(account), 200);
  await holdAutoTopups(scene.service.database);
  await charge();
  assert.equal(await moneyOf(account), '40.00, 0.00');
  const text = `select extract(epoch from now())::bigint + 86460 as seconds`;
  const [row] = await scene.service.database.query({ name: '', text });
  scene.service.clock.seconds = Number(row?.['seconds']);
  await charge();
  assert.equal(await moneyOf(account), '140.00, 0.00');
});
