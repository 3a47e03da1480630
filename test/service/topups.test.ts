// Top-ups by card and by transfer: what is asked for, what the provider says, what is credited. The provider is the stand-in.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { countOpenProblems } from '../../src/features/payments/payment-problems.ts';
import { startStandInStripe } from '../../src/stand-in-stripe/stand-in-stripe.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { signIn } from '../harness/panel-client.ts';
import {
  moneyOf,
  type PaymentScene,
  type ShownTopup,
  sessionOf,
  setPayments,
  startPaymentScene,
  topUp,
  topupOf,
} from '../harness/payment-scene.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { advance, createTestAccounts } from '../harness/test-mode.ts';

let scene: PaymentScene;
let account: TestAccount;
before(async () => {
  scene = await startPaymentScene();
  account = await scene.service.createReseller();
});
after(() => scene.close());

async function delivered(): Promise<void> {
  await scene.standIn.control.deliveriesSettled();
}

async function eventsOf(of: TestAccount): Promise<string[]> {
  const { data } = expectStatus(await of.get('/api/v1/events?limit=100'), 200);
  return data
    .map(({ type }: { readonly type: string }) => type)
    .filter((type: string) => type.startsWith('topup'));
}

async function problems(): Promise<readonly unknown[]> {
  const rows = await scene.service.database.query({
    name: '',
    text: 'select reason from payment_problems where resolved_at is null order by id',
  });
  return rows.map((row) => row['reason']);
}

async function dismissProblems(): Promise<void> {
  await scene.service.database.query({ name: '', text: 'update payment_problems set resolved_at = now()' });
}

test('a card top-up is credited when the provider says that it is paid', async () => {
  const reseller = await scene.service.createReseller();
  const topup = await topUp(reseller, '100.00');
  assert.deepEqual(
    { ...topup, id: 0, pay_url: '' },
    {
      id: 0,
      status: 'open',
      method: 'card',
      amount: '100.00',
      tax: '0.00',
      total: '100.00',
      currency: 'EUR',
      refunded: '0.00',
      disputed: '0.00',
      ledger_entry_id: null,
      reference: null,
      created_at: '2026-01-15T12:00:00Z',
      expires_at: '2026-01-16T11:00:00Z',
      credited_at: null,
      pay_url: '',
    },
  );
  assert.equal(await moneyOf(reseller), '0.00, 0.00');
  scene.standIn.control.press(sessionOf(topup), 'pay');
  await delivered();
  const paid = await topupOf(reseller, topup.id);
  assert.deepEqual(
    [paid.status, paid.credited_at, paid.pay_url, /^pi_/.test(String(paid['reference']))],
    ['paid', '2026-01-15T12:00:00Z', undefined, true],
  );
  const ledger = await scene.service.admin.get(`/api/admin/v1/accounts/${reseller.id}/ledger`);
  assert.equal(paid['ledger_entry_id'], expectStatus(ledger, 200).data[0].id);
  assert.equal(await moneyOf(reseller), '100.00, 0.00');
});

test('fifty copies of each event credit once', async () => {
  scene.standIn.control.configureDeliveries({ copies: 50 });
  const topup = await topUp(account, '20.00');
  scene.standIn.control.press(sessionOf(topup), 'pay');
  await delivered();
  scene.standIn.control.configureDeliveries({ copies: 1 });
  assert.equal(await moneyOf(account), '20.00, 0.00');
});

test('without any webhook the reconciler credits after two minutes', async () => {
  scene.standIn.control.configureDeliveries({ mode: 'drop' });
  const reseller = await scene.service.createReseller();
  const topup = await topUp(reseller, '30.00');
  scene.standIn.control.press(sessionOf(topup), 'pay');
  scene.service.clock.seconds += 120;
  await scene.reconcile();
  scene.standIn.control.configureDeliveries({ mode: 'send' });
  assert.equal((await topupOf(reseller, topup.id)).status, 'paid');
  assert.equal(await moneyOf(reseller), '30.00, 0.00');
});

test('the first look at the provider goes back as far as it keeps events', async () => {
  const [reseller, topup] = await paidTopup('30.00');
  scene.standIn.control.configureDeliveries({ mode: 'drop' });
  scene.standIn.control.refund(sessionOf(topup), 1_000);
  scene.standIn.control.configureDeliveries({ mode: 'send' });
  await scene.service.database.query({ name: '', text: 'delete from payment_event_cursors' });
  scene.service.clock.seconds += 29 * 86_400;
  await scene.reconcile();
  assert.equal(await moneyOf(reseller), '20.00, 0.00');
});

test('a direct debit is on its way until it is collected, and fails if it is not', async () => {
  const reseller = await scene.service.createReseller();
  const [good, bad] = [await topUp(reseller, '40.00'), await topUp(reseller, '50.00')];
  scene.standIn.control.press(sessionOf(good), 'pay_later');
  scene.standIn.control.press(sessionOf(bad), 'pay_later');
  await delivered();
  assert.deepEqual(await statusesOf(reseller, good, bad), ['processing', 'processing']);
  scene.standIn.control.settle(sessionOf(good), 'succeeds');
  scene.standIn.control.settle(sessionOf(bad), 'fails');
  await delivered();
  assert.deepEqual(await statusesOf(reseller, good, bad), ['paid', 'failed']);
  assert.equal(await moneyOf(reseller), '40.00, 0.00');
});

async function statusesOf(of: TestAccount, ...topups: readonly ShownTopup[]): Promise<string[]> {
  return Promise.all(topups.map(async ({ id }) => (await topupOf(of, id)).status));
}

test('events in the wrong order end in the same books', async () => {
  scene.standIn.control.configureDeliveries({ mode: 'hold' });
  const reseller = await scene.service.createReseller();
  const topup = await topUp(reseller, '100.00');
  const session = sessionOf(topup);
  scene.standIn.control.press(session, 'pay');
  scene.standIn.control.refund(session, 1_000);
  const dispute = scene.standIn.control.dispute(session);
  scene.standIn.control.moveDispute(dispute.id, 'win');
  await scene.standIn.control.release('newest_first');
  await delivered();
  const { status, refunded, disputed } = await topupOf(reseller, topup.id);
  assert.deepEqual([status, refunded, disputed], ['partly_refunded', '10.00', '0.00']);
  assert.equal(await moneyOf(reseller), '90.00, 0.00');
});

test('a dispute of money that was spent leaves a receivable, and is given back if it is won', async () => {
  const reseller = await scene.service.createReseller();
  const topup = await topUp(reseller, '1000.00');
  scene.standIn.control.press(sessionOf(topup), 'pay');
  await delivered();
  const spent = { amount: '-950.00', memo: 'Spent' };
  expectStatus(await scene.service.admin.post(`/api/admin/v1/accounts/${reseller.id}/credit`, spent), 201);
  const dispute = scene.standIn.control.dispute(sessionOf(topup));
  await delivered();
  assert.equal(await moneyOf(reseller), '0.00, 950.00');
  assert.equal((await topupOf(reseller, topup.id)).status, 'disputed');
  scene.standIn.control.moveDispute(dispute.id, 'win');
  await delivered();
  assert.equal(await moneyOf(reseller), '50.00, 0.00');
  assert.equal((await topupOf(reseller, topup.id)).status, 'paid');
});

test('a dispute takes back what was credited, even if the provider reports another amount for the payment', async () => {
  const [reseller, topup] = await paidTopup('100.00');
  scene.standIn.control.falsify({ amount: 100, in: 'both' });
  scene.standIn.control.dispute(sessionOf(topup));
  await delivered();
  scene.standIn.control.falsify(null);
  assert.equal(await moneyOf(reseller), '0.00, 0.00');
  assert.equal((await topupOf(reseller, topup.id))['disputed'], '100.00');
});

test('a refund that fails is given back', async () => {
  scene.standIn.control.setRefundStatus('pending');
  const reseller = await scene.service.createReseller();
  const topup = await topUp(reseller, '60.00');
  scene.standIn.control.press(sessionOf(topup), 'pay');
  await delivered();
  const refund = scene.standIn.control.refund(sessionOf(topup), 2_500);
  await delivered();
  assert.equal(await moneyOf(reseller), '35.00, 0.00');
  scene.standIn.control.settleRefund(refund.id, 'failed');
  await delivered();
  scene.standIn.control.setRefundStatus('succeeded');
  assert.equal(await moneyOf(reseller), '60.00, 0.00');
});

test('forged and old webhooks are refused, and one of another product changes nothing', async () => {
  const { address } = scene.service;
  const send = (headers: Record<string, string>, body: string) =>
    fetch(`${address}/payments/stripe`, { method: 'POST', headers, body });
  const unsigned = await send({ 'content-type': 'application/json' }, '{"id":"evt_1"}');
  assert.deepEqual([unsigned.status, (await unsigned.json()).error.code], [400, 'invalid_signature']);
  const large = await send({}, 'x'.repeat(1_100_000));
  assert.equal(large.status, 413);
  const reseller = await scene.service.createReseller();
  for (const wrong of [{ signsWithWrongSecret: true }, { signatureSeconds: -600 }]) {
    const topup = await topUp(reseller, '35.00');
    scene.standIn.control.configureDeliveries(wrong);
    scene.standIn.control.press(sessionOf(topup), 'pay');
    await delivered();
    scene.standIn.control.configureDeliveries({ signsWithWrongSecret: false, signatureSeconds: 0 });
    assert.equal(scene.standIn.control.attempts().at(-1)?.status, 400);
  }
  assert.equal(await moneyOf(reseller), '0.00, 0.00');
  await scene.reconcile();
  assert.equal(await moneyOf(reseller), '70.00, 0.00');
});

test('what differs from our own row is not credited, and stands for the operator', async () => {
  await dismissProblems();
  for (const falsification of [{ amount: 99_999 }, { currency: 'usd' }] as const) {
    const reseller = await scene.service.createReseller();
    const topup = await topUp(reseller, '80.00');
    scene.standIn.control.falsify({ ...falsification, in: 'both' });
    scene.standIn.control.press(sessionOf(topup), 'pay');
    await delivered();
    scene.standIn.control.falsify(null);
    assert.equal(await moneyOf(reseller), '0.00, 0.00');
  }
  assert.deepEqual(await problems(), ['amount_differs', 'currency_differs']);
  await dismissProblems();
});

test('a blocked account gets its money when it is open again', async () => {
  const reseller = await scene.service.createReseller();
  const topup = await topUp(reseller, '90.00');
  const block = (blocked: boolean) =>
    scene.service.admin.send('PATCH', `/api/admin/v1/accounts/${reseller.id}`, { blocked });
  expectStatus(await block(true), 200);
  scene.standIn.control.press(sessionOf(topup), 'pay');
  await delivered();
  await scene.reconcile();
  assert.deepEqual(await problems(), ['account_blocked']);
  expectStatus(await block(false), 200);
  assert.equal(await moneyOf(reseller), '0.00, 0.00');
  await scene.reconcile();
  assert.equal(await moneyOf(reseller), '90.00, 0.00');
  assert.deepEqual(await problems(), []);
});

test('a dispute that is won while its account is blocked is given back, even if the news of its start comes last', async () => {
  const reseller = await scene.service.createReseller();
  const topup = await topUp(reseller, '70.00');
  const block = (blocked: boolean) =>
    scene.service.admin.send('PATCH', `/api/admin/v1/accounts/${reseller.id}`, { blocked });
  const { control } = scene.standIn;
  control.configureDeliveries({ mode: 'drop' });
  control.press(sessionOf(topup), 'pay');
  const dispute = control.dispute(sessionOf(topup));
  control.moveDispute(dispute.id, 'win');
  control.configureDeliveries({ mode: 'send' });
  const deliver = async (wanted: readonly string[]) => {
    for (const { id, type } of await providerEventsOf(dispute.id))
      if (wanted.includes(type)) control.resend(id);
    await delivered();
  };
  expectStatus(await block(true), 200);
  await deliver(['charge.dispute.closed', 'charge.dispute.funds_reinstated']);
  expectStatus(await block(false), 200);
  await deliver(['charge.dispute.created', 'charge.dispute.funds_withdrawn']);
  assert.equal(await moneyOf(reseller), '0.00, 0.00');
  await scene.reconcile();
  assert.equal(await moneyOf(reseller), '70.00, 0.00');
  assert.deepEqual(await problems(), []);
});

async function providerEventsOf(object: string): Promise<{ readonly id: string; readonly type: string }[]> {
  const answer = await fetch(`${scene.standIn.url}/v1/events?limit=100`, {
    headers: { authorization: 'Bearer sk_test_any' },
  });
  const { data } = await answer.json();
  return data.filter((event: { data: { object: { id: string } } }) => event.data.object.id === object);
}

test('a payment for a top-up that a restore lost stands for the operator', async () => {
  const reseller = await scene.service.createReseller();
  const topup = await topUp(reseller, '15.00');
  await sqlOf(scene.service, reseller, `delete from topups where account_id = ${reseller.id}`);
  const successor = await topUp(reseller, '15.00');
  assert.equal(successor.id, topup.id);
  scene.standIn.control.press(sessionOf(topup), 'pay');
  await delivered();
  assert.equal(await moneyOf(reseller), '0.00, 0.00');
  assert.deepEqual(await problems(), ['unknown_topup']);
  await dismissProblems();
});

test('a transfer shows where the money goes, with a code for banking apps', async () => {
  const reseller = await scene.service.createReseller();
  const topup = await topUp(reseller, '250.00', { method: 'bank_transfer' });
  const reference = String(topup['reference']);
  assert.match(reference, /^RF\d{10}$/);
  assert.deepEqual(topup['bank'], {
    holder: 'Example Ltd',
    iban: 'DE89370400440532013000',
    bic: null,
    reference,
    qr: `BCD\n002\n1\nSCT\n\nExample Ltd\nDE89370400440532013000\nEUR250.00\n\n${reference}`,
  });
  const second = await topUp(reseller, '1.00', { method: 'bank_transfer' });
  assert.equal(second['reference'], reference);
  scene.service.clock.seconds += 31 * 86_400;
  await scene.reconcile();
  assert.deepEqual(await statusesOf(reseller, topup, second), ['expired', 'expired']);
});

test('an open top-up is canceled, and its page closes; money that comes all the same is credited', async () => {
  const reseller = await scene.service.createReseller();
  const [canceled, late] = [await topUp(reseller, '10.00'), await topUp(reseller, '11.00')];
  scene.standIn.control.configureDeliveries({ mode: 'hold' });
  scene.standIn.control.press(sessionOf(late), 'pay');
  const cancel = (id: number) => reseller.post(`/api/v1/topups/${id}/cancel`);
  assert.equal(expectStatus(await cancel(late.id), 200).topup.status, 'cancelled');
  assert.equal(expectStatus(await cancel(canceled.id), 200).topup.status, 'cancelled');
  assert.equal(expectStatus(await cancel(canceled.id), 200).topup.status, 'cancelled');
  const page = await fetch(canceled.pay_url);
  assert.match(await page.text(), /expired|ended/i);
  await scene.standIn.control.release();
  await delivered();
  assert.deepEqual(await statusesOf(reseller, canceled, late), ['cancelled', 'paid']);
  expectRefusal(await cancel(late.id), '409 topup_not_open');
  expectRefusal(await cancel(reseller.id * 1_000_000_000 + 9), '404 topup_not_found');
});

test('pages that the provider no longer has, and those of a provider that was removed, expire without a word in the log', async () => {
  const scene = await startPaymentScene();
  const { service, standIn } = scene;
  const reseller = await service.createReseller();
  const [open, canceled] = [await topUp(reseller, '10.00'), await topUp(reseller, '11.00')];
  await standIn.stop();
  const milliseconds = () => service.clock.seconds * 1000;
  const restarted = await startStandInStripe({ port: standIn.port, milliseconds });
  try {
    assert.equal((await fetch(open.pay_url)).status, 404);
    expectStatus(await reseller.post(`/api/v1/topups/${canceled.id}/cancel`), 200);
    service.clock.seconds += 120;
    await scene.reconcile();
    assert.deepEqual(await statusesOf(reseller, open, canceled), ['open', 'cancelled']);
    service.clock.seconds += 86_400 - 120;
    await scene.reconcile();
    assert.deepEqual(await statusesOf(reseller, open, canceled), ['expired', 'cancelled']);

    const last = await topUp(reseller, '13.00');
    expectStatus(
      await service.admin.send('PUT', '/api/admin/v1/payments', {
        methods: {},
        minimum: '1.00',
        maximum: '5000.00',
      }),
      200,
    );
    service.clock.seconds += 86_400;
    await scene.reconcile();
    assert.deepEqual(await statusesOf(reseller, last), ['expired']);
    const problems = service.logLines.filter(({ level }) => level !== 'info' && level !== 30);
    assert.deepEqual(problems, []);
  } finally {
    await restarted.stop();
    await scene.close();
  }
});

test('a repeated request with its key is the same top-up, with the same page', async () => {
  const reseller = await scene.service.createReseller();
  const body = { amount: '12.00', method: 'card', idempotency_key: 'add-funds-1' };
  scene.standIn.control.setFault({ answer: 500, requests: 2, afterEffect: true });
  expectRefusal(await reseller.post('/api/v1/topups', body), '503 provider_unavailable');
  const first = expectStatus(await reseller.post('/api/v1/topups', body), 201).topup;
  const again = expectStatus(await reseller.post('/api/v1/topups', body), 201).topup;
  assert.deepEqual(again, first);
  const { total } = expectStatus(await reseller.get('/api/v1/topups'), 200);
  assert.equal(total, 1);
  expectRefusal(await reseller.post('/api/v1/topups', { ...body, amount: '13' }), '409 idempotency_conflict');
});

test('limits: method, smallest, largest, per day, and how many wait', async () => {
  await setPayments(scene.service, { minimum: '10.00', maximum: '100.00', daily_maximum: '250.00' });
  const reseller = await scene.service.createReseller();
  const ask = (amount: string, more: object = {}) =>
    reseller.post('/api/v1/topups', { amount, method: 'bank_transfer', ...more });
  for (const amount of ['0', '0.00', '9.99', '100.01', '999999999999'])
    expectRefusal(await ask(amount), '422 validation_failed');
  for (const amount of ['10.001', '-10', '1e3', ' 10', '10,00', ''])
    expectRefusal(await ask(amount), '422 validation_failed');
  expectRefusal(await ask('10', { outcome: 'pay' }), '403 test_mode_only');
  for (const url of ['http://shop.example', 'javascript:alert(1)', 'https://user:word@shop.example', 'shop'])
    expectRefusal(await ask('10', { return_url: url }), '422 validation_failed');
  for (const amount of ['100', '100', '50.00']) expectStatus(await ask(amount), 201);
  expectRefusal(await ask('10.00'), '422 daily_maximum_reached');
  scene.service.clock.seconds += 86_401;
  expectStatus(await ask('10.00'), 201);
  await setPayments(scene.service, { methods: {} });
  expectRefusal(await ask('10.00'), '422 payment_method_off');
  await setPayments(scene.service, {});
  const many = await scene.service.createReseller();
  for (let count = 0; count < 50; count += 1) await topUp(many, '1.00', { method: 'bank_transfer' });
  const one = { amount: '1.00', method: 'bank_transfer' };
  expectRefusal(await many.post('/api/v1/topups', one), '409 too_many_topups');
});

test('the list is newest first, by page, by status, method and time', async () => {
  const reseller = await scene.service.createReseller();
  const made: ShownTopup[] = [];
  for (const amount of ['1.00', '2.00', '3.00'])
    made.push(await topUp(reseller, amount, { method: 'bank_transfer' }));
  const paid = await topUp(reseller, '4.00');
  scene.standIn.control.press(sessionOf(paid), 'pay');
  await delivered();
  const amounts = async (query: string) => {
    const answer = expectStatus(await reseller.get(`/api/v1/topups?${query}`), 200);
    return { ...answer, data: answer.data.map(({ amount }: { readonly amount: string }) => amount) };
  };
  assert.deepEqual(await amounts('limit=3'), {
    data: ['4.00', '3.00', '2.00'],
    page: 1,
    per_page: 3,
    total: 4,
  });
  assert.deepEqual((await amounts('limit=3&page=2')).data, ['1.00']);
  assert.deepEqual(await amounts('status=paid'), { data: ['4.00'], next_cursor: null });
  const first = await amounts('method=bank_transfer&limit=2');
  assert.deepEqual(first.data, ['3.00', '2.00']);
  const next = await amounts(`method=bank_transfer&limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual(next, { data: ['1.00'], next_cursor: null });
  assert.deepEqual((await amounts('created_to=2026-01-14')).data, []);
  expectRefusal(await reseller.get('/api/v1/topups?status=lost'), '422 invalid_filter');
});

test('each end of a top-up has an event', async () => {
  const reseller = await scene.service.createReseller();
  expectStatus(await reseller.get('/api/v1/events'), 200);
  const [failing, paying] = [await topUp(reseller, '5.00'), await topUp(reseller, '6.00')];
  scene.standIn.control.press(sessionOf(failing), 'pay_later');
  scene.standIn.control.settle(sessionOf(failing), 'fails');
  scene.standIn.control.press(sessionOf(paying), 'pay');
  await delivered();
  scene.standIn.control.expire(sessionOf(await topUp(reseller, '7.00')));
  await delivered();
  assert.deepEqual((await eventsOf(reseller)).sort(), ['topup.expired', 'topup.failed', 'topup.paid']);
});

test('an order that the balance does not cover says where funds are added', async () => {
  const reseller = await scene.service.createReseller();
  const order = { package_id: scene.service.packages.basic, customer: 'ada@example.com', months: 1 };
  const refused = await reseller.post('/api/v1/orders', order);
  expectRefusal(refused, '402 insufficient_credit');
  assert.equal(refused.body.error.details.topup_url, 'http://127.0.0.1/panel/top-ups');
  const preview = await reseller.post('/api/v1/orders/preview', order);
  assert.deepEqual(preview.body.error.details, refused.body.error.details);
});

test('in test mode the request says what becomes of it, and no provider is asked', async () => {
  await setPayments(scene.service, { methods: {} });
  const { tests } = await createTestAccounts(scene.service);
  assert.equal(await moneyOf(tests), '1000.00, 0.00');
  const ask = (more: object) => topUp(tests, '100.00', more);
  assert.equal((await ask({})).status, 'paid');
  assert.equal((await ask({ outcome: 'fail' })).status, 'failed');
  const disputed = await ask({ outcome: 'dispute' });
  assert.deepEqual([disputed.status, disputed['disputed']], ['disputed', '100.00']);
  const returned = await ask({ outcome: 'dispute', method: 'bank_transfer' });
  assert.deepEqual([returned.status, returned['refunded']], ['refunded', '100.00']);
  assert.equal(await moneyOf(tests), '1100.00, 0.00');
  const later = await ask({ outcome: 'later' });
  await scene.reconcile();
  assert.deepEqual(await statusesOf(tests, later), ['processing']);
  await advance(tests, 'PT1M');
  await scene.reconcile();
  assert.deepEqual(await statusesOf(tests, later), ['paid']);
  assert.equal(await moneyOf(tests), '1200.00, 0.00');
  await setPayments(scene.service, {});
});

test('the operator refunds a part, then no more than the rest; the provider sends it back once', async () => {
  const reseller = await scene.service.createReseller();
  const topup = await topUp(reseller, '100.00');
  scene.standIn.control.press(sessionOf(topup), 'pay');
  await delivered();
  const refund = (body: object) => scene.service.admin.post(`/api/admin/v1/topups/${topup.id}/refunds`, body);
  const first = { amount: '30.00', reason: 'Ordered by mistake', idempotency_key: 'refund-1' };
  const refunded = expectStatus(await refund(first), 201);
  assert.deepEqual(refunded.refund, { amount: '30.00', status: 'sent' });
  assert.deepEqual([refunded.topup.status, refunded.topup.refunded], ['partly_refunded', '30.00']);
  await delivered();
  expectStatus(await refund(first), 201);
  expectRefusal(await refund({ ...first, amount: '31.00' }), '409 idempotency_conflict');
  expectRefusal(await refund({ amount: '70.01' }), '422 refund_too_large');
  expectRefusal(await refund({ amount: '0' }), '422 validation_failed');
  assert.equal(await moneyOf(reseller), '70.00, 0.00');
  const spent = { amount: '-50.00', memo: 'Spent' };
  expectStatus(await scene.service.admin.post(`/api/admin/v1/accounts/${reseller.id}/credit`, spent), 201);
  expectRefusal(await refund({ amount: '70.00' }), '422 insufficient_credit');
  expectStatus(await refund({ amount: '70.00', allow_receivable: true }), 201);
  await delivered();
  assert.equal(await moneyOf(reseller), '0.00, 50.00');
  assert.equal((await topupOf(reseller, topup.id)).status, 'refunded');
  const list = await scene.service.admin.get(`/api/admin/v1/topups?account_id=${reseller.id}`);
  const [{ refunds }] = expectStatus(list, 200).data;
  assert.deepEqual(
    refunds
      .map(({ amount, status, reason }: Record<string, string>) => `${amount} ${status} ${reason}`)
      .sort(),
    ['30.00 sent Ordered by mistake', '70.00 sent null'],
    'refunds that the books refused are not among them',
  );
});

async function paidTopup(amount: string): Promise<readonly [TestAccount, ShownTopup]> {
  const reseller = await scene.service.createReseller();
  const topup = await topUp(reseller, amount);
  scene.standIn.control.press(sessionOf(topup), 'pay');
  await delivered();
  return [reseller, topup];
}

async function refundOf({ id }: ShownTopup, amount: string): Promise<string> {
  const made = await scene.service.admin.post(`/api/admin/v1/topups/${id}/refunds`, { amount });
  return expectStatus(made, 201).refund.status;
}

test('a refund that the provider refuses is given back, and stays so', async () => {
  const [reseller, topup] = await paidTopup('100.00');
  scene.standIn.control.configureDeliveries({ mode: 'hold' });
  scene.standIn.control.refund(sessionOf(topup));
  assert.equal(await refundOf(topup, '10.00'), 'failed');
  assert.equal(await moneyOf(reseller), '100.00, 0.00');
  // As if the process had died before it noted that.
  await sqlOf(
    scene.service,
    reseller,
    `update topup_refunds set status = 'new' where account_id = ${reseller.id}`,
  );
  await scene.standIn.control.release();
  await delivered();
  assert.equal(await moneyOf(reseller), '0.00, 0.00');
  scene.service.clock.seconds += 61;
  await scene.reconcile();
  assert.equal(await moneyOf(reseller), '0.00, 0.00');
  const [row] = await sqlOf(
    scene.service,
    reseller,
    `select status from topup_refunds where account_id = ${reseller.id}`,
  );
  assert.equal(row?.['status'], 'failed');
});

test('a refund without a clear answer is asked for again, and made once', async () => {
  const { control } = scene.standIn;
  for (const lose of [
    () => control.setFault({ answer: 500, requests: 2, afterEffect: false }),
    () => control.setApiKeys(['sk_test_other']),
  ]) {
    const [reseller, topup] = await paidTopup('100.00');
    lose();
    assert.equal(await refundOf(topup, '20.00'), 'new');
    control.setApiKeys(null);
    assert.equal(await moneyOf(reseller), '80.00, 0.00');
    scene.service.clock.seconds += 61;
    await scene.reconcile();
    await delivered();
    assert.equal(await moneyOf(reseller), '80.00, 0.00');
    assert.equal((await topupOf(reseller, topup.id))['refunded'], '20.00');
    const { data } = expectStatus(await reseller.get('/api/v1/ledger?kind=reversal'), 200);
    assert.equal(data.length, 1);
  }
});

test('a refund after a dispute that was won counts, even if its news comes first', async () => {
  const [reseller, topup] = await paidTopup('100.00');
  const dispute = scene.standIn.control.dispute(sessionOf(topup));
  await delivered();
  scene.standIn.control.configureDeliveries({ mode: 'hold' });
  scene.standIn.control.moveDispute(dispute.id, 'win');
  scene.standIn.control.refund(sessionOf(topup), 5_000);
  await scene.standIn.control.release('newest_first');
  await delivered();
  assert.equal(await moneyOf(reseller), '50.00, 0.00');
  assert.deepEqual(await problems(), []);
});

test('the operator sees all top-ups, and which payments need attention', async () => {
  await dismissProblems();
  const [one, two] = [await scene.service.createReseller(), await scene.service.createReseller()];
  const topup = await topUp(one, '21.00');
  scene.service.clock.seconds += 1;
  const other = await topUp(two, '22.00', { method: 'bank_transfer' });
  scene.standIn.control.falsify({ amount: 1, in: 'both' });
  scene.standIn.control.press(sessionOf(topup), 'pay');
  await delivered();
  scene.standIn.control.falsify(null);
  const list = async (query: string) =>
    expectStatus(await scene.service.admin.get(`/api/admin/v1/topups?${query}`), 200);
  const first = await list('limit=1');
  assert.deepEqual([first.data.length, first.data[0].topup.id], [1, other.id]);
  assert.deepEqual(first.data[0].needs_attention, null);
  const second = await list(`limit=1&cursor=${first.next_cursor}`);
  const [seen] = second.data;
  assert.deepEqual(
    [seen.topup.id, seen.account.id, seen.needs_attention],
    [topup.id, one.id, 'amount_differs'],
  );
  const ofOne = await list(`account_id=${two.id}&method=bank_transfer&status=open`);
  assert.deepEqual([ofOne.data.length, ofOne.next_cursor], [1, null]);
  const problemList = expectStatus(await scene.service.admin.get('/api/admin/v1/payment-problems'), 200).data;
  assert.equal(problemList.length, 1);
  assert.deepEqual(await countOpenProblems(scene.service.database), { count: 1, more: false });
  const [{ id, reason, amount }] = problemList;
  assert.deepEqual([reason, amount], ['amount_differs', '0.01']);
  const console = await signIn(scene.service, scene.service.admin);
  const [named] = expectStatus(await console.get('/admin/payment-problems'), 200).data;
  assert.deepEqual([named.amount, named.asked], ['0.01', '21.00']);
  const dismiss = (problem: number) =>
    scene.service.admin.post(`/api/admin/v1/payment-problems/${problem}/dismiss`, { note: 'Looked at it' });
  expectStatus(await dismiss(id), 200);
  expectStatus(await dismiss(id), 200);
  expectRefusal(await dismiss(id + 1_000), '404 payment_problem_not_found');
  assert.deepEqual(await problems(), []);
});
