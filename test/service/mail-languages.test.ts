// Mails in the recipient's language and with the operator's brand, as a real SMTP server receives them.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { confirmAddresses } from '../harness/confirm-addresses.ts';
import { pngFile } from '../harness/logo-files.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../harness/mail-server.ts';
import {
  createPanelClient,
  signIn,
  signInAnswer,
  testPassword,
  usernameOf,
} from '../harness/panel-client.ts';
import { addPerson, ownPassword } from '../harness/people.ts';
import { expectStatus } from '../harness/refusals.ts';
import { onlyJobs, runJob } from '../harness/run-job.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { changeAccount, placeOrder, secondsOf } from '../harness/shop.ts';

const api = '/api/admin/v1';
const day = 86_400;
let mailServer: MailServer;
let service: TestService;
let places = 0;
before(async () => {
  mailServer = await startMailServer();
  service = await startTestService({
    environment: {
      SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      MAIL_FROM: 'billing@example.com',
      TRUST_PROXY: '127.0.0.1',
    },
    limits: { scheduledJobs: onlyJobs('alertMails', 'mail') },
  });
});
after(async () => {
  await service?.close();
  await mailServer?.close();
});

async function arrived(): Promise<readonly ReceivedMail[]> {
  await service.service.passwordLinks.settled();
  for (const kind of ['alert_mails', 'mail']) await runJob(service, kind);
  return mailServer.take();
}

async function arrivedOne(): Promise<ReceivedMail> {
  const [mail, ...others] = await arrived();
  assert.ok(mail, 'a mail came');
  assert.equal(others.length, 0);
  return mail;
}

async function brand(changes: object): Promise<void> {
  const none = { name: null, colour: null, letterhead: [], support_address: null, language: 'en' };
  expectStatus(await service.admin.send('PUT', `${api}/brand`, { ...none, ...changes }), 200);
}

async function createAccount(email: string): Promise<TestAccount & { readonly username: string }> {
  const account = await service.createReseller({ credit: '2000.00' });
  await changeAccount(service, account, { email });
  return { ...account, username: await usernameOf(service, account) };
}

const from = (language?: string) => {
  places += 1;
  const place = { 'x-forwarded-for': `203.0.113.${places}` };
  return language === undefined ? place : { ...place, 'accept-language': language };
};
const ask = async (account: string, language?: string) => {
  service.clock.seconds += 3_600;
  const anonymous = createPanelClient(service.address, '');
  expectStatus(await anonymous.post('/password-reset', { account }, from(language)), 202);
  return (await arrivedOne()).parsed.subject;
};
const languageOf = ({ parsed }: ReceivedMail) => /<html lang="(\w+)">/.exec(parsed.html || '')?.[1];

test('a mail is in the language that its receiver chose, else the browser’s that asked, else the operator’s', async () => {
  const { username, id } = await createAccount('reader@example.com');
  assert.equal(await ask(username), 'Reset your password');
  assert.equal(await ask(username, 'fr'), 'Reset your password');
  assert.equal(await ask(username, 'de-AT,de;q=0.9,en;q=0.5'), 'Passwort zurücksetzen');
  await brand({ language: 'de' });
  assert.equal(await ask(username), 'Passwort zurücksetzen');
  assert.equal(await ask(username, 'en-GB'), 'Reset your password');
  const panel = await signIn(service, { id });
  expectStatus(await panel.put('/language', { language: 'de' }), 200);
  assert.equal(await ask(username, 'en-GB'), 'Passwort zurücksetzen');
  await brand({ language: 'en' });
  assert.equal(await ask(username), 'Passwort zurücksetzen');

  // About a person who signed in from a browser.
  expectStatus(await signInAnswer(service.address, { username, password: testPassword }, from('en')), 200);
  const news = await arrivedOne();
  assert.equal(news.parsed.subject, 'Neue Anmeldung an Ihrem Konto');
  assert.match(
    news.parsed.text ?? '',
    /\nZeit: \d+\. \p{L}+ 2026, \d\d:\d\d UTC\nAdresse: 203\.0\.113\.\d+\nBrowser: /u,
  );
  expectStatus(await panel.put('/language', { language: null }), 200);
  expectStatus(await signInAnswer(service.address, { username, password: testPassword }, from('de')), 200);
  assert.equal(languageOf(await arrivedOne()), 'de');
});

test('where no browser asks, a colleague’s invitation is in the account’s language, and the first one in the operator’s', async () => {
  const body = { username: 'first', group: 'reseller', email: 'first@example.com', invite: true };
  expectStatus(await service.admin.post(`${api}/accounts`, body), 201);
  const first = await arrivedOne();
  assert.equal(first.parsed.subject, 'Your account is ready');
  await brand({ language: 'de' });
  expectStatus(
    await service.admin.post(`${api}/accounts`, { ...body, username: 'second', email: 'second@example.com' }),
    201,
  );
  assert.equal((await arrivedOne()).parsed.subject, 'Ihr Konto ist bereit');

  const account = await createAccount('owner@example.com');
  const panel = await signIn(service, account);
  const invite = (username: string) =>
    panel.post('/people', {
      username,
      role: 'viewer',
      email: `${username}@example.com`,
      password: testPassword,
    });
  expectStatus(await panel.put('/language', { language: 'en' }), 200);
  expectStatus(await invite('english-colleague'), 201);
  assert.equal((await arrivedOne()).parsed.subject, 'You are invited');
  expectStatus(await panel.put('/language', { language: 'de' }), 200);
  expectStatus(await invite('german-colleague'), 201);
  const mail = await arrivedOne();
  assert.equal(mail.parsed.subject, 'Sie sind eingeladen');
  assert.match(mail.parsed.text ?? '', /\nDer Link gilt bis: \d+\. \p{L}+ 2026, \d\d:\d\d UTC\n/u);
  await brand({ language: 'en' });
});

test('alerts reach each address in the language of its person, with money and times as written there', async () => {
  service.clock.seconds = secondsOf('2027-01-15T12:00:00Z');
  await runPlanEnds(service);
  const account = await createAccount('boss@example.com');
  const panel = await signIn(service, account);
  expectStatus(await panel.put('/language', { language: 'de' }), 200);
  const clerk = await addPerson(service, account, 'viewer');
  const address = { email: 'clerk@example.com', password: ownPassword };
  expectStatus(await clerk.panel.put('/email', address), 200);
  expectStatus(await clerk.panel.put('/language', { language: 'en' }), 200);
  const emails = ['boss@example.com', 'Clerk@example.com', 'books@example.com'];
  const alerts = { balance_below: '1995.00', plans_ending_days: 3, emails };
  expectStatus(await account.send('PUT', '/alerts', alerts), 200);
  const asked = await arrived();
  assert.deepEqual(
    new Map(asked.map(({ to, parsed }) => [to, parsed.subject])),
    new Map([
      ['boss@example.com', 'Bitte bestätigen Sie diese Adresse'],
      ['books@example.com', 'Bitte bestätigen Sie diese Adresse'],
      ['clerk@example.com', 'Confirm this address for alerts'],
    ]),
  );
  await confirmAddresses(service, asked);
  const { order } = await placeOrder(service, account, { customer: 'ada@example.com' });
  const low = new Map((await arrived()).map((mail) => [mail.to, mail.parsed]));
  assert.equal(low.get('boss@example.com')?.subject, 'Ihr Guthaben liegt unter 1.995,00\u00a0$');
  assert.match(low.get('boss@example.com')?.text ?? '', /\nGuthaben: 1\.990,00\u00a0\$\n/);
  assert.equal(low.get('clerk@example.com')?.subject, 'Your balance is below $1,995.00');
  assert.equal(low.get('books@example.com')?.subject, low.get('boss@example.com')?.subject);

  service.clock.seconds = secondsOf(order.expires_at) - 3 * day;
  await runPlanEnds(service);
  const ending = new Map((await arrived()).map((mail) => [mail.to, mail.parsed.text ?? '']));
  assert.match(
    ending.get('boss@example.com') ?? '',
    /^ada@example\.com: Basic, bis 15\. Februar 2027, 12:00 UTC\n/,
  );
  assert.match(
    ending.get('clerk@example.com') ?? '',
    /^ada@example\.com: Basic, until February 15, 2027, 12:00 UTC\n/,
  );
  assert.match(ending.get('clerk@example.com') ?? '', /\nUnsubscribe from these emails:\n/);
  assert.match(ending.get('boss@example.com') ?? '', /\nDiese E-Mails abbestellen:\n/);
});

test('a mail has the operator’s name, color, logo and address for answers, as they are when it is sent', async () => {
  const { username } = await createAccount('face@example.com');
  await brand({ name: 'Müller & Söhne "Hosting"', colour: '#FFE14D', support_address: 'hilfe@example.com' });
  const data = pngFile({ width: 400, height: 100 }).toString('base64');
  expectStatus(await service.admin.send('PUT', `${api}/brand/logo`, { data }), 200);
  assert.equal(await ask(username, 'de'), 'Passwort zurücksetzen');
  service.clock.seconds += 3_600;
  const anonymous = createPanelClient(service.address, '');
  expectStatus(await anonymous.post('/password-reset', { account: username }, from('de')), 202);
  await service.service.passwordLinks.settled();
  // The mail waits in the outbox while the operator changes the name.
  const long = `${'Ä'.repeat(59)}Z`;
  await brand({ name: long, colour: '#ffe14d', support_address: 'hilfe@example.com' });
  const { parsed, raw } = await arrivedOne();
  assert.deepEqual(parsed.from?.value, [{ name: long, address: 'billing@example.com' }]);
  assert.deepEqual(parsed.replyTo?.value, [{ name: long, address: 'hilfe@example.com' }]);
  assert.ok(
    raw.split('\r\n').every(({ length }) => length <= 998),
    'no line is longer than a server takes',
  );
  const [logo, ...others] = parsed.attachments;
  assert.equal(others.length, 0);
  assert.deepEqual(
    [logo?.contentType, logo?.contentDisposition, logo?.related, logo?.content.toString('base64')],
    ['image/png', 'inline', true, data],
  );
  // Quoted-printable text may break a line anywhere, so join the lines.
  const unfolded = raw.replaceAll('=\r\n', '').replaceAll('=20', ' ');
  assert.ok(unfolded.includes(`<img src=3D"cid:${logo?.cid}" alt=3D"" width=3D"128" height=3D"32"`), raw);
  const shown = parsed.html || '';
  assert.ok(shown.includes(`<bdi>${long}</bdi>`));
  // A yellow that is hard to read is adjusted, as on the pages.
  assert.match(
    shown,
    /<a class="link" [^>]*background:#7a6c25;border-color:#7a6c25;color:#ffffff">Neues Passwort wählen</,
  );
  assert.match(shown, /prefers-color-scheme: dark\) \{\s+\.operator \{ border-color: #ffe14d/);
  assert.match(parsed.text ?? '', new RegExp(`\n-- \n${long}\nHilfe: hilfe@example\\.com\n`));
  assert.match(shown, /<br>Hilfe: hilfe@example\.com/);

  expectStatus(await service.admin.send('DELETE', `${api}/brand/logo`), 200);
  await brand({});
  await ask(username);
  const plain = mailServer.mails.at(-1)?.parsed;
  assert.deepEqual(plain?.from?.value, [{ name: 'Sellthrough', address: 'billing@example.com' }]);
  assert.equal(plain?.replyTo, undefined);
  assert.deepEqual(plain?.attachments, []);
  assert.doesNotMatch(plain?.html || '', /<img|background|prefers-color-scheme: dark/);
});
