import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { accountScopes, administratorScopes, keyScopes } from '../../src/shared/scopes.ts';
import { type PanelClient, signIn, testPassword } from '../harness/panel-client.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { changeAccount, resetKey } from '../harness/shop.ts';

const hour = 3_600;

let service: TestService;
let reseller: TestAccount;
before(async () => {
  service = await startTestService();
  reseller = await service.createReseller({ credit: '1000.00' });
});
after(() => service.close());

const keysOf = ({ id }: Pick<TestAccount, 'id'>) => `/api/admin/v1/accounts/${id}/keys`;
const clientOf = (key: string) => createApiClient(service.address, key);

async function makeKey(body: object = {}, account: Pick<TestAccount, 'id'> = reseller) {
  const made = await service.admin.post(keysOf(account), { name: 'Shop', ...body });
  const { key, api_key: secret } = expectStatus(made, 201);
  return { id: Number(key.id), key, secret: String(secret), client: clientOf(secret) };
}

const order = (customer: string) => ({ package_id: service.packages.basic, customer });
const orderWith = (client: { post: TestAccount['post'] }, customer: string) =>
  client.post('/orders', order(customer));
const timeAt = (seconds: number) => `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`;

describe('making keys', () => {
  test('a key is shown once, works at once, and is listed without its secret behind the first', async () => {
    const account = await service.createReseller({ credit: '50.00' });
    const { key, secret, client } = await makeKey({}, account);
    assert.match(secret, /^sk_live_[0-9A-Za-z]{46}$/);
    expectStatus(await orderWith(client, 'of-a-new-key'), 201);
    const listed = await service.admin.get(keysOf(account));
    const { data } = expectStatus(listed, 200);
    assert.deepEqual(
      data.map(({ id, name, first }: { id: number; name: string; first: boolean }) => [id, name, first]),
      [
        [data[0].id, 'First key', true],
        [key.id, 'Shop', false],
      ],
    );
    assert.equal(listed.text.includes(secret) || listed.text.includes(account.key), false);
    assert.deepEqual(data[1], { ...key, last_used_at: data[1].last_used_at });
    assert.notEqual(data[1].last_used_at, null, 'its use is noted on it');
    assert.equal(data[0].last_used_at, null, 'and on no other');
    assert.deepEqual(key.scopes, accountScopes);
    assert.deepEqual([key.mode, key.status, key.all_scopes, key.ending], ['live', 'active', true, []]);
    assert.equal(key.last_four, secret.slice(-4));
    const { name, ...creator } = key.created_by;
    assert.deepEqual([creator.account, creator.type, name], ['admin', 'key', 'First key']);
  });

  test('what a key is made with is kept, and bad fields are named', async () => {
    const expires_at = timeAt(service.clock.seconds + hour);
    const wanted = {
      scopes: ['orders:read', 'balance:read'],
      allowed_ips: ['192.0.2.0/24'],
      rate_limit_per_minute: 7,
      expires_at,
    };
    const { key } = await makeKey(wanted);
    const { scopes, allowed_ips, rate_limit_per_minute, expires_at: expires } = key;
    assert.deepEqual(
      { scopes, allowed_ips, rate_limit_per_minute, expires_at: expires },
      { ...wanted, scopes: ['balance:read', 'orders:read'] },
    );
    const bad: readonly [string, object][] = [
      ['name', { name: '' }],
      ['name', { name: '   ' }],
      ['name', { name: '\u200B \u202E\uFEFF' }],
      ['name', { name: 'x'.repeat(81) }],
      ['name', { name: 7 }],
      ['scopes.0', { scopes: ['orders:delete'] }],
      ['scopes.0', { scopes: ['keys:write'] }],
      ['scopes.1', { scopes: ['orders:read', 'admin:credit'] }],
      ['scopes', { scopes: [] }],
      ['scopes', { scopes: 'orders:read' }],
      ['allowed_ips.0', { allowed_ips: ['192.0.2.1/24'] }],
      ['expires_at', { expires_at: timeAt(service.clock.seconds) }],
      ['expires_at', { expires_at: '2027-02-30T00:00:00Z' }],
      ['expires_at', { expires_at: 'tomorrow' }],
      ['rate_limit_per_minute', { rate_limit_per_minute: 0 }],
      ['rate_limit_per_minute', { rate_limit_per_minute: 1.5 }],
    ];
    for (const [field, body] of bad) {
      const answer = await service.admin.post(keysOf(reseller), { name: 'Shop', ...body });
      expectRefusal(answer, '422 validation_failed', undefined, JSON.stringify(body));
      assert.equal(answer.body.error.details.field, field, answer.text);
    }
    expectRefusal(await service.admin.post(keysOf({ id: 999_999 }), { name: 'x' }), '404 account_not_found');
  });

  test('an account has a hundred keys and no more, however many are asked for at once', async () => {
    const account = await service.createReseller();
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        service.admin.post(keysOf(account), { name: `Key ${index}`, scopes: ['balance:read'] }),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, 99, 'beside the first');
    for (const answer of answers) {
      if (answer.status !== 201) expectRefusal(answer, '409 too_many_keys', { limit: 100 });
    }
    for (const { body } of [made[0], made[49], made[98]].flatMap((one) => one ?? [])) {
      assert.equal((await clientOf(body.api_key).get('/balance')).status, 200);
      expectRefusal(await clientOf(body.api_key).get('/orders'), '403 insufficient_scope');
    }
  });

  test('a request that is sent again with its key makes one key, and does not show it again', async () => {
    const account = await service.createReseller();
    const ask = (body: object) =>
      service.admin.post(keysOf(account), body, { 'idempotency-key': 'make-it-once' });
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask({ name: 'Once' })));
    const bodies = answers.map((answer) => expectStatus(answer, 201));
    assert.equal(new Set(bodies.map(({ key }) => key.id)).size, 1);
    assert.equal(bodies.filter(({ api_key }) => api_key !== null).length, 1);
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 4);
    expectRefusal(await ask({ name: 'Another' }), '409 idempotency_conflict');
  });
});

describe('asking again', () => {
  test('a key with an end is answered again after that end, and no other is made', async () => {
    const account = await service.createReseller();
    const began = service.clock.seconds;
    const body = { name: 'For an hour', expires_at: timeAt(began + hour), idempotency_key: 'for-an-hour' };
    const { key } = expectStatus(await service.admin.post(keysOf(account), body), 201);
    const longer = { expires_at: timeAt(began + 2 * hour), idempotency_key: 'for-another' };
    const change = () => service.admin.patch(`${keysOf(account)}/${key.id}`, longer);
    expectStatus(await change(), 200);
    try {
      service.clock.seconds = began + 2 * hour;
      const again = await service.admin.post(keysOf(account), body);
      const { key: same, api_key } = expectStatus(again, 201);
      assert.deepEqual([same.id, same.status, api_key], [key.id, 'expired', null]);
      assert.equal(expectStatus(await change(), 200).key.id, key.id);
      const renewed = { ...body, idempotency_key: 'another' };
      const refused = await service.admin.post(keysOf(account), renewed);
      expectRefusal(refused, '422 validation_failed');
      assert.equal(refused.body.error.details.field, 'expires_at');
    } finally {
      service.clock.seconds = began;
    }
  });
});

describe('what a key may do', () => {
  test('a key does what its scopes allow; a refusal names the missing scope', async () => {
    const { client } = await makeKey({ scopes: ['orders:write', 'packages:read'] });
    expectStatus(await orderWith(client, 'of-a-narrow-key'), 201);
    expectStatus(await client.get('/packages'), 200);
    expectRefusal(await client.get('/balance'), '403 insufficient_scope', { scope: 'balance:read' });
    expectRefusal(await client.get('/orders'), '403 insufficient_scope', { scope: 'orders:read' });
    expectRefusal(await client.get('/ledger'), '403 insufficient_scope', { scope: 'ledger:read' });
    const webhook = { url: 'http://127.0.0.1:9/' };
    expectRefusal(await client.post('/webhooks', webhook), '403 insufficient_scope', {
      scope: 'webhooks:write',
    });
    // None of their keys is an administrator's.
    expectRefusal(await client.get('/api/admin/v1/accounts'), '403 forbidden', {});
  });

  test('a key of the product exchanges codes, looks up entitlements, and does nothing else', async () => {
    const { client } = await makeKey({ scopes: ['product'] }, service.admin);
    const code = { code: 'none' };
    const exchange = await client.post('/api/product/v1/login-codes/exchange', code);
    assert.notEqual(exchange.status, 403, exchange.text);
    const refused: readonly [Answer, string][] = [
      [await client.get('/balance'), 'balance:read'],
      [await client.get('/api/admin/v1/accounts'), 'admin:read'],
      [await client.post(`/api/admin/v1/accounts/${reseller.id}/credit`, { amount: '1.00' }), 'admin:credit'],
      [await client.post(keysOf(reseller), { name: 'Mine' }), 'admin:accounts'],
    ];
    for (const [answer, scope] of refused) expectRefusal(answer, '403 insufficient_scope', { scope });
  });

  test('what is narrowed, or refused by a list of its own, counts from the next request on', async () => {
    const { id, client } = await makeKey();
    expectStatus(await client.get('/balance'), 200);
    const change = (body: object) => service.admin.patch(`${keysOf(reseller)}/${id}`, body);
    expectStatus(await change({ scopes: ['orders:read'] }), 200);
    expectRefusal(await client.get('/balance'), '403 insufficient_scope');
    expectStatus(await change({ scopes: null, allowed_ips: ['192.0.2.1'] }), 200);
    expectRefusal(await client.get('/balance'), '403 ip_not_allowed');
    expectStatus(await change({ allowed_ips: ['127.0.0.1', '::1'] }), 200);
    expectStatus(await client.get('/balance'), 200);
    // A key's allow-list applies within the account's list.
    const account = await service.createReseller();
    const within = await makeKey({ allowed_ips: ['127.0.0.1', '::1'] }, account);
    await changeAccount(service, account, { allowed_ips: ['192.0.2.1'] });
    expectRefusal(await within.client.get('/balance'), '403 ip_not_allowed');
  });

  test('a key has a rate limit of its own within that of the account, and takes from both', async () => {
    const account = await service.createReseller({ rateLimitPerMinute: 10 });
    const { client } = await makeKey({ rate_limit_per_minute: 4 }, account);
    const first = await client.get('/balance');
    assert.equal(first.headers.get('ratelimit-policy'), '"default";q=4;w=60');
    assert.match(first.headers.get('ratelimit') ?? '', /r=3;/);
    for (let request = 0; request < 3; request += 1) expectStatus(await client.get('/balance'), 200);
    const beyond = await client.get('/balance');
    expectRefusal(beyond, '429 rate_limited');
    assert.equal(beyond.body.error.details.limit, 4);
    // Refused requests do not count, so six are left.
    for (let request = 0; request < 6; request += 1) {
      expectStatus(await clientOf(account.key).get('/balance'), 200);
    }
    expectRefusal(await clientOf(account.key).get('/balance'), '429 rate_limited');
    const other = await service.createReseller({ rateLimitPerMinute: 2 });
    const wide = await makeKey({ rate_limit_per_minute: 100 }, other);
    for (let request = 0; request < 2; request += 1) expectStatus(await wide.client.get('/balance'), 200);
    const limited = await wide.client.get('/balance');
    expectRefusal(limited, '429 rate_limited');
    assert.equal(limited.body.error.details.limit, 2, 'the account’s own is over all its keys');
  });

  test('orders in bulk count for the key’s own limit as well', async () => {
    const account = await service.createReseller({ credit: '500.00', rateLimitPerMinute: 100 });
    const { client } = await makeKey({ rate_limit_per_minute: 2 }, account);
    const orders = Array.from({ length: 30 }, (_, index) => ({
      ...order(`bulk-${index}`),
      idempotency_key: `bulk-${index}`,
    }));
    expectRefusal(await client.post('/orders/bulk', { orders }), '429 rate_limited');
    const within = expectStatus(await client.post('/orders/bulk', { orders: orders.slice(0, 20) }), 200);
    assert.equal(within.results.length, 20);
    expectRefusal(await client.get('/balance'), '429 rate_limited');
  });

  test('a key that has expired says so, and may be given longer', async () => {
    const { id, client } = await makeKey({ expires_at: timeAt(service.clock.seconds + hour) });
    expectStatus(await client.get('/balance'), 200);
    const began = service.clock.seconds;
    try {
      service.clock.seconds = began + hour - 1;
      expectStatus(await client.get('/balance'), 200);
      service.clock.seconds = began + hour;
      expectRefusal(await client.get('/balance'), '401 revoked_api_key', { reason: 'expired' });
      expectRefusal(await orderWith(client, 'too-late'), '401 revoked_api_key', { reason: 'expired' });
      const { data } = (await service.admin.get(keysOf(reseller))).body;
      assert.equal(data.find((key: { id: number }) => key.id === id).status, 'expired');
      const longer = { expires_at: timeAt(began + 2 * hour) };
      expectStatus(await service.admin.patch(`${keysOf(reseller)}/${id}`, longer), 200);
      expectStatus(await client.get('/balance'), 200);
      expectStatus(await service.admin.patch(`${keysOf(reseller)}/${id}`, { expires_at: null }), 200);
      service.clock.seconds = began + 3 * hour;
      expectStatus(await client.get('/balance'), 200);
    } finally {
      service.clock.seconds = began;
    }
  });
});

describe('rotating and revoking', () => {
  test('a rotated key is the same key with a new secret; without an overlap the old one ends at once', async () => {
    const { id, client, secret } = await makeKey({ scopes: ['balance:read'], rate_limit_per_minute: 500 });
    expectStatus(await client.get('/balance'), 200);
    const { key, api_key } = expectStatus(await service.admin.post(`${keysOf(reseller)}/${id}/rotate`), 200);
    assert.deepEqual([key.id, key.rate_limit_per_minute, key.ending], [id, 500, []]);
    assert.notEqual(api_key, secret);
    expectRefusal(await client.get('/balance'), '401 revoked_api_key', {});
    expectStatus(await clientOf(api_key).get('/balance'), 200);
    expectRefusal(await clientOf(api_key).get('/orders'), '403 insufficient_scope');
  });

  test('with an overlap both work until it ends, and what is changed or limited holds for both', async () => {
    const { id, client, secret } = await makeKey({ rate_limit_per_minute: 1_000 });
    const began = service.clock.seconds;
    const path = `${keysOf(reseller)}/${id}`;
    const rotated = await service.admin.post(`${path}/rotate`, { overlap_hours: 2 });
    const { key, api_key } = expectStatus(rotated, 200);
    assert.deepEqual(key.ending, [
      { last_four: secret.slice(-4), ends_at: timeAt(began + 2 * hour), last_used_at: null },
    ]);
    const next = clientOf(api_key);
    for (const each of [client, next]) expectStatus(await each.get('/balance'), 200);
    expectStatus(await service.admin.patch(path, { scopes: ['orders:read'], rate_limit_per_minute: 5 }), 200);
    expectRefusal(await client.get('/balance'), '403 insufficient_scope');
    expectRefusal(await next.get('/balance'), '403 insufficient_scope');
    expectStatus(await client.get('/orders'), 200);
    expectRefusal(await next.get('/orders'), '429 rate_limited');
    expectStatus(await service.admin.patch(path, { rate_limit_per_minute: null }), 200);
    try {
      service.clock.seconds = began + 2 * hour - 1;
      expectStatus(await client.get('/orders'), 200);
      service.clock.seconds = began + 2 * hour;
      expectRefusal(await client.get('/orders'), '401 revoked_api_key', {});
      expectStatus(await next.get('/orders'), 200);
    } finally {
      service.clock.seconds = began;
    }
  });

  test('a shop that orders all the while is given a new secret without one refused request', async () => {
    const account = await service.createReseller({ credit: '1000000.00' });
    const { id, secret } = await makeKey({ scopes: ['orders:write'] }, account);
    let present = secret;
    let isRotated = false;
    const answers: Answer[] = [];
    const programs = Array.from({ length: 4 }, async (_, program) => {
      let sentSince = 0;
      for (let sent = 0; sentSince < 20; sent += 1) {
        if (isRotated) sentSince += 1;
        // Each program switches to the new secret at a different time.
        const key = sentSince > 5 + program ? present : secret;
        answers.push(await orderWith(clientOf(key), `shop-${program}-${sent}`));
      }
    });
    const path = `${keysOf(account)}/${id}/rotate`;
    while (answers.length < 40) await new Promise(setImmediate);
    present = expectStatus(await service.admin.post(path, { overlap_hours: 1 }), 200).api_key;
    isRotated = true;
    await Promise.all(programs);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    assert.equal((await account.get('/orders')).body.total, answers.length);
    const { data } = (await service.admin.get(keysOf(account))).body;
    assert.notEqual(data[1].last_used_at, null, 'the new secret is in use');
    assert.notEqual(data[1].ending[0].last_used_at, null, 'and the old one was');
  });

  test('a key that has expired is given longer before it is rotated: no secret is shown that opens nothing', async () => {
    const began = service.clock.seconds;
    const { id, client } = await makeKey({ expires_at: timeAt(began + hour) });
    const path = `${keysOf(reseller)}/${id}`;
    try {
      service.clock.seconds = began + hour;
      const refused = await service.admin.post(`${path}/rotate`);
      expectRefusal(refused, '422 validation_failed');
      assert.equal(refused.body.error.details.field, 'expires_at');
      expectStatus(await service.admin.patch(path, { expires_at: null }), 200);
      expectStatus(await client.get('/balance'), 200);
      const { api_key } = expectStatus(await service.admin.post(`${path}/rotate`), 200);
      expectStatus(await clientOf(api_key).get('/balance'), 200);
    } finally {
      service.clock.seconds = began;
    }
  });

  test('a secret that ends sooner than its overlap causes another event, and no other does', async () => {
    const account = await service.createReseller();
    const endOf = (text: string) => text.slice(-4);
    const began = service.clock.seconds;
    const at = (hours: number) => timeAt(began + hours * hour);
    let after = expectStatus(await account.get('/events'), 200).next_after;
    const reader = (await makeKey({ scopes: ['events:read'] }, account)).client;
    const emitted = async () => {
      const page = expectStatus(await reader.get(`/events?limit=100&after=${after}`), 200);
      after = page.next_after;
      return page.data
        .filter(({ type }: { type: string }) => type === 'key.revoked')
        .map(({ data }: { data: { key: { last_four: string; ends_at?: string } } }) => [
          data.key.last_four,
          data.key.ends_at ?? 'now',
        ]);
    };
    const [first] = (await service.admin.get(keysOf(account))).body.data;
    const rotate = async (overlap_hours: number) => {
      const rotation = await service.admin.post(`${keysOf(account)}/${first.id}/rotate`, { overlap_hours });
      return endOf(expectStatus(rotation, 200).api_key);
    };
    const one = endOf(account.key);
    const two = await rotate(100);
    assert.deepEqual(await emitted(), [[one, at(100)]]);
    const three = await rotate(50);
    assert.deepEqual(await emitted(), [
      [two, at(50)],
      [one, at(50)],
    ]);
    const fourth = await rotate(60);
    assert.deepEqual(await emitted(), [[three, at(60)]]);
    const five = endOf(await resetKey(service, account));
    assert.deepEqual(await emitted(), [
      [fourth, 'now'],
      [three, 'now'],
      [two, 'now'],
      [one, 'now'],
    ]);
    const six = await rotate(1);
    assert.deepEqual(await emitted(), [[five, at(1)]]);
    try {
      service.clock.seconds = began + hour;
      await rotate(0);
      assert.deepEqual(await emitted(), [[six, 'now']], 'the one before had ended by itself');
    } finally {
      service.clock.seconds = began;
    }
  });

  test('a second rotation lets no earlier secret live longer, and one without an overlap ends them all', async () => {
    const { id, client } = await makeKey();
    const began = service.clock.seconds;
    const rotate = async (overlap_hours: number) =>
      clientOf(
        expectStatus(await service.admin.post(`${keysOf(reseller)}/${id}/rotate`, { overlap_hours }), 200)
          .api_key,
      );
    const second = await rotate(1);
    const third = await rotate(168);
    try {
      service.clock.seconds = began + hour;
      expectRefusal(await client.get('/balance'), '401 revoked_api_key');
      for (const each of [second, third]) expectStatus(await each.get('/balance'), 200);
      const fourth = await rotate(0);
      for (const each of [second, third]) expectRefusal(await each.get('/balance'), '401 revoked_api_key');
      expectStatus(await fourth.get('/balance'), 200);
    } finally {
      service.clock.seconds = began;
    }
    for (const overlap_hours of [-1, 169, 1.5, '2', null]) {
      const answer = await service.admin.post(`${keysOf(reseller)}/${id}/rotate`, { overlap_hours });
      expectRefusal(answer, '422 validation_failed');
    }
  });

  test('a revoked key is refused in every process, and is no key any more', async () => {
    const { id, client, secret } = await makeKey();
    const other = service.testDatabase.config.kind === 'embedded' ? null : await service.startAnother();
    const clients = other === null ? [client] : [client, createApiClient(other.address, secret)];
    for (const each of clients) expectStatus(await each.get('/balance'), 200);
    const path = `${keysOf(reseller)}/${id}`;
    assert.deepEqual(expectStatus(await service.admin.send('DELETE', path), 200), { deleted: true });
    for (const each of clients.toReversed()) {
      expectRefusal(await orderWith(each, 'after-it-was-revoked'), '401 revoked_api_key', {});
      expectRefusal(await each.get('/balance'), '401 revoked_api_key', {});
    }
    const listed = (await service.admin.get(keysOf(reseller))).body.data;
    assert.equal(
      listed.some((key: { id: number }) => key.id === id),
      false,
    );
    for (const again of [
      await service.admin.send('DELETE', path),
      await service.admin.patch(path, { name: 'x' }),
      await service.admin.post(`${path}/rotate`),
    ])
      expectRefusal(again, '404 key_not_found');
    await other?.close();
  });

  test('of a key that is revoked while orders come with it, those that stand were answered, and none comes after', async () => {
    const account = await service.createReseller({ credit: '2000.00' });
    const { id, client } = await makeKey({}, account);
    const sent = Array.from({ length: 60 }, (_, index) => orderWith(client, `racing-${index}`));
    const revoked = service.admin.send('DELETE', `${keysOf(account)}/${id}`);
    const answers = await Promise.all(sent);
    expectStatus(await revoked, 200);
    const placed = answers.filter(({ status }) => status === 201).length;
    for (const answer of answers) if (answer.status !== 201) expectRefusal(answer, '401 revoked_api_key', {});
    expectRefusal(await orderWith(client, 'after'), '401 revoked_api_key');
    const { total } = (await account.get('/orders')).body;
    assert.equal(total, placed);
  });

  test('the first key keeps its scopes and its life; it is rotated, and reset as ever', async () => {
    const account = await service.createReseller();
    const [first] = (await service.admin.get(keysOf(account))).body.data;
    const path = `${keysOf(account)}/${first.id}`;
    expectRefusal(await service.admin.send('DELETE', path), '409 first_key');
    expectRefusal(await service.admin.patch(path, { scopes: ['orders:read'] }), '409 first_key');
    const expires_at = timeAt(service.clock.seconds + hour);
    expectRefusal(await service.admin.patch(path, { expires_at }), '409 first_key');
    expectStatus(await service.admin.patch(path, { name: 'Everything' }), 200);
    const rotated = await service.admin.post(`${path}/rotate`, { overlap_hours: 1 });
    const { api_key } = expectStatus(rotated, 200);
    expectStatus(await account.get('/balance'), 200);
    expectStatus(await clientOf(api_key).get('/balance'), 200);
    const other = await makeKey({}, account);
    const reset = await resetKey(service, account);
    for (const gone of [account.key, api_key]) {
      expectRefusal(await clientOf(gone).get('/balance'), '401 revoked_api_key');
    }
    expectStatus(await clientOf(reset).get('/balance'), 200);
    expectStatus(await other.client.get('/balance'), 200);
    const [after] = (await service.admin.get(keysOf(account))).body.data;
    assert.deepEqual([after.id, after.name, after.first], [first.id, 'Everything', true]);
    const panel = await signIn(service, account);
    const revealed = await panel.post('/api-key/reveal', { password: testPassword });
    assert.equal(revealed.body.api_key, reset);
  });

  test('what is refused leaves everybody’s requests as they are', async () => {
    const account = await service.createReseller();
    const version = async () => {
      const [row] = await service.database.query(
        { name: '', text: 'select access_version from accounts where id = $1::int' },
        [account.id],
      );
      return row?.['access_version'];
    };
    const before = await version();
    const path = keysOf(account);
    const [first] = (await service.admin.get(path)).body.data;
    expectRefusal(await service.admin.send('DELETE', `${path}/999999`), '404 key_not_found');
    expectRefusal(await service.admin.send('DELETE', `${path}/${first.id}`), '409 first_key');
    const late = { name: 'Late', expires_at: timeAt(service.clock.seconds) };
    expectRefusal(await service.admin.post(path, late), '422 validation_failed');
    assert.equal(await version(), before);
    await makeKey({}, account);
    assert.notEqual(await version(), before);
  });

  test('naming a key of another account is like naming an unknown key', async () => {
    const { id } = await makeKey();
    const outsider = await service.createReseller();
    for (const keyId of [id, 0, 'x', '2147483648', '-1']) {
      const path = `${keysOf(outsider)}/${keyId}`;
      expectRefusal(await service.admin.patch(path, { name: 'x' }), '404 key_not_found');
      expectRefusal(await service.admin.post(`${path}/rotate`), '404 key_not_found');
      expectRefusal(await service.admin.send('DELETE', path), '404 key_not_found');
    }
  });
});

describe('naming keys', () => {
  test('what a rotated key’s secrets are numbered is no key: nothing of it is changed, rotated or revoked by that', async () => {
    const account = await service.createReseller();
    const { id } = await makeKey({}, account);
    const [first] = (await service.admin.get(keysOf(account))).body.data;
    for (const keyId of [id, first.id]) {
      const path = `${keysOf(account)}/${keyId}`;
      const { api_key } = expectStatus(
        await service.admin.post(`${path}/rotate`, { overlap_hours: 168 }),
        200,
      );
      const [row] = await service.database.query(
        { name: '', text: 'select max(id) as id from api_keys where key_id = $1::int' },
        [keyId],
      );
      const ofSecret = `${keysOf(account)}/${row?.['id']}`;
      const changed = await service.admin.patch(ofSecret, { allowed_ips: ['192.0.2.1'] });
      expectRefusal(changed, '404 key_not_found');
      expectRefusal(await service.admin.post(`${ofSecret}/rotate`), '404 key_not_found');
      expectRefusal(await service.admin.send('DELETE', ofSecret), '404 key_not_found');
      expectStatus(await clientOf(api_key).get('/balance'), 200);
    }
  });
});

describe('who manages keys', () => {
  let panel: PanelClient;
  before(async () => {
    panel = await signIn(service, reseller);
  });

  test('no key of a reseller manages keys; their people do in the panel, with the password', async () => {
    const { client } = await makeKey();
    for (const each of [reseller, client]) {
      expectRefusal(await each.get(keysOf(reseller)), '403 forbidden');
      expectRefusal(await each.post(keysOf(reseller), { name: 'x' }), '403 forbidden');
      assert.equal((await each.get('/keys')).status, 404);
    }
    const own = { name: 'Made here', scopes: ['orders:read'], password: testPassword };
    expectRefusal(await panel.post('/keys', { ...own, password: 'not the password' }), '403 wrong_password');
    const { key, api_key } = expectStatus(await panel.post('/keys', own), 201);
    expectStatus(await clientOf(api_key).get('/orders'), 200);
    assert.equal(key.created_by.type, 'person');
    const listed = expectStatus(await panel.get('/keys'), 200).data;
    assert.ok(listed.some(({ id }: { id: number }) => id === key.id));
    const ofOperator = await makeKey();
    assert.notEqual(ofOperator.key.created_by.name, undefined, 'administrators know who made it');
    const shown = (await panel.get('/keys')).body.data;
    assert.deepEqual(
      shown.find(({ id }: { id: number }) => id === ofOperator.key.id).created_by,
      { account: 'admin', type: 'key' },
      'a reseller knows that it was the operator',
    );
    assert.notEqual(key.created_by.name, undefined, 'and who of the own people');
    const foreign = await service.createReseller();
    const theirs = await makeKey({}, foreign);
    const rotation = { password: testPassword };
    expectRefusal(await panel.post(`/keys/${theirs.id}/rotate`, rotation), '404 key_not_found');
    expectStatus(await panel.post(`/keys/${key.id}/rotate`, rotation), 200);
    expectRefusal(await clientOf(api_key).get('/orders'), '401 revoked_api_key');
  });

  test('an administrator’s key of few scopes makes no key of an administrator, nor changes one', async () => {
    const narrow = await makeKey({ scopes: ['admin:accounts', 'admin:read'] }, service.admin);
    expectStatus(await narrow.client.post(keysOf(reseller), { name: 'For a reseller' }), 201);
    const path = keysOf(service.admin);
    const refused = [
      await narrow.client.post(path, { name: 'All' }),
      await narrow.client.post(path, { name: 'As narrow', scopes: ['admin:read'] }),
      await narrow.client.patch(`${path}/${narrow.id}`, { scopes: null }),
      await narrow.client.post(`${path}/${narrow.id}/rotate`),
      await narrow.client.send('DELETE', `${path}/${narrow.id}`),
    ];
    for (const answer of refused) {
      expectRefusal(answer, '403 insufficient_scope', { scope: 'admin:credit' });
    }
    expectStatus(await narrow.client.get(path), 200);
    const all = await makeKey({ scopes: [...keyScopes] }, service.admin);
    assert.deepEqual(all.key.scopes.slice(-administratorScopes.length), administratorScopes);
    expectStatus(await all.client.post(path, { name: 'By one that has them all' }), 201);
  });

  test('a key restricted by scopes, addresses, a rate or a time lets no one into an administrator’s account, not even itself', async () => {
    const { admin } = service;
    const everything = [...administratorScopes, ...accountScopes];
    const confined = { reason: 'confined_key' };
    for (const [settings, lacking] of [
      [{ scopes: administratorScopes }, { scope: 'balance:read' }],
      [{ scopes: everything.filter((scope) => scope !== 'product') }, { scope: 'product' }],
      [{ allowed_ips: ['127.0.0.1', '::1'] }, confined],
      [{ rate_limit_per_minute: 5_000 }, confined],
      [{ scopes: everything, expires_at: timeAt(service.clock.seconds + hour) }, confined],
    ] as const) {
      const { id, client } = await makeKey(settings, admin);
      const path = keysOf(admin);
      const account = `/api/admin/v1/accounts/${admin.id}`;
      const refused = [
        await client.post(path, { name: 'Wider' }),
        await client.patch(`${path}/${id}`, {
          scopes: null,
          expires_at: null,
          allowed_ips: [],
          rate_limit_per_minute: null,
        }),
        await client.post(`${path}/${id}/rotate`),
        await client.send('DELETE', `${path}/${id}`),
        await client.post(`${account}/api-key`),
        await client.patch(account, { password: 'of the key holder' }),
        await client.post(`${account}/people`, { username: 'let.in', role: 'owner' }),
        await client.post(`${account}/end-sessions`),
      ];
      for (const answer of refused) expectRefusal(answer, '403 insufficient_scope', lacking);
      expectStatus(await client.post(keysOf(reseller), { name: 'For a reseller' }), 201);
    }
    // The account's own list is not a limit of this key.
    await changeAccount(service, admin, { allowed_ips: ['127.0.0.1', '::1'] });
    const { client } = await makeKey({ scopes: everything }, admin);
    expectStatus(await client.post(keysOf(admin), { name: 'By one that has them all' }), 201);
    await changeAccount(service, admin, { allowed_ips: [] });
  });

  test('a key for tests has scopes of tests alone, when it is made and whenever it is changed', async () => {
    const path = keysOf(service.admin);
    const body = { name: 'Tests', test: true };
    const beyond = ['product', 'admin:credit'];
    const { id } = await makeKey({ ...body, scopes: ['product'] }, service.admin);
    for (const answer of [
      await service.admin.post(path, { ...body, scopes: beyond }),
      await service.admin.patch(`${path}/${id}`, { scopes: beyond }),
    ]) {
      expectRefusal(answer, '422 validation_failed', {
        field: 'scopes.1',
        reason: 'is no scope of test mode',
      });
    }
    const [kept] = (await service.admin.get(path)).body.data.filter((key: { id: number }) => key.id === id);
    assert.deepEqual(kept.scopes, ['product']);
  });

  test('the audit log and the account’s events show every key', async () => {
    const account = await service.createReseller();
    expectStatus(await account.get('/events'), 200);
    const { id, secret } = await makeKey({ scopes: ['orders:read'] }, account);
    const path = `${keysOf(account)}/${id}`;
    expectStatus(await service.admin.patch(path, { name: 'Renamed' }), 200);
    expectStatus(await service.admin.patch(path, { name: 'Renamed' }), 200);
    const { api_key } = (await service.admin.post(`${path}/rotate`, { overlap_hours: 3 })).body;
    expectStatus(await service.admin.send('DELETE', path), 200);
    const entries = (await service.admin.get('/api/admin/v1/audit?limit=5')).body.data;
    assert.deepEqual(entries.map(({ action }: { action: string }) => action).slice(0, 4), [
      'account.revoke_key',
      'account.rotate_key',
      'account.change_key',
      'account.create_key',
    ]);
    for (const { subject } of entries.slice(0, 4))
      assert.equal(subject, `key ${id} of account ${account.id}`);
    assert.equal(JSON.stringify(entries).includes(secret), false);
    const { data } = (await account.get('/events')).body;
    const emitted = data
      .filter(({ data: { key } }: { data: { key: { id?: number } } }) => key.id === id)
      .map(({ type, data: { key } }: { type: string; data: { key: object } }) => [type, key]);
    const ends_at = timeAt(service.clock.seconds + 3 * hour);
    const [before, after] = [secret, api_key].map((text: string) => text.slice(-4));
    assert.deepEqual(emitted, [
      ['key.created', { id, name: 'Shop', last_four: before }],
      ['key.created', { id, name: 'Renamed', last_four: after }],
      ['key.revoked', { id, name: 'Renamed', last_four: before, ends_at }],
      ['key.revoked', { id, name: 'Renamed', last_four: after }],
      ['key.revoked', { id, name: 'Renamed', last_four: before }],
    ]);
  });
});
