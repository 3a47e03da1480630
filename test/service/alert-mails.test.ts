// Mails of alerts, from the event to a real SMTP server: once for each fall of the balance however many processes look, one a
// day for plans that end, and none to whoever wants none.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { type MailServer, startMailServer } from '../harness/mail-server.ts';
import { expectStatus } from '../harness/refusals.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { credit, placeOrder } from '../harness/shop.ts';

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
async function mailed(): Promise<{ to: string; subject: string; text: string; raw: string }[]> {
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
  return mailServer
    .take()
    .map(({ to, raw, parsed }) => ({ to, raw, subject: parsed.subject ?? '', text: parsed.text ?? '' }));
}

async function listening(alerts: object): Promise<TestAccount> {
  const account = await service.createReseller({ credit: '100.00' });
  expectStatus(await account.send('PUT', '/alerts', alerts), 200);
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
  assert.deepEqual(await mailed(), []);
});
