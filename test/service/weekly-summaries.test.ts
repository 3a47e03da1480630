// The weekly mail about the business: who gets it, when, and what it says.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mondayOf } from '../../src/features/alerts/weekly-summaries.ts';
import { dayOf } from '../../src/shared/times.ts';
import { type AlertScene, startAlertScene } from '../harness/alert-scene.ts';
import { confirmAddresses } from '../harness/confirm-addresses.ts';
import { expectStatus } from '../harness/refusals.ts';
import { placeOrder, secondsOf } from '../harness/shop.ts';

let scene: AlertScene;
let service: AlertScene['service'];
before(async () => {
  scene = await startAlertScene();
  service = scene.service;
});
after(() => scene?.close());

const at = (time: string) => {
  service.clock.seconds = secondsOf(time);
};

test('the week begins on Monday at 06:00 UTC', () => {
  for (const [time, monday] of [
    ['2026-03-02T05:59:59Z', '2026-02-23'],
    ['2026-03-02T06:00:00Z', '2026-03-02'],
    ['2026-03-08T23:59:59Z', '2026-03-02'],
    ['2026-03-09T05:59:59Z', '2026-03-02'],
  ] as const)
    assert.equal(mondayOf(secondsOf(time)), monday, time);
});

test('an account that wants it is mailed each Monday, once, and one that does not is not', async () => {
  at('2026-02-10T09:00:00Z');
  const emails = ['owner@example.com'];
  const account = await scene.listening({ emails, weekly_summary: true });
  const silent = await scene.listening({ emails: ['silent@example.com'] });
  await placeOrder(service, account, { customer: 'leaver' });
  at('2026-03-05T09:00:00Z');
  await placeOrder(service, account, { customer: 'ada', months: 3 });
  await placeOrder(service, silent, { customer: 'ben' });
  await scene.mailed();
  at('2026-03-16T05:59:59Z');
  // Two Mondays have passed, but only the last one is mailed.
  const first = await scene.mailed();
  assert.deepEqual(
    first.map(({ to, subject }) => [to, subject]),
    [['owner@example.com', 'Your business in the week before March 9, 2026']],
  );
  assert.match(first[0]?.text ?? '', /MRR: \$9\.00 \(\+\$9\.00 in the week\)/);
  assert.match(first[0]?.text ?? '', /New: 1 plan, \$9\.00 MRR/);
  assert.match(first[0]?.text ?? '', /Lost: 0 plans/);
  assert.match(first[0]?.text ?? '', /Balance: \$63\.00/);
  assert.match(first[0]?.text ?? '', /https:\/\/resell\.example\.com\/panel\/business/);
  assert.match(first[0]?.raw ?? '', /^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
  assert.deepEqual(await scene.mailed(), [], 'it is not mailed again');
  at('2026-03-16T06:00:00Z');
  const [second, ...others] = await scene.mailed();
  assert.deepEqual(others, []);
  assert.match(second?.text ?? '', /MRR: \$9\.00 \(-\$10\.00 in the week\)[\s\S]*Lost: 1 plan, \$10\.00 MRR/);
  assert.equal(expectStatus(await account.get('/alerts'), 200).alerts.weekly_summary, true);
  expectStatus(await account.send('PUT', '/alerts', { emails }), 200);
  at('2026-03-23T06:00:00Z');
  assert.deepEqual(await scene.mailed(), [], 'left out, it is off');
});

test('the operator is mailed about all accounts, with those whose balance runs out', async () => {
  at('2026-03-24T09:00:00Z');
  const alerts = { emails: ['operator@example.com'], weekly_summary: true };
  expectStatus(await service.admin.send('PUT', '/api/v1/alerts', alerts), 200);
  await confirmAddresses(service, await scene.arrived());
  const poor = await service.createReseller({ credit: '12.00' });
  await placeOrder(service, poor, { customer: 'last-money' });
  at('2026-03-30T06:00:00Z');
  const [mail, ...others] = await scene.mailed();
  assert.deepEqual(others, []);
  assert.equal(mail?.to, 'operator@example.com');
  assert.match(mail?.text ?? '', /\/panel\/admin/);
  assert.match(mail?.text ?? '', new RegExp(`account-${poor.id}|${poor.id}`));
  assert.match(mail?.text ?? '', /April 24, 2026/);
  assert.equal(dayOf(service.clock.seconds), '2026-03-30');
});
