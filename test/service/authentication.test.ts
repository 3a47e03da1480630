import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { after, before, test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { wantedProxy } from '../../scripts/throwaway/front-proxy.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { booksOf } from '../harness/books.ts';
import { rawRequest, sendRaw } from '../harness/raw-socket.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { changeAccount, resetKey } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

async function rawGet(lines: readonly string[], path = '/api/v1/balance', method = 'GET') {
  const request = rawRequest([`${method} ${path} HTTP/1.1`, 'Host: x', ...lines]);
  const { answers } = await sendRaw(service.address, request, { head: method === 'HEAD' });
  const [answer] = answers;
  assert.ok(answer);
  return answer;
}

test('a request without a bearer key is missing_api_key, however the header looks', async () => {
  const { key } = await service.createReseller();
  const headers = ['', 'X-Api-Key: x', 'Authorization:', 'Authorization: Bearer', 'Authorization: Bearer   '];
  headers.push(`Authorization: ${key}`, `Authorization: Basic ${key}`, `Authorization: Bearer${key}`);
  headers.push('Authorization: Digest username="x"');
  for (const header of headers) {
    const answer = await rawGet(header === '' ? [] : [header]);
    expectRefusal(answer, '401 missing_api_key', {}, header);
  }
  const { answers } = await sendRaw(
    service.address,
    rawRequest([`GET /api/v1/balance?api_key=${key} HTTP/1.1`, 'Host: x']),
  );
  assert.equal(answers[0]?.status, 401, 'a key in the address does not count');
});

test('a 401 says that a bearer token is asked for, and whether one was sent', async () => {
  const reseller = await service.createReseller();
  const reset = await service.admin.post(`/api/admin/v1/accounts/${reseller.id}/api-key`, {});
  assert.equal(reset.status, 201, reset.text);
  const realm = 'Bearer realm="Sellthrough"';
  for (const path of ['/api/v1/balance', '/api/admin/v1/accounts', '/api/v1/nowhere']) {
    for (const [key, code, challenge] of [
      [null, 'missing_api_key', realm],
      ['unknown', 'invalid_api_key', `${realm}, error="invalid_token"`],
      [reseller.key, 'revoked_api_key', `${realm}, error="invalid_token"`],
    ] as const) {
      const answer = await createApiClient(service.address, key).get(path);
      expectRefusal(answer, `401 ${code}`);
      assert.equal(answer.headers.get('www-authenticate'), challenge, `${path} ${code}`);
    }
  }
  // Signing in by a browser is not an HTTP authentication scheme.
  const panel = await createApiClient(service.address, null).get('/panel/api/v1/balance');
  expectRefusal(panel, '401 not_signed_in');
  assert.equal(panel.headers.get('www-authenticate'), null);
});

test('a key that is not known is invalid_api_key in any form', async () => {
  const { key } = await service.createReseller();
  const last = key.at(-1) === 'A' ? 'B' : 'A';
  const keys = [
    'x',
    'sk_live_',
    key.slice(0, -1),
    `${key}A`,
    `${key.slice(0, -1)}${last}`,
    key.toLowerCase(),
    key.replace('sk_live_', 'sk_test_'),
    `${key} ${key}`,
    `sk_live_${'0'.repeat(46)}`,
    `sk_live_${"'; drop table accounts; --".padEnd(46, '0')}`,
    'é'.repeat(54),
    'x'.repeat(8_000),
  ];
  for (const wrong of keys) {
    const answer = await rawGet([`Authorization: Bearer ${wrong}`]);
    expectRefusal(answer, '401 invalid_api_key', {}, wrong.slice(0, 80));
  }
  assert.equal((await rawGet([`authorization: bearer  ${key} `])).status, 200, 'the scheme in any case');
});

test('a key with a right checksum that no one holds is invalid_api_key', async () => {
  const { mintApiKey } = await import('../../src/features/identity/api-key.ts');
  expectRefusal(
    await createApiClient(service.address, mintApiKey('live')).get('/balance'),
    '401 invalid_api_key',
    {},
  );
});

test('a key has the documented shape, and a reset one is revoked from the next request on', async () => {
  const reseller = await service.createReseller({ credit: '10.00' });
  assert.match(reseller.key, /^sk_live_[0-9A-Za-z]{46}$/);
  assert.equal((await reseller.get('/balance')).status, 200);
  const key = await resetKey(service, reseller);
  expectRefusal(await reseller.get('/balance'), '401 revoked_api_key', {});
  const order = { package_id: service.packages.basic, customer: 'by-revoked-key' };
  expectRefusal(await reseller.post('/orders', order), '401 revoked_api_key', {});
  const renewed = createApiClient(service.address, key);
  assert.equal((await renewed.get('/balance')).body.balance, '10.00');
  await resetKey(service, reseller);
  expectRefusal(await reseller.get('/balance'), '401 revoked_api_key', {}, 'the oldest key too');
  expectRefusal(await renewed.get('/balance'), '401 revoked_api_key', {});
});

test('what the administrator changes holds from the next request on, in both directions', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const order = { package_id: service.packages.basic, customer: 'of-changes' };
  const table: [object, string, object][] = [
    [{ blocked: true }, '403 account_blocked', { blocked: false }],
    [{ api_enabled: false }, '403 api_disabled', { api_enabled: true }],
    [{ allowed_ips: ['192.0.2.1'] }, '403 ip_not_allowed', { allowed_ips: [] }],
  ];
  for (const [change, refusal, back] of table) {
    assert.equal((await reseller.get('/balance')).status, 200);
    await changeAccount(service, reseller, change);
    const before = await booksOf(service, reseller);
    expectRefusal(await reseller.get('/balance'), refusal, {});
    expectRefusal(await reseller.get('/nowhere'), refusal, {});
    expectRefusal(await reseller.post('/orders', order), refusal, {});
    assert.deepEqual(await booksOf(service, reseller), before);
    await changeAccount(service, reseller, back);
    assert.equal((await reseller.post('/orders', order)).status, 201);
  }
  await changeAccount(service, reseller, { group: 'distributor' });
  assert.equal((await reseller.get('/balance')).body.group, 'distributor');
  assert.equal((await reseller.post('/orders', order)).body.order.price, '8.00', 'the new group’s price');
});

test('orders under way when an account is blocked are carried out or refused, never half', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const orders = Array.from({ length: 30 }, (_, index) =>
    reseller.post('/orders', { package_id: service.packages.basic, customer: `under-way-${index}` }),
  );
  const blocked = changeAccount(service, reseller, { blocked: true });
  const answers = await Promise.all(orders);
  await blocked;
  for (const answer of answers) if (answer.status !== 201) expectRefusal(answer, '403 account_blocked');
  const placed = answers.filter(({ status }) => status === 201).length;
  const books = await booksOf(service, reseller);
  assert.deepEqual([books.orders, books.balance], [placed, `${1000 - 10 * placed}.00`]);
});

test('an allow-list takes IPv4 and IPv6 addresses and ranges, mapped ones as what they stand for', async () => {
  const table = `
    127.0.0.1                     allows
    127.0.0.0/8                   allows
    127.0.0.0/30                  allows
    0.0.0.0/0                     allows
    ::ffff:127.0.0.1              allows
    ::ffff:7f00:1                 allows
    ::ffff:127.0.0.0/104          allows
    192.0.2.1,127.0.0.1           allows
    127.0.0.2                     refuses
    127.0.0.4/30                  refuses
    10.0.0.0/8                    refuses
    ::1                           refuses
    2001:db8::/32                 refuses`;
  const reseller = await service.createReseller();
  for (const line of table.trim().split('\n')) {
    const [entries = '', expected] = line.trim().split(/ +/);
    await changeAccount(service, reseller, { allowed_ips: entries.split(',') });
    const answer = await reseller.get('/balance');
    if (expected === 'allows') assert.equal(answer.status, 200, `${entries} ${answer.text}`);
    else expectRefusal(answer, '403 ip_not_allowed', {}, entries);
  }
});

test('an allow-list holds for IPv6 and for IPv4 that arrives at an IPv6 socket', async (context) => {
  const reseller = await service.createReseller();
  const table: [string, string, string, string][] = [
    ['::1', '[::1]', '::1', 'allows'],
    ['::1', '[::1]', '::/64', 'allows'],
    ['::1', '[::1]', '0:0:0:0:0:0:0:1', 'allows'],
    ['::1', '[::1]', '::2', 'refuses'],
    ['::1', '[::1]', '127.0.0.1', 'refuses'],
    ['::', '127.0.0.1', '127.0.0.1', 'allows'],
    ['::', '127.0.0.1', '127.0.0.0/8', 'allows'],
    ['::', '127.0.0.1', '::ffff:127.0.0.1', 'allows'],
    ['::', '127.0.0.1', '10.0.0.0/8', 'refuses'],
    ['::', '127.0.0.1', '::1', 'refuses'],
  ];
  const listening = new Map<string, { server: Server; port: number }>();
  context.after(() => {
    for (const { server } of listening.values()) server.close();
  });
  for (const host of ['::1', '::']) {
    const opened = await listenOn(host);
    if (opened === null) return context.skip('this machine has no IPv6');
    listening.set(host, opened);
  }
  for (const [host, name, entry, expected] of table) {
    await changeAccount(service, reseller, { allowed_ips: [entry] });
    const request = rawRequest([
      'GET /api/v1/balance HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${reseller.key}`,
      'Connection: close',
    ]);
    const { answers } = await sendRaw(`http://${name}:${listening.get(host)?.port}`, request);
    assert.equal(answers[0]?.status, expected === 'allows' ? 200 : 403, `${entry} at ${host} by ${name}`);
  }
});

/** Listens on another address with the same service. null: the machine has no such address. */
function listenOn(host: string): Promise<{ server: Server; port: number } | null> {
  const server = createServer((socket) => void service.service.app.server.emit('connection', socket));
  return new Promise((resolve) => {
    server.on('error', () => resolve(null));
    server.listen(0, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? { server, port: address.port } : null);
    });
  });
}

test('X-Forwarded-For counts for nothing where no proxy is trusted', async () => {
  const reseller = await service.createReseller();
  const headers = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1', 'x-real-ip': '192.0.2.1' };
  await changeAccount(service, reseller, { allowed_ips: ['192.0.2.1'] });
  expectRefusal(await reseller.get('/balance', headers), '403 ip_not_allowed');
  await changeAccount(service, reseller, { allowed_ips: ['127.0.0.1'] });
  assert.equal((await reseller.get('/balance', headers)).status, 200);
});

test('only openapi.json is public: every other path under /api/v1 asks for a key, known or not', async () => {
  const outsider = createApiClient(service.address, null);
  for (const path of [
    '',
    '/',
    '/nowhere',
    '/balance/',
    '/orders/1/2',
    '/openapi.jsonx',
    '/openapi.json/',
    '/%2e%2e%2fhealthz',
    '/admin',
  ]) {
    expectRefusal(await rawGet([], `/api/v1${path}`), '401 missing_api_key', {}, path);
  }
  expectRefusal(await outsider.get('/api/admin/v1/nowhere'), '401 missing_api_key', {});
  expectRefusal(await outsider.get('/api/v2/balance'), '404 not_found', {});
  const reseller = await service.createReseller();
  expectRefusal(await reseller.get('/nowhere'), '404 not_found', {});
  for (const client of [outsider, reseller, createApiClient(service.address, 'wrong')]) {
    const { status, body } = await client.get('/openapi.json');
    assert.deepEqual([status, body.openapi], [200, '3.1.0']);
    assert.ok('/api/v1/orders' in body.paths);
  }
});

test('a method that a path does not take is 405 and Allow says which it takes', async () => {
  const reseller: TestAccount = await service.createReseller({ credit: '10.00' });
  const order = { package_id: service.packages.basic, customer: 'of-methods' };
  const { id, customer } = (await reseller.post('/orders', order)).body.order;
  const paths: Record<string, string> = {
    '/balance': 'GET',
    '/packages': 'GET',
    '/orders': 'GET POST',
    [`/orders/${id}`]: 'GET',
    [`/orders/${id}/renew`]: 'POST',
    '/customers': 'GET',
    [`/customers/${customer.id}`]: 'GET PATCH',
    '/orders/garbage': 'GET',
    '/openapi.json': 'GET',
  };
  const key = `Authorization: Bearer ${reseller.key}`;
  const methods = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'GET', 'POST'];
  // nginx answers TRACE itself.
  if (wantedProxy() !== 'nginx') methods.push('TRACE');
  for (const [path, allowed] of Object.entries(paths)) {
    for (const method of methods) {
      if (allowed.split(' ').includes(method)) continue;
      const why = `${method} ${path}`;
      const answer = await rawGet([key], `/api/v1${path}`, method);
      if (method !== 'HEAD') expectRefusal(answer, '405 method_not_allowed', {}, why);
      assert.equal(answer.status, 405, why);
      assert.deepEqual((answer.headers.get('allow') ?? '').split(', ').sort(), allowed.split(' '), why);
      assert.equal((await rawGet([], `/api/v1${path}`, method)).status, 401, `${why} without a key`);
    }
  }
});
