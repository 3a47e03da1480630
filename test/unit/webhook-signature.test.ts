// Signatures of deliveries are verified with the Standard Webhooks library and its test vector.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook as PublishedLibrary } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../../sdk/src/index.ts';
import { mintSecret, signedHeaders, signingKeyOf } from '../../src/platform/outbound/webhook-signature.ts';

const bodies = [
  '{}',
  '{"test": 2432232314}',
  JSON.stringify({ name: 'Żółw 🐢', text: '\u2028"\\' }),
  'x'.repeat(65_536),
];

describe('what the service signs', () => {
  test('the vector of the specification', () => {
    const keys = [signingKeyOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')];
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
    const headers = signedHeaders({ id, body: '{"test": 2432232314}', keys }, 1_614_265_330);
    assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('any body is signed as the published library signs it, with one secret or with two', () => {
    const [secret, earlier] = [mintSecret(), mintSecret()];
    const keys = [secret, earlier].map(signingKeyOf);
    const now = Math.floor(Date.now() / 1_000);
    for (const body of bodies) {
      const headers = signedHeaders({ id: 'evt_1', body, keys }, now);
      const expected = [secret, earlier].map((each) =>
        new PublishedLibrary(each).sign('evt_1', new Date(now * 1_000), body),
      );
      assert.equal(headers['webhook-signature'], expected.join(' '));
    }
  });

  test('a secret is as the specification wants it, and never the same twice', () => {
    const secrets = Array.from({ length: 100 }, mintSecret);
    assert.equal(new Set(secrets).size, 100);
    for (const secret of secrets) assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  });
});

describe('verifyWebhook', () => {
  const secret = mintSecret();
  const library = new PublishedLibrary(secret);
  const seconds = () => Math.floor(Date.now() / 1_000);
  const headersOf = (body: string, at = seconds()) => ({
    'Webhook-Id': 'evt_1',
    'WEBHOOK-TIMESTAMP': String(at),
    'webhook-signature': library.sign('evt_1', new Date(at * 1_000), body),
  });
  const body = '{"id":1,"type":"plan.expired","data":{"name":"Żółw"}}';

  test('takes what the published library signs: as text or bytes, with headers of any kind', async () => {
    const event = JSON.parse(body);
    assert.deepEqual(await verifyWebhook(body, headersOf(body), secret), event);
    assert.deepEqual(await verifyWebhook(new TextEncoder().encode(body), headersOf(body), secret), event);
    assert.deepEqual(await verifyWebhook(body, new Headers(headersOf(body)), secret), event);
  });

  test('takes either of two signatures', async () => {
    const at = seconds();
    const other = new PublishedLibrary(mintSecret()).sign('evt_1', new Date(at * 1_000), body);
    const ours = headersOf(body, at)['webhook-signature'];
    for (const both of [`${other} ${ours}`, `${ours} ${other}`, `v2,abc v1a,def ${ours}`]) {
      await verifyWebhook(body, { ...headersOf(body, at), 'webhook-signature': both }, secret);
    }
  });

  const refused: readonly (readonly [string, () => [string, Record<string, string>, string]])[] = [
    ['another body', () => [`${body} `, headersOf(body), secret]],
    ['another secret', () => [body, headersOf(body), mintSecret()]],
    ['another id', () => [body, { ...headersOf(body), 'Webhook-Id': 'evt_2' }, secret]],
    ['six minutes ago', () => [body, headersOf(body, seconds() - 360), secret]],
    ['in six minutes', () => [body, headersOf(body, seconds() + 360), secret]],
    ['no time', () => [body, { ...headersOf(body), 'WEBHOOK-TIMESTAMP': 'now' }, secret]],
    ['no signature', () => [body, { ...headersOf(body), 'webhook-signature': '' }, secret]],
    [
      'a signature of another version',
      () => [body, { ...headersOf(body), 'webhook-signature': 'v2,abc=' }, secret],
    ],
    [
      'a signature that is no base64',
      () => [body, { ...headersOf(body), 'webhook-signature': 'v1,%%%' }, secret],
    ],
  ];
  for (const [what, args] of refused) {
    test(`refuses ${what}`, () => assert.rejects(verifyWebhook(...args()), WebhookVerificationError));
  }
});
