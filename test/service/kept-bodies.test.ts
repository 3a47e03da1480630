// Captured request and answer bodies: off by default, without secrets, truncated, and deleted when capture is turned off.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { createRequestLog } from '../../src/features/request-log/request-log.ts';
import type { Row } from '../../src/platform/database/database.ts';
import {
  mask,
  redactedAnswer,
  redactedIdempotencyKey,
  redactedJson,
  redactedQuery,
  redactedRaw,
} from '../../src/platform/secrets/redaction.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { type PanelClient, signIn } from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { requestLineOf } from '../harness/request-line.ts';

const day = 86_400;
let service: TestService;
let account: TestAccount;
let panel: PanelClient;
let operator: PanelClient;
before(async () => {
  service = await startTestService();
  account = await service.createReseller({ credit: '100.00' });
  panel = await signIn(service, account);
  operator = await signIn(service, service.admin);
});
after(() => service.close());

const keep = (client: PanelClient, bodies_kept: boolean) => client.put('/request-bodies', { bodies_kept });
async function lastOf(client: PanelClient, list = '/requests') {
  const { data } = (await client.get(list)).body;
  return (await client.get(`${list}/${data[0].id}`)).body;
}
async function rowsOf(id: number): Promise<readonly Row[]> {
  const text = 'select b::text as line from api_request_bodies b where account_id = $1::int order by number';
  return service.database.query({ name: '', text }, [id]);
}

test('a request has a detail, with the key it came with, and nothing of it is kept before the account says so', async () => {
  await account.post('/orders', { package_id: service.packages.basic, customer: 'not valid' });
  const detail = await lastOf(panel);
  assert.equal(detail.request.code, 'invalid_customer');
  assert.equal(detail.request.key.name, 'First key');
  assert.deepEqual([detail.bodies_kept, detail.exchange], [false, null]);
  assert.deepEqual(await rowsOf(account.id), []);
});

test('switched on, a refused order can be read down to its body, by the account and by the operator', async () => {
  assert.equal((await keep(panel, true)).status, 200);
  const body = { package_id: service.packages.basic, customer: 'kept@example.com' };
  const placed = await account.post('/orders', body, { 'idempotency-key': 'kept-1' });
  await account.post('/orders', { ...body, months: 7 }, { 'idempotency-key': 'kept-2' });
  const detail = await lastOf(panel);
  assert.deepEqual(JSON.parse(detail.exchange.sent.body), { ...body, months: 7 });
  assert.equal(detail.exchange.sent.idempotency_key, 'kept-2');
  assert.equal(JSON.parse(detail.exchange.answered.body).error.code, detail.request.code);
  assert.deepEqual(detail.customer, {
    id: placed.body.order.customer.id,
    reference: 'kept@example.com',
  });
  const list = `/admin/accounts/${account.id}/requests`;
  const seen = await lastOf(operator, list);
  assert.deepEqual(seen.exchange, detail.exchange);
  const first = (await operator.get(`${list}?status=2xx&method=post&path=/api/v1/orders`)).body.data;
  assert.equal(first.length, 1);
  const ordered = (await operator.get(`${list}/${first[0].id}`)).body;
  assert.deepEqual(ordered.order, { id: placed.body.order.id });
  expectRefusal(await operator.put(`${list}-bodies`, { bodies_kept: true }), '404 not_found');
  const audit = (await service.admin.get('/api/admin/v1/audit?limit=5')).body.data;
  const entry = audit.find(
    (each: { after?: { keeps_request_bodies?: boolean } }) => each.after?.keeps_request_bodies,
  );
  assert.deepEqual([entry.subject, entry.before], [`account ${account.id}`, { keeps_request_bodies: false }]);
});

test('an order shows the request that placed it, found by its body, or by its time if no other is near', async () => {
  const order = async (customer: string) => {
    const body = { package_id: service.packages.basic, customer };
    return (await account.post('/orders', body)).body.order.id;
  };
  const requestOf = async (id: number, client = panel, list = '/orders') =>
    (await client.get(`${list}/${id}`)).body.course.request;
  const [one, other] = [await order('one@example.com'), await order('other@example.com')];
  const [ofOne, ofOther] = [await requestOf(one), await requestOf(other)];
  const { id, ...shown } = ofOther;
  assert.equal(id, ofOne.id + 1);
  assert.deepEqual(shown, { method: 'POST', path: '/api/v1/orders', status: 201, key: 'First key' });
  assert.deepEqual((await panel.get(`/requests/${id}`)).body.order, { id: other });
  assert.deepEqual(await requestOf(other, operator, '/admin/orders'), ofOther);

  const quiet = await service.createReseller({ credit: '100.00' });
  const ofQuiet = await signIn(service, quiet);
  const place = async (client: Pick<TestAccount, 'post'>, path: string, customer: string) =>
    (await client.post(path, { package_id: service.packages.basic, customer })).body.order.id;
  const alone = await place(quiet, '/orders', 'alone');
  assert.equal((await requestOf(alone, ofQuiet)).id, 1);
  service.clock.seconds += 10;
  const near = [await place(quiet, '/orders', 'near'), await place(ofQuiet, '/v1/orders', 'in-panel')];
  for (const each of near) assert.equal(await requestOf(each, ofQuiet), null);
});

test('a body that is no JSON is kept as it came, but for what stands behind the name of a secret', async () => {
  const send = (body: string) => account.send('POST', '/orders', body);
  expectRefusal(await send('{"package_id": 1, "customer": "ada"'), '400 invalid_json');
  assert.equal((await lastOf(panel)).exchange.sent.body, '{"package_id": 1, "customer": "ada"');
  await send('customer=ada&pass\\u0077ord=hunter2"x&more');
  assert.doesNotMatch((await lastOf(panel)).exchange.sent.body, /hunter2|more/);
});

test('a body with what no database takes can be read all the same, and leads nowhere', async () => {
  const odd = { package_id: service.packages.basic, customer: 'odd\0@example.com', idempotency_key: 'odd\0' };
  await account.post('/orders', odd);
  const detail = await lastOf(panel);
  assert.deepEqual([detail.customer, detail.order], [null, null]);
  assert.deepEqual(JSON.parse(detail.exchange.sent.body), odd);
});

test('no kind of secret survives, whole or in part', () => {
  const key = mintApiKey('live');
  const token = `aB1${randomBytes(32).toString('base64url')}`;
  const secrets = [key, key.slice(0, 30), `whsec_${randomBytes(32).toString('base64')}`, token];
  const fields = [
    'password',
    'new_password',
    'current_password',
    'secret',
    'test_secret',
    'api_key',
    'apiKey',
  ];
  for (const [index, secret] of secrets.entries()) {
    const texts = [
      redactedJson({ customer: secret, deep: [{ [`x${index}`]: `is ${secret}` }] }, 4_096).text,
      redactedJson({ [secret]: 1 }, 4_096).text,
      redactedRaw(`{"customer": "${secret}`, 4_096).text,
      redactedQuery(`page=1&q=${encodeURIComponent(secret)}`, 1_024).text,
      redactedAnswer(JSON.stringify({ order: { note: secret } }), 4_096).text,
      redactedAnswer(
        JSON.stringify({ data: Array(3_000).fill({ login_url: `https://a/login/${secret}` }) }),
        4_096,
      ).text,
    ];
    for (const text of texts) assert.ok(!text.includes(secret.slice(6, 20)), text.slice(0, 200));
  }
  assert.ok(!redactedIdempotencyKey(key).includes(key.slice(8, 20)));
  for (const field of fields) {
    const texts = [
      redactedJson({ a: { [field]: 'hunter2' } }, 4_096).text,
      redactedAnswer(JSON.stringify({ [field]: 'hunter2', pad: 'x'.repeat(20_000) }), 4_096).text,
      redactedRaw(`${field} = 'hunter2'`, 4_096).text,
      redactedQuery(`${field}=hunter2`, 1_024).text,
    ];
    for (const text of texts) assert.ok(!text.includes('hunter2') && text.includes(mask), text.slice(0, 200));
  }
  // A sign-in code is secret, but an error code is what the page is for.
  assert.match(redactedJson({ code: 'Xy12' }, 99).text, /redacted/);
  assert.match(redactedAnswer('{"error":{"code":"invalid_customer"}}', 4_096).text, /invalid_customer/);
  const invitation = '{"invitation":{"url":"https://a.example/panel/#token=abc"}}';
  assert.doesNotMatch(redactedAnswer(invitation, 4_096).text, /abc/);
  // These texts are not secret and stay unchanged.
  const plain = {
    customer: 'aZ8nanoid21characters',
    idempotency_key: '9b2f8a1e-55c1-4a39-8f0e-2d1a3b4c5d6e',
  };
  assert.deepEqual(JSON.parse(redactedJson(plain, 4_096).text), plain);
});

test('a secret is found wherever its name stands: in a text of JSON, spelled in other bytes, in an address', () => {
  const nested = { body: JSON.stringify({ a: 1, again: JSON.stringify({ password: 'hunter2' }) }) };
  const cut = 'aB3'.repeat(14);
  const texts = [
    redactedJson({ note: '{"password": "hunter2"}' }, 4_096).text,
    redactedJson({ fields: [{ name: 'Password', value: 'hunter2' }] }, 4_096).text,
    redactedJson(nested, 4_096).text,
    redactedRaw(Buffer.from('{"password":"hunter2"}', 'utf16le').toString(), 4_096).text,
    redactedRaw('user=ada&p%61ssword=hunter2', 4_096).text,
    ...['key', 'auth', 'sig', 'session'].map((name) => redactedQuery(`page=1&${name}=hunter2`, 1_024).text),
    redactedQuery('password%3Dhunter2', 1_024).text,
  ];
  for (const text of texts) assert.doesNotMatch(text, /h\W?u\W?n\W?t\W?e\W?r/);
  // At the end of the searched part, a cut-off secret cannot be recognized.
  const long = redactedQuery(`token=${'a'.repeat(4_060)}&q=${cut}`, 1_024).text;
  assert.doesNotMatch(long, /aB3/);
  assert.equal(
    redactedQuery('code=invalid_json&key_id=7&idempotency_key=aB3-1', 1_024).text.split('&')[0],
    'code=invalid_json',
  );
});

test('a long text of names without an end holds up no request', () => {
  const names = `?${'token'.repeat(100_000)}`;
  const began = process.cpuUsage();
  redactedJson({ customer: names }, 4_096);
  redactedRaw(names, 4_096);
  const { user } = process.cpuUsage(began);
  assert.ok(user < 5_000_000, `${user} µs`);
});

test('4 KiB of each are kept, and it says so', async () => {
  await account.post('/orders', { package_id: 1, customer: 'x', name: 'ö'.repeat(20_000) });
  const { sent } = (await lastOf(panel)).exchange;
  assert.equal(sent.is_cut, true);
  assert.ok(Buffer.byteLength(sent.body) <= 4_096 && Buffer.byteLength(sent.body) > 4_090);
  assert.doesNotMatch(sent.body, /\uFFFD/);
});

test('another account sees nothing of it, nor does anyone without the right to keys', async () => {
  const other = await signIn(service, await service.createReseller());
  const { data } = (await panel.get('/requests')).body;
  for (const { id } of data) expectRefusal(await other.get(`/requests/${id}`), '404 request_not_found');
  expectRefusal(await other.get(`/admin/accounts/${account.id}/requests`), '403 forbidden');
  expectRefusal(await other.get(`/admin/accounts/${account.id}/requests/1`), '403 forbidden');
  expectRefusal(await operator.get(`/admin/accounts/${account.id}/requests/999999`), '404 request_not_found');
});

test('requests are found by code, key, method, path, time and id', async () => {
  const ids = async (query: string) =>
    (await panel.get(`/requests?${query}`)).body.data.map(({ id }: { id: number }) => id);
  const all = (await panel.get('/requests')).body.data;
  const refused = all.filter(({ code }: { code: string }) => code === 'invalid_json');
  assert.deepEqual(
    await ids('code=invalid_json'),
    refused.map(({ id }: { id: number }) => id),
  );
  assert.deepEqual(await ids('method=GET'), []);
  assert.deepEqual(
    await ids('path=/api/v1/orders'),
    all.map(({ id }: { id: number }) => id),
  );
  assert.deepEqual(await ids('path=/api/v1/cust'), []);
  assert.deepEqual(
    await ids(`key=${all[0].key.id}`),
    all.map(({ id }: { id: number }) => id),
  );
  assert.deepEqual(await ids(`key=${all[0].key.id + 1}`), []);
  assert.deepEqual(await ids(`request_id=${all[1].request_id}`), [all[1].id]);
  service.clock.seconds += 3_600;
  await account.get('/balance');
  const later = new Date(service.clock.seconds * 1000).toISOString().replace('.000', '');
  assert.equal((await ids(`from=${later}`)).length, 1);
  assert.equal((await ids(`from=2026-01-15T12:00:00Z&to=2026-01-15T12:30:00Z`)).length, all.length);
  assert.deepEqual(await ids('to=2026-01-14'), []);
  expectRefusal(await panel.get('/requests?from=yesterday'), '422 invalid_filter');
});

test('from a refusal the operator comes to its accounts, and counts are of days', async () => {
  const found = (await operator.get('/admin/refusals/invalid_json')).body;
  assert.equal(found.count, 2);
  assert.deepEqual(
    found.data.map(({ account: { id }, count }: { account: { id: number }; count: number }) => [id, count]),
    [[account.id, 2]],
  );
  assert.deepEqual((await operator.get('/admin/refusals/invalid_json?to=2026-01-01')).body.data, []);
  expectRefusal(await operator.get('/admin/refusals/nonsense'), '404 not_found');
  expectRefusal(await panel.get('/admin/refusals/invalid_json'), '403 forbidden');
  const { refusals } = (await operator.get('/admin/overview')).body;
  const { account: most } = refusals.find(({ code }: { code: string }) => code === 'invalid_json');
  assert.equal(most.id, account.id);
  const uses = await operator.get(`/admin/accounts/${account.id}/key-requests`);
  assert.deepEqual(uses.body, (await panel.get('/key-requests')).body);
  expectRefusal(await operator.get('/admin/accounts/999999/key-requests'), '404 account_not_found');
  const own = (await panel.get('/refusals')).body.data;
  assert.deepEqual(
    own.find(({ code }: { code: string }) => code === 'invalid_json'),
    { code: 'invalid_json', count: 2 },
  );
  assert.deepEqual((await operator.get(`/admin/accounts/${account.id}/refusals`)).body.data, own);
});

test('tests are kept as the account is, and a switch off deletes all of it at once', async () => {
  const tests = { name: 'Tests', test: true };
  const made = await service.admin.post(`/api/admin/v1/accounts/${account.id}/keys`, tests);
  const client = createApiClient(service.address, made.body.api_key);
  expectRefusal(
    await client.post('/orders', { package_id: 1, customer: 'not valid' }),
    '422 invalid_customer',
  );
  const inTest = { 'sellthrough-mode': 'test' };
  const [tried] = (await panel.get('/requests', inTest)).body.data;
  const { exchange: ofTest } = (await panel.get(`/requests/${tried.id}`, inTest)).body;
  assert.match(ofTest.sent.body, /not valid/);
  assert.ok((await rowsOf(account.id)).length > 5);
  assert.equal((await keep(panel, false)).body.bodies_kept, false);
  assert.deepEqual(await rowsOf(account.id), []);
  assert.equal((await panel.get(`/requests/${tried.id}`, inTest)).body.exchange, null);
  await account.post('/orders', { package_id: 1, customer: 'not valid' });
  assert.deepEqual([(await lastOf(panel)).exchange, await rowsOf(account.id)], [null, []]);
});

test('what another process still holds is not written once the account keeps nothing', async () => {
  const log = anotherLog();
  const owner = await service.createReseller();
  const client = await signIn(service, owner);
  const note = (count: number) => {
    for (let index = 0; index < count; index += 1)
      log.note(requestLineOf(owner.id, service.clock.seconds), exchange);
  };
  await keep(client, true);
  note(3);
  await log.flush();
  assert.equal((await rowsOf(owner.id)).length, 3);
  note(2);
  await keep(client, false);
  await log.flush();
  assert.deepEqual(await rowsOf(owner.id), []);

  // The number of bodies is limited; the newest ones are kept.
  await keep(client, true);
  note(55);
  await log.flush();
  const kept = await rowsOf(owner.id);
  assert.ok(kept.length >= 20 && kept.length <= 22, `${kept.length}`);

  // Bodies are kept no longer than their log lines.
  await log.close();
});

test('a request that is older than seven days is not shown, deleted or not', async () => {
  const client = await signIn(service, account, { setPassword: false });
  await keep(client, true);
  await account.get('/balance');
  const before = (await client.get('/requests')).body.data;
  assert.ok(before.length > 3, `${before.length}`);
  assert.equal((await rowsOf(account.id)).length, 1);
  service.clock.seconds += 7 * day + 3_601;
  const later = await signIn(service, account, { setPassword: false });
  assert.deepEqual((await later.get('/requests')).body.data, []);
  expectRefusal(await later.get(`/requests/${before[0].id}`), '404 request_not_found');
  await account.get('/balance');
  assert.equal((await later.get('/requests')).body.data.length, 1);
  // Bodies are deleted together with their lines.
  const log = anotherLog();
  const prunedAt = (now: number) => ({ now, before: now - 7 * day });
  await log.prune(prunedAt(service.clock.seconds));
  assert.equal((await rowsOf(account.id)).length, 1);
  await log.prune(prunedAt(service.clock.seconds + 8 * day));
  await log.close();
  assert.deepEqual(await rowsOf(account.id), []);
});

function anotherLog() {
  return createRequestLog({
    database: service.database,
    limits: { ...defaultLimits.requestLog, flushMilliseconds: 1e9, exchangesPerAccountMax: 20 },
    onKeysUsed: async () => undefined,
    onDropped: () => assert.fail('nothing is dropped'),
  });
}

const exchange = {
  query: null,
  idempotencyKey: null,
  sentType: null,
  userAgent: null,
  sent: '{}',
  sentIsCut: false,
  answeredType: null,
  answered: '{}',
  answeredIsCut: false,
};
