// Mail to a real SMTP server: sender names, hostile names, and the result of each way in which sending may end.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { readLogo } from '../../src/features/brand/read-logo.ts';
import { type MailFace, writeMail } from '../../src/platform/mail/mail-content.ts';
import { readMailFrom, readSmtpUrl, type SmtpServer } from '../../src/platform/mail/smtp-address.ts';
import { createSmtpSender, type MailMessage, type MailOutcome } from '../../src/platform/mail/smtp-sender.ts';
import { translatorOf } from '../../src/platform/text/translator.ts';
import { pngFile } from '../harness/logo-files.ts';
import { type MailServer, mailLogin, startMailServer, trustMailServer } from '../harness/mail-server.ts';

const limits = { silenceMilliseconds: 20_000, sendMilliseconds: 20_000 };
const never = new AbortController().signal;
let open: MailServer;
let guarded: MailServer;
before(async () => {
  [open, guarded] = await Promise.all([startMailServer(), startMailServer({ asksLogin: true })]);
});
after(() => Promise.all([open.close(), guarded.close()]));

const plainFace = { color: null, logo: null, supportAddress: null };

function messageOf(
  name: string,
  unsubscribeUrl: string | null = null,
  face: Omit<MailFace, 'issuer'> = plainFace,
): MailMessage {
  const content = {
    subject: `Balance of ${name}`,
    parts: [
      { type: 'text', text: `The balance of ${name} is low.` },
      { type: 'facts', facts: [['Account', name]] },
      { type: 'link', label: 'Open the panel', url: 'https://resell.example.com/panel/' },
    ],
  } as const;
  return {
    ...writeMail(content, {
      face: { ...face, issuer: name },
      translator: translatorOf('en'),
      unsubscribeUrl,
    }),
    from: { name: 'Example Ltd', address: 'billing@example.com' },
    replyTo: face.supportAddress === null ? null : { name, address: face.supportAddress },
    logo: face.logo,
    to: 'anna@example.com',
    messageId: '<1.2@resell.example.com>',
    at: new Date('2026-01-15T12:00:00Z'),
    unsubscribeUrl,
  };
}

function brandedFace(): Omit<MailFace, 'issuer'> {
  const logo = readLogo(pngFile({ width: 400, height: 100 }));
  assert.ok(typeof logo !== 'string');
  return { color: '#0f766e', logo: { ...logo, etag: '"a_b-C"' }, supportAddress: 'help@example.com' };
}

function serverAt(url: string): SmtpServer {
  const server = readSmtpUrl(url);
  assert.ok(server, url);
  return server;
}

async function sendTo(url: string, message = messageOf('Anna')): Promise<MailOutcome> {
  const sender = createSmtpSender(serverAt(url), limits);
  try {
    return await sender.send(message, never);
  } finally {
    sender.close();
  }
}

/** The gate takes one of three names of the corpus, every other run all. */
const spacing = process.env['TEST_GATE'] === '1' ? 3 : 1;

const { user, password } = mailLogin;
const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
const openUrl = () => `smtp://127.0.0.1:${open.port}`;
const guardedUrl = (query = '?tls=required', who = login) =>
  `smtp://${who}@127.0.0.1:${guarded.port}${query}`;

test('a mail is text and HTML, says who sent it, and may be unsubscribed by one click', async () => {
  const url = 'https://resell.example.com/panel/unsubscribe/1.a.b';
  assert.deepEqual(await sendTo(openUrl(), messageOf('Anna & Söhne', url)), { type: 'taken' });
  const [mail] = open.take();
  assert.ok(mail);
  const { parsed, from, to } = mail;
  assert.deepEqual([from, to], ['billing@example.com', 'anna@example.com']);
  assert.equal(parsed.from?.text, '"Example Ltd" <billing@example.com>');
  assert.equal(parsed.subject, 'Balance of Anna & Söhne');
  assert.equal(parsed.messageId, '<1.2@resell.example.com>');
  assert.equal(parsed.date?.toISOString(), '2026-01-15T12:00:00.000Z');
  assert.match(parsed.text ?? '', /^The balance of Anna & Söhne is low\.\n\nAccount: Anna & Söhne\n\nOpen/);
  assert.match(parsed.html || '', /The balance of Anna &amp; Söhne is low\./);
  assert.ok(!/<table|<img|<script|background|http:/i.test(parsed.html || ''));
  assert.match(mail.raw, new RegExp(`^List-Unsubscribe: <${url.replaceAll('.', '\\.')}>\r$`, 'm'));
  assert.match(mail.raw, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
  assert.match(mail.raw, /^Auto-Submitted: auto-generated\r$/m);
  await sendTo(openUrl());
  assert.ok(!open.take()[0]?.raw.includes('List-Unsubscribe'));
});

test('no name makes a header, a tag or another recipient', async () => {
  const corpus: readonly string[] = JSON.parse(
    readFileSync(new URL('../corpora/naughty-strings.json', import.meta.url), 'utf8'),
  );
  const hostile = [
    'Anna\r\nBcc: everybody@example.com',
    'Anna\nContent-Type: text/html\n\n<h1>',
    'Anna\r\n.\r\nRSET\r\nMAIL FROM:<evil@example.com>',
    '\u2028Bcc: a@example.com\u2029\u0085X: y',
    '=?utf-8?Q?=0D=0ABcc:_a@example.com?=',
    '"><script>alert(1)</script>',
    '\u202egnp.exe',
    '\ud800',
    '.\r\n.',
    'x'.repeat(5_000),
    ...corpus.filter((name) => /[^\w $.,/+-]/.test(name)).filter((_, place) => place % spacing === 0),
  ];
  assert.ok(hostile.length > 200 / spacing, `${hostile.length} names`);
  const sender = createSmtpSender(serverAt(openUrl()), limits);
  const plain = [
    'from',
    'reply-to',
    'to',
    'subject',
    'message-id',
    'auto-submitted',
    'date',
    'mime-version',
    'content-type',
  ];
  const tagsOf = (html: string) => html.match(/<[^>]*>/g)?.length;
  const branded = brandedFace();
  const tags = tagsOf(messageOf('Anna', null, branded).html);
  for (const name of hostile) {
    const message = {
      ...messageOf(name, null, branded),
      from: { name, address: 'billing@example.com' },
    };
    assert.deepEqual(await sender.send(message, never), { type: 'taken' }, JSON.stringify(name));
    const received = open.take();
    assert.equal(received.length, 1, JSON.stringify(name));
    const [mail] = received;
    assert.ok(mail);
    const { parsed } = mail;
    assert.deepEqual([...parsed.headers.keys()].sort(), plain.toSorted(), JSON.stringify(name));
    assert.equal(parsed.to && 'text' in parsed.to && parsed.to.text, 'anna@example.com');
    assert.deepEqual(
      parsed.from?.value.map(({ address }) => address),
      ['billing@example.com'],
      name,
    );
    assert.deepEqual(
      parsed.replyTo?.value.map(({ address }) => address),
      ['help@example.com'],
      name,
    );
    assert.equal(tagsOf(message.html), tags, JSON.stringify(name));
    assert.ok(!/[\p{Cc}\u2028\u2029]/u.test(message.subject) && message.subject.length <= 150);
    assert.equal(parsed.text?.split('\n').length, 11, JSON.stringify(parsed.text));
  }
  sender.close();
});

describe('after a sending it is known whether the server has the mail', () => {
  const cases: readonly (readonly [
    title: string,
    said: number | 'hang up',
    outcome: MailOutcome['type'],
    isLasting?: boolean,
  ])[] = [
    ['a mailbox that is full just now', 452, 'refused', false],
    ['a mailbox that there is not', 550, 'refused', true],
    ['a connection that ends without the last word', 'hang up', 'unknown'],
  ];
  for (const [title, said, type, isLasting] of cases) {
    test(title, async () => {
      open.onMail = () => said;
      const outcome = await sendTo(openUrl());
      open.onMail = () => null;
      assert.equal(outcome.type, type);
      if (outcome.type === 'refused') assert.equal(outcome.isLasting, isLasting);
      open.take();
    });
  }

  test('a server that is not there', async () => {
    await open.goAway();
    const outcome = await sendTo(openUrl());
    await open.comeBack();
    assert.equal(outcome.type, 'unusable');
    assert.match(outcome.type === 'unusable' ? outcome.reason : '', /ECONNREFUSED/);
  });

  test('a process that was stopped before', async () => {
    const sender = createSmtpSender(serverAt(openUrl()), limits);
    assert.equal((await sender.send(messageOf('Anna'), AbortSignal.abort())).type, 'unusable');
    sender.close();
    assert.deepEqual(open.take(), []);
  });
});

test('STARTTLS is asked for before anything is said, with a right certificate', async () => {
  const outcome = await sendTo(guardedUrl());
  assert.equal(outcome.type, 'unusable', 'the certificate is not trusted');
  assert.deepEqual(guarded.take(), []);
  trustMailServer();
  assert.deepEqual(await sendTo(guardedUrl()), { type: 'taken' });
  const [mail] = guarded.take();
  assert.deepEqual([mail?.isEncrypted, mail?.user], [true, user]);
  assert.equal(
    (await sendTo(guardedUrl('?tls=required', `${encodeURIComponent(user)}:wrong`))).type,
    'unusable',
  );
  assert.equal((await sendTo(`${openUrl()}?tls=optional`)).type, 'taken');
});

describe('SMTP_URL and MAIL_FROM', () => {
  const urls: readonly (readonly [url: string, expected: object | null])[] = [
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, security: 'starttls', login: null }],
    ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, security: 'tls', login: null }],
    [
      'smtp://a%40b:c%2Fd@mail:25/?tls=optional',
      { host: 'mail', port: 25, security: 'where_offered', login: { user: 'a@b', password: 'c/d' } },
    ],
    ['smtp://localhost:1025', { host: 'localhost', port: 1025, security: 'where_offered', login: null }],
    ['smtp://[::1]:1025?tls=required', { host: '::1', port: 1025, security: 'starttls', login: null }],
    ['https://mail.example.com', null],
    ['smtp://user@mail.example.com', null],
    ['smtp://user:%zz@mail.example.com', null],
    ['smtp://mail.example.com/path', null],
    ['smtp://mail.example.com?tls=no', null],
    ['smtp://mail.example.com?pool=true', null],
    ['smtp://', null],
    ['mail.example.com', null],
  ];
  for (const [url, expected] of urls) test(url, () => assert.deepEqual(readSmtpUrl(url), expected));

  const senders: readonly (readonly [text: string, expected: object | null])[] = [
    ['billing@example.com', { name: null, address: 'billing@example.com' }],
    ['Example Ltd <billing@example.com>', { name: 'Example Ltd', address: 'billing@example.com' }],
    ['"Müller, Söhne" <a.b+c@x-y.example>', { name: 'Müller, Söhne', address: 'a.b+c@x-y.example' }],
    ['Example\r\nBcc: x <billing@example.com>', null],
    ['billing@localhost', null],
    ['billing@example.com, other@example.com', null],
    ['<billing@example.com> x', null],
    ['Example Ltd', null],
  ];
  for (const [text, expected] of senders)
    test(JSON.stringify(text), () => assert.deepEqual(readMailFrom(text), expected));
});
