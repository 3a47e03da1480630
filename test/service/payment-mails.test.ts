// Mails about payments, from the provider's word to a real SMTP server.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { type StandInStripe, startStandInStripe } from '../../src/stand-in-stripe/stand-in-stripe.ts';
import { type AlertScene, startAlertScene } from '../harness/alert-scene.ts';
import { sessionOf, setPayments, topUp, webhookSecret } from '../harness/payment-scene.ts';
import { expectStatus } from '../harness/refusals.ts';
import { runJob } from '../harness/run-job.ts';

let standIn: StandInStripe;
let scene: AlertScene;
before(async () => {
  let seconds = () => 0;
  standIn = await startStandInStripe({ milliseconds: () => seconds() * 1000, retryMilliseconds: [] });
  scene = await startAlertScene({ STRIPE_API_BASE: standIn.url });
  const { service } = scene;
  seconds = () => service.clock.seconds;
  standIn.control.setEndpoints([{ urls: [`${service.address}/payments/stripe`], secrets: [webhookSecret] }]);
  await setPayments(service, {});
});
after(async () => {
  await scene?.close();
  await standIn?.stop();
});

async function pressed(pay_url: string, button: 'pay' | 'pay_later_then_fail' | 'save_card_that_asks') {
  const session = sessionOf({ id: 0, status: '', credited_at: null, pay_url });
  standIn.control.press(session, button);
  if (button === 'pay_later_then_fail') standIn.control.settle(session, 'fails');
  await standIn.control.deliveriesSettled();
  return session;
}

async function spend(account: TestAccount, amount: string): Promise<void> {
  const body = { amount: `-${amount}`, memo: 'Spent' };
  expectStatus(await scene.service.admin.post(`/api/admin/v1/accounts/${account.id}/credit`, body), 201);
}

test('what comes, fails and goes back is mailed once to each address, with what is owed', async () => {
  const account = await scene.listening({ emails: ['a@example.com', 'b@example.com'] }, '1.00');
  const paid = await topUp(account, '25.00');
  const session = await pressed(paid.pay_url, 'pay');
  const [first, second, ...more] = await scene.mailed();
  assert.deepEqual([first?.to, second?.to, more.length].sort(), [0, 'a@example.com', 'b@example.com']);
  assert.equal(first?.subject, '$25.00 was added to your balance');
  assert.match(first?.text ?? '', /Balance: \$26\.00/);
  assert.match(first?.text ?? '', new RegExp(`https://resell\\.example\\.com/panel/top-ups/${paid.id}`));
  assert.deepEqual(await scene.mailed(), [], 'it is not mailed again');

  await pressed((await topUp(account, '7.00')).pay_url, 'pay_later_then_fail');
  assert.equal((await scene.mailed())[0]?.subject, 'Your payment of $7.00 failed');

  await spend(account, '20.00');
  standIn.control.dispute(session);
  await standIn.control.deliveriesSettled();
  const [disputed] = await scene.mailed();
  assert.equal(disputed?.subject, 'A payment of $25.00 was disputed');
  assert.match(disputed?.text ?? '', /You owe: \$19\.00/);
});

test('refunds of one top-up are mailed with what they add up to', async () => {
  const account = await scene.listening({ emails: ['e@example.com'] }, '1.00');
  const session = await pressed((await topUp(account, '25.00')).pay_url, 'pay');
  await scene.mailed();
  const subjects: string[] = [];
  for (const cents of [500, 700]) {
    standIn.control.refund(session, cents);
    await standIn.control.deliveriesSettled();
    subjects.push(...(await scene.mailed()).map(({ subject }) => subject));
  }
  assert.deepEqual(subjects, [
    'A top-up was refunded: $5.00 in total',
    'A top-up was refunded: $12.00 in total',
  ]);
});

test('a card that needs its holder is mailed with a link, and one that fails three times', async () => {
  const account = await scene.listening({ emails: ['c@example.com'] }, '1.00');
  const { setup_url: url } = expectStatus(await account.post('/auto-topup/card', {}), 201);
  await pressed(url, 'save_card_that_asks');
  const wanted = { below: '5.00', amount: '10.00', monthly_maximum: '100.00' };
  expectStatus(await account.send('PUT', '/auto-topup', wanted), 200);
  await runJob(scene.service, 'auto_topups');
  const [mail, ...others] = await scene.mailed();
  assert.deepEqual([mail?.subject, others.length], ['Confirm a payment of $10.00', 0]);
  const [topup] = expectStatus(await account.get('/topups'), 200).data;
  assert.match(mail?.text ?? '', new RegExp(`/panel/top-ups/${topup.id}`));

  const failing = await scene.listening({ emails: ['d@example.com'] }, '1.00');
  const setUp = expectStatus(await failing.post('/auto-topup/card', {}), 201);
  standIn.control.press(
    sessionOf({ id: 0, status: '', credited_at: null, pay_url: setUp.setup_url }),
    'save_card_that_fails',
  );
  await standIn.control.deliveriesSettled();
  expectStatus(await failing.send('PUT', '/auto-topup', wanted), 200);
  const subjects: string[] = [];
  for (let day = 0; day < 3; day += 1) {
    await runJob(scene.service, 'auto_topups');
    for (const { subject, text } of await scene.mailed()) {
      subjects.push(subject);
      if (subject === 'Automatic top-up is off') assert.match(text, /\/panel\/top-ups\n/);
    }
    scene.service.clock.seconds += 86_400;
  }
  assert.deepEqual(subjects.sort(), [
    'Automatic top-up is off',
    ...Array.from({ length: 3 }, () => 'Your payment of $10.00 failed'),
  ]);
});
