// Mails of alerts, from the event to a real SMTP server: once for each fall of the balance however many processes look, one a
// day for plans that end, and none to whoever wants none.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { confirmAddresses, confirmPathIn } from '../harness/confirm-addresses.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../harness/mail-server.ts';
import { createPanelClient, usernameOf } from '../harness/panel-client.ts';
import { expectStatus } from '../harness/refusals.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { changeAccount, credit, placeOrder } from '../harness/shop.ts';

const day = 86_400;
let mailServer: MailServer;
let service: TestService;
before(async () => {
  mailServer = await startMailServer();
  service = await startTestService({
    environment: {
      PUBLIC_URL: 'https://resell.example.com',
      SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      MAIL_FROM: 'Example Ltd <billing@example.com>',
    },
  });
});
after(async () => {
  await service?.close();
  await mailServer?.close();
});

/** Everything that is due, until nothing is; what arrived. */
async function arrived(): Promise<readonly ReceivedMail[]> {
  const { jobs } = service.service;
  for (const kind of ['alert_mails', 'mail']) {
    await service.database.query({
      name: '',
      text: `update jobs set next_run_at = to_timestamp(0) where kind = '${kind}' and leased_by is null`,
    });
    // A clock that moved makes others due as well, and only a few run at once.
    for (let looks = 0; looks < 6; looks += 1) {
      await jobs.look();
      await jobs.idle();
    }
  }
  return mailServer.take();
}

async function mailed(): Promise<{ to: string; subject: string; text: string; raw: string }[]> {
  return (await arrived()).map(({ to, raw, parsed }) => ({
    to,
    raw,
    subject: parsed.subject ?? '',
    text: parsed.text ?? '',
  }));
}

/** Its addresses have confirmed themselves. */
async function listening(alerts: object, money = '100.00'): Promise<TestAccount> {
  const account = await service.createReseller({ credit: money });
  expectStatus(await account.send('PUT', '/alerts', alerts), 200);
  await confirmAddresses(service, await arrived());
  return account;
}

test('each fall of the balance is mailed once to each address, in the operator’s name', async () => {
  await mailed();
  const account = await listening({ balance_below: '95.00', emails: ['one@example.com', 'two@example.com'] });
  await placeOrder(service, account, { customer: 'ada@example.com', idempotency_key: '1' });
  const first = await mailed();
  assert.deepEqual(first.map(({ to }) => to).sort(), ['one@example.com', 'two@example.com']);
  assert.equal(first[0]?.subject, 'Your balance is below $95.00');
  assert.match(first[0]?.text ?? '', /Balance: \$90\.00/);
  assert.match(first[0]?.raw ?? '', /^From: "?Example Ltd"? <billing@example\.com>/m);
  assert.match(first[0]?.raw ?? '', /^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
  assert.deepEqual(await mailed(), [], 'it is not told again');
  await placeOrder(service, account, { customer: 'grace', idempotency_key: '2' });
  assert.deepEqual(await mailed(), [], 'it only stays below');

  await credit(service, account, '50.00');
  await credit(service, account, '-50.00');
  await credit(service, account, '50.00');
  await credit(service, account, '-50.00');
  assert.equal((await mailed()).length, 4, 'it fell twice');
});

test('two processes that look at once mail it once', async () => {
  const account = await listening({ balance_below: '95.00', emails: ['both@example.com'] });
  await placeOrder(service, account, { customer: 'parallel@example.com' });
  const { queueAlertMails } = await import('../../src/delivery/mail/alert-mails.ts');
  const { createMailOutbox } = await import('../../src/delivery/mail/mail-outbox.ts');
  const mails = createMailOutbox({
    isOn: true,
    seal: service.service.seal,
    language: () => 'en',
    publicUrl: () => 'https://resell.example.com',
    keptTryingSeconds: day,
  });
  const look = () =>
    queueAlertMails(
      { database: service.database, mails, now: () => service.clock.seconds },
      new AbortController().signal,
    );
  await Promise.all([look(), look(), look()]);
  assert.deepEqual(
    (await mailed()).map(({ to }) => to),
    ['both@example.com'],
  );
});

test('plans that end are gathered into one mail a day', async () => {
  await runPlanEnds(service);
  const account = await listening({ plans_ending_days: 3, emails: ['plans@example.com'] });
  const { order } = await placeOrder(service, account, { customer: 'a@example.com', idempotency_key: 'a' });
  await placeOrder(service, account, { customer: 'b@example.com', idempotency_key: 'b' });
  const end = Date.parse(order.expires_at) / 1_000;
  service.clock.seconds = end - 7 * day;
  await runPlanEnds(service);
  assert.deepEqual(await mailed(), [], 'seven days before, nobody asked to be written to');
  service.clock.seconds = end - 3 * day;
  await runPlanEnds(service);
  const [mail, ...others] = await mailed();
  assert.deepEqual([mail?.subject, others.length], ['2 plans end soon', 0]);
  assert.match(mail?.text ?? '', /a@example\.com: Basic, until /);
  assert.match(mail?.text ?? '', /b@example\.com: Basic, until /);
  service.clock.seconds = end - day;
  await runPlanEnds(service);
  assert.deepEqual(await mailed(), []);
});

test('whoever unsubscribes by one click is written to no more, and the other goes on', async () => {
  const account = await listening({
    balance_below: '95.00',
    emails: ['stay@example.com', 'leave@example.com'],
  });
  await placeOrder(service, account, { customer: 'leaving@example.com', idempotency_key: '1' });
  const leaving = (await mailed()).find(({ to }) => to === 'leave@example.com');
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
    (await mailed()).map(({ to }) => to),
    ['stay@example.com'],
  );
});

test('what was told while nobody was to be written to is not written of later', async () => {
  const account = await listening({ balance_below: '95.00' });
  await placeOrder(service, account, { customer: 'silent@example.com' });
  assert.deepEqual(await mailed(), []);
  expectStatus(
    await account.send('PUT', '/alerts', { balance_below: '95.00', emails: ['late@example.com'] }),
    200,
  );
  assert.deepEqual(await confirmAddresses(service, await arrived()), []);
  assert.deepEqual(await mailed(), []);
});

test('an address is mailed nothing but a link until it confirms itself, and reading the link confirms nothing', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const alerts = { balance_below: '95.00', emails: ['New@example.com', 'other@example.com'] };
  const set = expectStatus(await account.send('PUT', '/alerts', alerts), 200);
  assert.deepEqual([set.alerts.emails, set.confirmed_emails], [alerts.emails, []]);
  await placeOrder(service, account, { customer: 'unconfirmed@example.com', idempotency_key: '1' });
  const asked = await arrived();
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
    (await mailed()).map(({ to, subject }) => [to, subject]),
    [['new@example.com', 'Your balance is below $95.00']],
    'not the one that did not confirm, and nothing of what was before',
  );
  // A link of a week ago no longer works.
  const late = confirmPathIn(asked.find(({ to }) => to === 'other@example.com') ?? assert.fail()) ?? '';
  service.clock.seconds += 7 * day;
  assert.equal((await fetch(service.address + late, { method: 'POST' })).status, 410);
});

test('alerts that a process of the previous version sets are mailed, once their addresses are confirmed', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  expectStatus(await account.send('PUT', '/alerts', { balance_below: '95.00' }), 200);
  await placeOrder(service, account, { customer: 'upgraded@example.com' });
  // What that process writes of alerts: neither mail_addresses nor accounts.alert_days nor is_catching_up.
  const text = `update alerts set plans_ending_days = 40, emails = '{Old@example.com}', is_catching_up = false
    where account_id = ${account.id}`;
  await service.database.query({ name: '', text });
  await confirmAddresses(service, await arrived());
  assert.deepEqual(expectStatus(await account.get('/alerts'), 200).confirmed_emails, ['Old@example.com']);
  await runPlanEnds(service);
  const [told] = await service.database.query({
    name: '',
    text: `select a.alert_days, (select count(*)::int from events e where e.account_id = a.id and e.type = 'plan.ending') as notices
      from accounts a where a.id = ${account.id}`,
  });
  assert.deepEqual(told, { alert_days: 40, notices: 1 });
  await credit(service, account, '50.00');
  await credit(service, account, '-50.00');
  assert.deepEqual(
    (await mailed()).map(({ to, subject }) => [to, subject]),
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

test('nobody is flooded with links to confirm: one a day of an account, three a day in all', async () => {
  const alerts = { balance_below: '95.00', emails: ['victim@example.com'] };
  const account = await service.createReseller({ credit: '100.00' });
  const asked = async () => (await mailed()).filter(({ to }) => to === 'victim@example.com').length;
  const put = (one: TestAccount, body: object) => one.send('PUT', '/alerts', body);
  for (const body of [alerts, { emails: [] }, alerts, alerts]) expectStatus(await put(account, body), 200);
  assert.equal(await asked(), 1);
  for (const body of [{ emails: [] }, alerts, alerts]) expectStatus(await put(account, body), 200);
  assert.equal(await asked(), 0);
  const others = [];
  for (let count = 0; count < 4; count += 1) others.push(await service.createReseller());
  for (const other of others) expectStatus(await put(other, alerts), 200);
  assert.equal(await asked(), 2);
  // One account has twenty a day for all addresses together.
  for (let round = 0; round < 3; round += 1) {
    const emails = Array.from({ length: 10 }, (_, index) => `many-${round}-${index}@example.com`);
    expectStatus(await put(account, { emails }), 200);
    await arrived();
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

test('150 plans that end each day are mailed the same day, all of them, whatever other notices there are', async () => {
  service.clock.seconds += 60 * day;
  await runPlanEnds(service);
  const address = 'many@example.com';
  const account = await listening({ plans_ending_days: 3, emails: [address] }, '9000.00');
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
    const mails = (await mailed()).filter(({ to }) => to === address);
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
  const account = await listening({ plans_ending_days: 3, emails: ['ended@example.com'] });
  await runPlanEnds(service);
  const first = await placeOrder(service, account, { customer: 'over@example.com', idempotency_key: '1' });
  service.clock.seconds += 10 * day;
  await placeOrder(service, account, { customer: 'runs@example.com', idempotency_key: '2' });
  const end = Date.parse(first.order.expires_at) / 1_000;
  service.clock.seconds = end - 3 * day;
  await runPlanEnds(service);
  service.clock.seconds = end + 8 * day;
  await runPlanEnds(service);
  const mails = (await mailed()).filter(({ to }) => to === 'ended@example.com');
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
  const account = await listening({ balance_below: '95.00', emails: ['boss@example.com'] });
  for (let falls = 0; falls < 25; falls += 1) {
    await credit(service, account, '-50.00');
    await credit(service, account, '50.00');
  }
  const alerts = (await mailed()).filter(({ to }) => to === 'boss@example.com');
  assert.equal(alerts.length, 20 - 1, 'the link to confirm was one of the twenty of the hour');
  const nobody = createPanelClient(service.address, '');
  expectStatus(await nobody.post('/password-reset', { account: username }), 202);
  await service.service.passwordLinks.settled();
  assert.deepEqual(
    (await mailed()).map(({ to, subject }) => [to, subject]),
    [['boss@example.com', 'A new password']],
  );
});
