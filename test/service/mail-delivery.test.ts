// Mail from the outbox to a real SMTP server. It is delivered once despite failures, within each address's limit.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sendRequest } from '../../scripts/throwaway/send-request.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import {
  createMailOutbox,
  type MailOutbox,
  type MailToQueue,
  sealedMails,
} from '../../src/platform/mail/mail-outbox.ts';
import { beginMail } from '../../src/platform/mail/mail-sendings.ts';
import { type SendMailsDependencies, sendMails } from '../../src/platform/mail/send-mails.ts';
import { readMailFrom, readSmtpUrl } from '../../src/platform/mail/smtp-address.ts';
import { unsubscribeToken } from '../../src/platform/mail/unsubscribe-token.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { linkIn, type MailServer, startMailServer } from '../harness/mail-server.ts';
import { onlyJobs } from '../harness/run-job.ts';

const limits = { ...defaultLimits.mail, perRecipientHourMax: 5, perAccountHourMax: 40 };
const publicUrl = 'https://resell.example.com';
const never = new AbortController().signal;
const keptSeconds = 30 * 86_400;
let mailServer: MailServer;
let service: TestService;
let account: TestAccount;
let outbox: MailOutbox;
before(async () => {
  mailServer = await startMailServer();
  service = await startTestService({
    environment: {
      PUBLIC_URL: publicUrl,
      SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      MAIL_FROM: 'billing@example.com',
      STATEMENT_ISSUER: 'Example Ltd | 1 High Street',
    },
    limits: { mail: limits, scheduledJobs: onlyJobs('mail') },
  });
  account = await service.createReseller();
  outbox = createMailOutbox({
    isOn: true,
    seal: service.service.seal,
    language: () => 'en',
    publicUrl: () => publicUrl,
    keptTryingSeconds: limits.keptTryingSeconds,
  });
});
after(async () => {
  await service?.close();
  await mailServer?.close();
});
beforeEach(async () => {
  mailServer.onMail = () => null;
  mailServer.take();
  await sql('delete from mails');
});

const sql = (text: string, values: readonly unknown[] = []) =>
  service.database.query({ name: '', text }, values);

function alert(occasion: string, change: Partial<MailToQueue> = {}): MailToQueue {
  return {
    accountId: account.id,
    to: 'Anna@Example.com',
    kind: 'alert',
    occasion,
    language: null,
    content: () => ({ subject: `About ${occasion}`, parts: [{ type: 'text', text: 'The balance is low.' }] }),
    ...change,
  };
}

const queue = (...mails: readonly MailToQueue[]) =>
  service.database.transaction(async (transaction) => {
    const queued: boolean[] = [];
    for (const mail of mails) queued.push(await outbox.queueMail(transaction, mail, service.clock.seconds));
    return queued;
  });

async function runJob(seconds: number = defaultLimits.scheduledJobs.mail.everySeconds): Promise<void> {
  service.clock.seconds += seconds;
  // A process runs only a few kinds of jobs at once, so look several times.
  for (let look = 0; look < 4; look += 1) {
    await service.service.jobs.look();
    await service.service.jobs.idle();
  }
}

const subjects = () => mailServer.take().map(({ parsed }) => parsed.subject);
const rows = () =>
  sql(`select sealed_body is null as is_blank, attempts, sent_at is not null as is_sent,
    gave_up_at is not null as is_given_up, last_error from mails order by id`);
const sent = { is_blank: true, attempts: 1, is_sent: true, is_given_up: false, last_error: null };
const givenUp = () => service.logLines.filter(({ msg }) => msg === 'mail given up').length;

test('what is queued is sent if its transaction is committed, in the operator’s name, and lies nowhere readable', async () => {
  await assert.rejects(
    service.database.transaction(async (transaction) => {
      assert.ok(await outbox.queueMail(transaction, alert('never'), service.clock.seconds));
      throw new Error('rolled back');
    }),
    /rolled back/,
  );
  assert.deepEqual(await queue(alert('a low balance')), [true]);
  const [waiting] = await sql('select * from mails');
  assert.ok(!JSON.stringify(waiting).includes('The balance is low'), 'a body is sealed');
  await runJob();
  const [mail, ...others] = mailServer.take();
  assert.equal(others.length, 0);
  assert.equal(mail?.parsed.from?.text, '"Example Ltd" <billing@example.com>');
  assert.equal(mail?.to, 'anna@example.com');
  assert.match(mail?.parsed.messageId ?? '', /^<\d+\.\d+@resell\.example\.com>$/);
  assert.deepEqual(await rows(), [sent]);
  await runJob();
  assert.deepEqual(subjects(), []);
});

test('an address gets one mail for an occasion; other addresses and occasions are independent', async () => {
  assert.deepEqual(
    await queue(alert('one'), alert('one'), alert('two'), alert('one', { to: 'b@example.com' })),
    [true, false, true, true],
  );
  await runJob();
  assert.deepEqual(await queue(alert('one'), alert('one', { accountId: null })), [false, true]);
  assert.deepEqual(await queue(alert('one', { accountId: null })), [false]);
  assert.deepEqual(subjects(), ['About one', 'About two', 'About one']);
});

test('several that send at once send each mail once', async () => {
  const occasions = Array.from({ length: 30 }, (_, index) => `occasion ${index}`);
  await queue(
    ...occasions.map((occasion) => alert(occasion, { to: `${occasion.replace(' ', '-')}@example.com` })),
  );
  // Runs without the lease, as if each process believed that it has it.
  const server = readSmtpUrl(`smtp://127.0.0.1:${mailServer.port}`);
  const from = readMailFrom('billing@example.com');
  assert.ok(server !== null && from !== null);
  const dependencies: SendMailsDependencies = {
    database: service.database,
    seal: service.service.seal,
    settings: { server, from },
    face: () => ({ issuer: 'Example Ltd', color: null, logo: null, supportAddress: null }),
    publicUrl: () => publicUrl,
    now: () => service.clock.seconds,
    limits,
    keptSeconds,
    onGivenUp: () => assert.fail('nothing is given up'),
  };
  await Promise.all(Array.from({ length: 5 }, () => sendMails(dependencies, never)));
  assert.deepEqual(subjects().sort(), occasions.map((occasion) => `About ${occasion}`).sort());
  assert.deepEqual(
    await rows(),
    occasions.map(() => sent),
  );
});

test('a mail that is refused for now is tried again, later each time, under the same Message-ID', async () => {
  await queue(alert('greylisted'));
  mailServer.onMail = () => 450;
  await runJob();
  assert.deepEqual(await rows(), [
    {
      ...sent,
      is_blank: false,
      is_sent: false,
      last_error: "Can't send mail - all recipients were rejected: 450 Not now",
    },
  ]);
  await runJob(limits.retrySecondsMin - 1);
  assert.equal((await rows())[0]?.['attempts'], 1);
  await runJob(15);
  assert.equal((await rows())[0]?.['attempts'], 2);
  mailServer.onMail = () => null;
  await runJob(2 * limits.retrySecondsMin);
  assert.deepEqual(subjects(), ['About greylisted']);
  assert.deepEqual(await rows(), [{ ...sent, attempts: 3 }]);
});

test('a mail that is refused for good is given up at once, and the log says so', async () => {
  await queue(alert('refused'), alert('taken', { to: 'b@example.com' }));
  mailServer.onMail = (to) => (to.startsWith('anna') ? 550 : null);
  const before = givenUp();
  await runJob();
  assert.deepEqual(subjects(), ['About taken']);
  assert.deepEqual(
    (await rows()).map(({ is_blank, is_given_up }) => [is_blank, is_given_up]),
    [
      [true, true],
      [true, false],
    ],
  );
  assert.equal(givenUp(), before + 1);
});

test('while the server is away the job fails and the mails wait; when it is back they go out in their order', async () => {
  await queue(alert('first'), alert('second'));
  await mailServer.goAway();
  await runJob();
  const state = async () => (await service.service.jobs.list()).find(({ kind }) => kind === 'mail');
  assert.match((await state())?.lastError ?? '', /mail server 127\.0\.0\.1 cannot be used/);
  assert.equal((await state())?.failuresInARow, 1);
  await mailServer.comeBack();
  await runJob(defaultLimits.jobs.retrySecondsMax);
  assert.deepEqual(subjects(), ['About first', 'About second']);
  assert.equal((await state())?.failuresInARow, 0);
});

test('where no one knows whether a mail was taken, it is not sent again, and the log says so', async () => {
  await queue(alert('cut off'), alert('died', { to: 'b@example.com' }));
  mailServer.onMail = (to) => (to.startsWith('anna') ? 'hang up' : null);
  const [, second] = await sql('select id from mails order by id');
  // As if a process died before the server's final answer.
  assert.ok(await beginMail(service.database, Number(second?.['id']), service.clock.seconds));
  const before = givenUp();
  await runJob();
  assert.deepEqual(subjects(), ['About cut off'], 'which had arrived');
  assert.equal(givenUp(), before + 1);
  mailServer.onMail = () => null;
  await runJob(limits.unknownAfterSeconds);
  await runJob();
  assert.deepEqual(subjects(), []);
  assert.equal(givenUp(), before + 2);
  for (const row of await rows()) {
    assert.deepEqual([row['is_blank'], row['is_given_up']], [true, true]);
    assert.match(String(row['last_error']), /^unknown outcome: /);
  }
});

test('a mail that no one wants any more is not sent: after three days, or its own time', async () => {
  const expiresAt = service.clock.seconds + 3_600;
  await queue(alert('of an hour', { expiresAt }), alert('of three days', { to: 'b@example.com' }));
  mailServer.onMail = () => 450;
  await runJob();
  await runJob(3_600);
  const states = async () => (await rows()).map(({ is_given_up }) => is_given_up);
  assert.deepEqual(await states(), [true, false]);
  mailServer.onMail = () => null;
  await runJob(limits.keptTryingSeconds);
  assert.deepEqual(await states(), [true, true]);
  assert.deepEqual(subjects(), []);
});

test('an address gets so many an hour, and keeps no other waiting', async () => {
  const many = Array.from({ length: limits.perRecipientHourMax + 4 }, (_, index) => alert(`loop ${index}`));
  await queue(...many, alert('other', { to: 'b@example.com' }));
  await runJob();
  const arrived = mailServer.take().map(({ to }) => to);
  assert.equal(arrived.length, limits.perRecipientHourMax + 1);
  assert.ok(arrived.includes('b@example.com'));
  await queue(alert('of a later run'));
  await runJob();
  assert.deepEqual(subjects(), []);
  await runJob(3_600);
  assert.equal(subjects().length, 5);
});

test('mail about security goes first, is counted apart, and is not held back by what other accounts mail', async () => {
  const many = Array.from({ length: limits.perRecipientHourMax + 5 }, (_, index) => alert(`flood ${index}`));
  // More than a run reads at once, so it counts the sent ones for the mails behind them.
  const invitations = Array.from({ length: limits.atOnceMax + 5 }, (_, index) =>
    alert(`invitation ${index}`, { kind: 'invitation', accountId: account.id + 1 }),
  );
  await queue(...many, ...invitations);
  service.clock.seconds += 1;
  await queue(alert('reset', { kind: 'password_reset' }), alert('sign-in', { kind: 'new_sign_in' }));
  await runJob();
  const arrived = subjects();
  const count = (word: string) => arrived.filter((subject) => subject?.startsWith(`About ${word}`)).length;
  assert.deepEqual(
    [count('flood'), count('invitation'), count('reset'), count('sign-in')],
    [limits.perRecipientHourMax, limits.perRecipientHourMax, 1, 1],
  );
  assert.ok(
    arrived.slice(-limits.perRecipientHourMax).every((subject) => subject?.startsWith('About flood')),
  );
  // Security mail gets another try within the hour in which its link works.
  await runJob(1_800);
  assert.deepEqual(subjects(), []);
  await runJob(1_801);
  assert.ok(subjects().some((subject) => subject?.startsWith('About invitation')));
});

test('mail about security that comes while a run sends alerts does not wait for all of them', async () => {
  const many = Array.from({ length: limits.atOnceMax * 2 }, (_, index) =>
    alert(`alert ${index}`, { to: `a${index}@example.com` }),
  );
  await queue(...many);
  let queued: Promise<unknown> | null = null;
  mailServer.onMail = () => {
    queued ??= queue(alert('urgent', { kind: 'password_reset' }));
    return null;
  };
  await runJob();
  await queued;
  await runJob();
  const place = subjects().indexOf('About urgent');
  assert.ok(place >= 0 && place <= limits.atOnceMax, `it was number ${place}`);
});

test('one account sends so many optional mails an hour, to however many addresses', async () => {
  const many = Array.from({ length: limits.perAccountHourMax + 10 }, (_, index) =>
    alert(`wide ${index}`, { to: `wide-${index}@example.com` }),
  );
  await queue(...many);
  for (let runs = 0; runs < 3; runs += 1) await runJob();
  assert.equal(subjects().length, limits.perAccountHourMax);
  await queue(alert('another', { accountId: account.id + 1, to: 'wide@example.com' }));
  await runJob();
  assert.deepEqual(subjects(), ['About another']);
  for (let runs = 0; runs < 3; runs += 1) await runJob(1_801);
  assert.equal(subjects().length, 10);
});

test('one click, without a session, and an address gets no more alerts; mail about security comes all the same', async () => {
  await queue(alert('before'));
  await runJob();
  const [mail] = mailServer.take();
  assert.ok(mail);
  const link = linkIn(mail, `${publicUrl}/panel/unsubscribe/`).replace(publicUrl, service.address);
  assert.match(
    mail.raw.replace(/\r\n\s+/g, ' '),
    /^List-Unsubscribe: <https:\/\/resell\.example\.com\/panel\/unsubscribe\/[\w.-]+>\r$/m,
  );
  const oneClick = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  };
  const asked = await sendRequest(link, { method: 'GET' });
  assert.equal(asked.status, 200);
  assert.match(asked.text, /<form method="post">/);
  assert.deepEqual(await queue(alert('scanned')), [true], 'a scanner that opens links changes nothing');
  assert.equal((await sendRequest(link, oneClick)).status, 200);
  assert.equal((await sendRequest(link, oneClick)).status, 200, 'as often as one likes');
  const other = await service.createReseller();
  assert.deepEqual(
    await queue(
      alert('after'),
      alert('after', { to: 'b@example.com' }),
      alert('after', { accountId: other.id }),
      alert('secure', { kind: 'new_sign_in' }),
    ),
    [false, true, true, true],
  );
  const undone = await sendRequest(`${link}/undo`, { method: 'POST' });
  assert.equal(undone.status, 200);
  assert.deepEqual(await queue(alert('again')), [true]);

  const { seal } = service.service;
  const token = unsubscribeToken(seal, { accountId: account.id, address: 'anna@example.com' });
  assert.ok(link.endsWith(token));
  const [id = '', address = '', signature = ''] = token.split('.');
  for (const forged of [
    `${other.id}.${address}.${signature}`,
    `${id}.${Buffer.from('c@example.com').toString('base64url')}.${signature}`,
    `${id}.${address}.${'A'.repeat(22)}`,
    `${id}.${address}`,
    'x',
    'x'.repeat(5_000),
  ]) {
    for (const method of ['GET', 'POST']) {
      const answer = await sendRequest(`${service.address}/panel/unsubscribe/${forged}`, { method });
      assert.equal(answer.status, 410, forged.slice(0, 100));
    }
  }
  assert.deepEqual(await sql('select * from mail_unsubscribes'), []);
});

test('what waits is sealed again with everything else when SECRET_KEY is replaced', async () => {
  await queue(alert('sealed'));
  const [text] = await sealedMails.list(service.database, 0);
  assert.ok(text);
  const { seal } = service.service;
  assert.equal(seal.stateOf(text.sealed, text.context), 'current');
  const renewed = seal.seal(seal.open(text.sealed, text.context), text.context);
  await sealedMails.replace(service.database, [{ id: text.id, from: text.sealed, to: renewed }]);
  await sealedMails.replace(service.database, [{ id: text.id, from: text.sealed, to: 'too late' }]);
  await runJob();
  assert.deepEqual(subjects(), ['About sealed']);
});
