// Limits of alert mail: every ending plan is mailed, no matter how many there are, and no address gets more than its limit.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { type AlertScene, startAlertScene } from '../harness/alert-scene.ts';
import { createPanelClient, usernameOf } from '../harness/panel-client.ts';
import { expectStatus } from '../harness/refusals.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { changeAccount, credit, placeOrder } from '../harness/shop.ts';

const day = 86_400;
let scene: AlertScene;
let service: AlertScene['service'];
before(async () => {
  scene = await startAlertScene();
  service = scene.service;
});
after(() => scene?.close());

test('links to confirm are limited to one a day for an account, three a day in all', async () => {
  const alerts = { balance_below: '95.00', emails: ['victim@example.com'] };
  const account = await service.createReseller({ credit: '100.00' });
  const asked = async () => (await scene.mailed()).filter(({ to }) => to === 'victim@example.com').length;
  const put = (one: TestAccount, body: object) => one.send('PUT', '/alerts', body);
  for (const body of [alerts, { emails: [] }, alerts, alerts]) expectStatus(await put(account, body), 200);
  assert.equal(await asked(), 1);
  for (const body of [{ emails: [] }, alerts, alerts]) expectStatus(await put(account, body), 200);
  assert.equal(await asked(), 0);
  const others = [];
  for (let count = 0; count < 4; count += 1) others.push(await service.createReseller());
  for (const other of others) expectStatus(await put(other, alerts), 200);
  assert.equal(await asked(), 2);
  for (let round = 0; round < 3; round += 1) {
    const emails = Array.from({ length: 10 }, (_, index) => `many-${round}-${index}@example.com`);
    expectStatus(await put(account, { emails }), 200);
    await scene.arrived();
  }
  const [{ count } = { count: 0 }] = await service.database.query({
    name: '',
    text: `select count(*)::int as count from mails where account_id = ${account.id} and kind = 'alert_address'`,
  });
  assert.equal(count, 20);
  service.clock.seconds += day + 1;
  expectStatus(await put(account, alerts), 200);
  assert.equal(await asked(), 3, 'the next day it is asked again, by this account and two others');
});

test('150 plans that end each day are all mailed the same day, beside other notices @nightly', async () => {
  service.clock.seconds += 60 * day;
  await runPlanEnds(service);
  const address = 'many@example.com';
  const account = await scene.listening({ plans_ending_days: 3, emails: [address] }, '9000.00');
  const perDay = 150;
  const days = 3;
  for (let at = 0; at < days; at += 1) {
    const orders = Array.from({ length: perDay }, (_, index) =>
      placeOrder(service, account, { customer: `day-${at}-${index}`, idempotency_key: `${at}-${index}` }),
    );
    await Promise.all(orders);
    service.clock.seconds += day;
  }
  const subjects: string[] = [];
  for (let passed = 0; passed < 40 && subjects.length < days; passed += 1) {
    await runPlanEnds(service);
    const mails = (await scene.mailed()).filter(({ to }) => to === address);
    for (const { subject, text } of mails) {
      subjects.push(subject);
      for (const [, until] of text.matchAll(/until (.*), \d\d:\d\d UTC/g)) {
        assert.ok(Date.parse(`${until} 23:59 UTC`) / 1_000 > service.clock.seconds, `${until} is over`);
      }
    }
    service.clock.seconds += day;
  }
  assert.deepEqual(
    subjects,
    Array.from({ length: days }, () => `${perDay} plans end soon`),
  );
});

test('what has ended while no mail could be made is left out', async () => {
  const account = await scene.listening({ plans_ending_days: 3, emails: ['ended@example.com'] });
  await runPlanEnds(service);
  const first = await placeOrder(service, account, { customer: 'over@example.com', idempotency_key: '1' });
  service.clock.seconds += 10 * day;
  await placeOrder(service, account, { customer: 'runs@example.com', idempotency_key: '2' });
  const end = Date.parse(first.order.expires_at) / 1_000;
  service.clock.seconds = end - 3 * day;
  await runPlanEnds(service);
  service.clock.seconds = end + 8 * day;
  await runPlanEnds(service);
  const mails = (await scene.mailed()).filter(({ to }) => to === 'ended@example.com');
  assert.deepEqual(
    mails.map(({ subject }) => subject),
    ['A plan ends soon'],
  );
  assert.match(mails[0]?.text ?? '', /runs@example\.com/);
});

test('an address is used to its limit by alerts, and its owner gets the link to a new password all the same', async () => {
  const victim = await service.createReseller();
  await changeAccount(service, victim, { email: 'boss@example.com' });
  const username = await usernameOf(service, victim);
  const account = await scene.listening({ balance_below: '95.00', emails: ['boss@example.com'] });
  for (let falls = 0; falls < 25; falls += 1) {
    await credit(service, account, '-50.00');
    await credit(service, account, '50.00');
  }
  const alerts = (await scene.mailed()).filter(({ to }) => to === 'boss@example.com');
  assert.equal(alerts.length, 20 - 1, 'the link to confirm was one of the twenty of the hour');
  const anonymous = createPanelClient(service.address, '');
  expectStatus(await anonymous.post('/password-reset', { account: username }), 202);
  await service.service.passwordLinks.settled();
  assert.deepEqual(
    (await scene.mailed()).map(({ to, subject }) => [to, subject]),
    [['boss@example.com', 'Reset your password']],
  );
});
