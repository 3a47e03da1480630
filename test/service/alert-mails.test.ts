// Alert mails, from the event to a real SMTP server.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AlertScene, startAlertScene } from '../harness/alert-scene.ts';
import { confirmAddresses, confirmPathIn } from '../harness/confirm-addresses.ts';
import { expectStatus } from '../harness/refusals.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { credit, placeOrder } from '../harness/shop.ts';

const day = 86_400;
let scene: AlertScene;
let service: AlertScene['service'];
before(async () => {
  scene = await startAlertScene();
  service = scene.service;
});
after(() => scene?.close());

test('each fall of the balance is mailed once to each address, in the operator’s name', async () => {
  await scene.mailed();
  const account = await scene.listening({
    balance_below: '95.00',
    emails: ['one@example.com', 'two@example.com'],
  });
  await placeOrder(service, account, { customer: 'ada@example.com', idempotency_key: '1' });
  const first = await scene.mailed();
  assert.deepEqual(first.map(({ to }) => to).sort(), ['one@example.com', 'two@example.com']);
  assert.equal(first[0]?.subject, 'Your balance is below $95.00');
  assert.match(first[0]?.text ?? '', /Balance: \$90\.00/);
  assert.match(first[0]?.raw ?? '', /^From: "?Example Ltd"? <billing@example\.com>/m);
  assert.match(first[0]?.raw ?? '', /^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
  assert.deepEqual(await scene.mailed(), [], 'it is not mailed again');
  await placeOrder(service, account, { customer: 'grace', idempotency_key: '2' });
  assert.deepEqual(await scene.mailed(), [], 'it only stays below');

  await credit(service, account, '50.00');
  await credit(service, account, '-50.00');
  await credit(service, account, '50.00');
  await credit(service, account, '-50.00');
  assert.equal((await scene.mailed()).length, 4, 'it fell twice');
});

test('two processes that look at once mail it once', async () => {
  const account = await scene.listening({ balance_below: '95.00', emails: ['both@example.com'] });
  await placeOrder(service, account, { customer: 'parallel@example.com' });
  const { queueAlertMails } = await import('../../src/features/alerts/alert-mails.ts');
  const { createMailOutbox } = await import('../../src/platform/mail/mail-outbox.ts');
  const mails = createMailOutbox({
    isOn: true,
    seal: service.service.seal,
    language: () => 'en',
    publicUrl: () => 'https://resell.example.com',
    keptTryingSeconds: day,
  });
  const publicUrl = () => 'https://resell.example.com';
  const look = () =>
    queueAlertMails(
      { database: service.database, mails, publicUrl, now: () => service.clock.seconds },
      new AbortController().signal,
    );
  await Promise.all([look(), look(), look()]);
  assert.deepEqual(
    (await scene.mailed()).map(({ to }) => to),
    ['both@example.com'],
  );
});

test('plans that end are gathered into one mail a day', async () => {
  await runPlanEnds(service);
  const account = await scene.listening({ plans_ending_days: 3, emails: ['plans@example.com'] });
  const { order } = await placeOrder(service, account, { customer: 'a@example.com', idempotency_key: 'a' });
  await placeOrder(service, account, { customer: 'b@example.com', idempotency_key: 'b' });
  const end = Date.parse(order.expires_at) / 1_000;
  service.clock.seconds = end - 7 * day;
  await runPlanEnds(service);
  assert.deepEqual(await scene.mailed(), [], 'seven days before, no one asked to be written to');
  service.clock.seconds = end - 3 * day;
  await runPlanEnds(service);
  const [mail, ...others] = await scene.mailed();
  assert.deepEqual([mail?.subject, others.length], ['2 plans end soon', 0]);
  assert.match(mail?.text ?? '', /a@example\.com: Basic, until /);
  assert.match(mail?.text ?? '', /b@example\.com: Basic, until /);
  service.clock.seconds = end - day;
  await runPlanEnds(service);
  assert.deepEqual(await scene.mailed(), []);
});

test('anyone who unsubscribes by one click is written to no more, and the other goes on', async () => {
  const account = await scene.listening({
    balance_below: '95.00',
    emails: ['stay@example.com', 'leave@example.com'],
  });
  await placeOrder(service, account, { customer: 'leaving@example.com', idempotency_key: '1' });
  const leaving = (await scene.mailed()).find(({ to }) => to === 'leave@example.com');
  const link = new URL(
    /^List-Unsubscribe: <(.*)>/m.exec(leaving?.raw.replaceAll(/\r?\n[ \t]+/g, '') ?? '')?.[1] ?? '',
  );
  const answer = await fetch(service.address + link.pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  assert.equal(answer.status, 200);
  await credit(service, account, '50.00');
  await credit(service, account, '-50.00');
  assert.deepEqual(
    (await scene.mailed()).map(({ to }) => to),
    ['stay@example.com'],
  );
});

test('events from before an address was set are not mailed later', async () => {
  const account = await scene.listening({ balance_below: '95.00' });
  await placeOrder(service, account, { customer: 'silent@example.com' });
  assert.deepEqual(await scene.mailed(), []);
  expectStatus(
    await account.send('PUT', '/alerts', { balance_below: '95.00', emails: ['late@example.com'] }),
    200,
  );
  assert.deepEqual(await confirmAddresses(service, await scene.arrived()), []);
  assert.deepEqual(await scene.mailed(), []);
});

test('an address is mailed nothing but a link until it confirms itself, and reading the link confirms nothing', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const alerts = { balance_below: '95.00', emails: ['New@example.com', 'other@example.com'] };
  const set = expectStatus(await account.send('PUT', '/alerts', alerts), 200);
  assert.deepEqual([set.alerts.emails, set.confirmed_emails], [alerts.emails, []]);
  await placeOrder(service, account, { customer: 'unconfirmed@example.com', idempotency_key: '1' });
  const asked = await scene.arrived();
  assert.deepEqual(asked.map(({ to }) => to).sort(), ['new@example.com', 'other@example.com']);
  assert.deepEqual(
    asked.map(({ parsed }) => parsed.subject),
    ['Confirm this address for alerts', 'Confirm this address for alerts'],
  );
  const mine = asked.find(({ to }) => to === 'new@example.com');
  const path = mine === undefined ? '' : (confirmPathIn(mine) ?? '');
  const page = await fetch(service.address + path);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /new@example\.com/);
  assert.deepEqual(expectStatus(await account.get('/alerts'), 200).confirmed_emails, []);
  for (const wrong of [path.replace(/.$/, '!'), path.replace(/(address\/)\d+/, '$12000001')]) {
    assert.equal((await fetch(service.address + wrong, { method: 'POST' })).status, 410);
  }
  const confirmed = await fetch(service.address + path, {
    method: 'POST',
    headers: { 'accept-language': 'de' },
  });
  assert.equal(confirmed.status, 200);
  assert.deepEqual(expectStatus(await account.get('/alerts'), 200).confirmed_emails, ['New@example.com']);
  await credit(service, account, '50.00');
  await credit(service, account, '-50.00');
  assert.deepEqual(
    (await scene.mailed()).map(({ to, subject }) => [to, subject]),
    [['new@example.com', 'Your balance is below $95.00']],
    'not the one that did not confirm, and nothing of what was before',
  );
  // A link that is a week old no longer works.
  const late = confirmPathIn(asked.find(({ to }) => to === 'other@example.com') ?? assert.fail()) ?? '';
  service.clock.seconds += 7 * day;
  assert.equal((await fetch(service.address + late, { method: 'POST' })).status, 410);
});

test('alerts that a process of the previous version sets are mailed, once their addresses are confirmed', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  expectStatus(await account.send('PUT', '/alerts', { balance_below: '95.00' }), 200);
  await placeOrder(service, account, { customer: 'upgraded@example.com' });
  // Writes alerts as the previous version does: without mail_addresses, accounts.alert_days and is_catching_up.
  const text = `update alerts set plans_ending_days = 40, emails = '{Old@example.com}', is_catching_up = false
    where account_id = ${account.id}`;
  await service.database.query({ name: '', text });
  await confirmAddresses(service, await scene.arrived());
  assert.deepEqual(expectStatus(await account.get('/alerts'), 200).confirmed_emails, ['Old@example.com']);
  await runPlanEnds(service);
  const [emitted] = await service.database.query({
    name: '',
    text: `select a.alert_days, (select count(*)::int from events e where e.account_id = a.id and e.type = 'plan.ending') as notices
      from accounts a where a.id = ${account.id}`,
  });
  assert.deepEqual(emitted, { alert_days: 40, notices: 1 });
  await credit(service, account, '50.00');
  await credit(service, account, '-50.00');
  // The notice is mailed with the others of its day, which may be now, so leave it out.
  const mails = (await scene.mailed()).filter(({ subject }) => subject !== 'A plan ends soon');
  assert.deepEqual(
    mails.map(({ to, subject }) => [to, subject]),
    [['old@example.com', 'Your balance is below $95.00']],
  );
  await service.database.query({ name: '', text: text.replace('= 40', '= null') });
  await runPlanEnds(service);
  const [row] = await service.database.query({
    name: '',
    text: `select alert_days from accounts where id = ${account.id}`,
  });
  assert.equal(row?.['alert_days'], null);
});
