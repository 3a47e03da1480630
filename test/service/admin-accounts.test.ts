// Accounts in the administrator's API. admin-records.test.ts tests packages and records, admin-refusals.test.ts refusals.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { createAccount } from '../../src/features/accounts/account-store.ts';
import { booksOf } from '../harness/books.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';

const api = '/api/admin/v1';
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

test('POST /accounts makes an account that can order, and shows its key and minted password', async () => {
  const { admin } = service;
  const made = expectStatus(
    await admin.post(`${api}/accounts`, { username: 'plain.one', group: 'reseller' }),
    201,
  );
  assert.deepEqual(Object.keys(made).sort(), ['account', 'api_key', 'password']);
  assert.deepEqual(made.account, {
    id: made.account.id,
    username: 'plain.one',
    display_name: 'plain.one',
    group: 'reseller',
    is_admin: false,
    balance: '0.00',
    currency: 'USD',
    blocked: false,
    api_enabled: true,
    rate_limit_per_minute: 60,
    allowed_ips: [],
    totp_enabled: false,
    order_count: 0,
    customer_count: 0,
    created_at: '2026-01-15T12:00:00Z',
  });
  assert.match(made.password, /^\S{12,}$/);
  const balance = await createApiClient(service.address, made.api_key).get('/balance');
  assert.deepEqual(balance.body, {
    balance: '0.00',
    currency: 'USD',
    group: 'reseller',
    receivable: '0.00',
  });

  const settings = {
    display_name: 'Zoë & Söhne 🦊',
    rate_limit_per_minute: 7,
    allowed_ips: ['127.0.0.0/8', '2001:db8::/32', '192.0.2.1'],
  };
  const body = {
    username: 'with-all',
    group: 'distributor',
    password: 'a password of mine',
    is_admin: true,
    balance: '9.00',
    ...settings,
  };
  const full = expectStatus(await admin.post(`${api}/accounts`, body), 201);
  const { group, is_admin, balance: credit } = full.account;
  assert.deepEqual([group, is_admin, credit], ['distributor', false, '0.00'], 'unknown fields are ignored');
  for (const [name, value] of Object.entries(settings)) assert.deepEqual(full.account[name], value);
  assert.ok(
    !('password' in full) || full.password === body.password,
    'no other password than the chosen one',
  );
  assert.deepEqual(expectStatus(await admin.get(`${api}/accounts/${full.account.id}`), 200), {
    account: full.account,
  });
});

test('GET /accounts is newest first, by part of a name, by group, and in clamped pages', async () => {
  const { admin } = service;
  for (const [username, group, display_name] of [
    ['needle-one', 'reseller', 'Alpha'],
    ['needle-two', 'distributor', 'Beta'],
    ['other-three', 'reseller', 'A NEEDLE in a name'],
    ['percent-four', 'reseller', '100% \\ _ Käse'],
  ]) {
    expectStatus(await admin.post(`${api}/accounts`, { username, group, display_name }), 201);
  }
  const names = async (query: string) => {
    const { data } = expectStatus(await admin.get(`${api}/accounts?${query}`), 200);
    return data.map((account: { username: string }) => account.username);
  };
  assert.deepEqual(await names('q=needle'), ['other-three', 'needle-two', 'needle-one']);
  assert.deepEqual(await names('q=NEEDLE&group=reseller'), ['other-three', 'needle-one']);
  assert.deepEqual(await names('q=needle&group=distributor'), ['needle-two']);
  assert.deepEqual(await names('q=needle&limit=1&page=2'), ['needle-two']);
  assert.deepEqual(await names('q=no-such-has-this'), []);
  assert.deepEqual(await names(`q=${encodeURIComponent('100% \\ _')}`), ['percent-four']);
  assert.deepEqual(await names(`q=${encodeURIComponent('KÄSE')}`), ['percent-four']);
  for (const wildcard of ['needle%', 'n__dle', "'", '"; drop table accounts', '\\']) {
    const found = await names(`q=${encodeURIComponent(wildcard)}`);
    assert.ok(found.length <= 1, `${wildcard} is text, not a pattern`);
  }
  for (const odd of ['q=%00', 'q=%ED%A0%80', 'q=a&q=b', `q=${'x'.repeat(5_000)}`]) await names(odd);
  const past = expectStatus(
    await admin.get(`${api}/accounts?q=needle&page=1000000000000000&limit=1000`),
    200,
  );
  assert.deepEqual(past, { data: [], page: 1e15, per_page: 100, total: 3 });
  expectRefusal(await admin.get(`${api}/accounts?group=admin`), '422 validation_failed');
  assert.deepEqual(await names('q=needle&group=distributor&is_admin=false'), ['needle-two']);
  assert.deepEqual(await names('q=needle&is_admin=true'), []);
  assert.ok((await names('group=distributor')).includes('admin'), 'whose group it is');
  assert.ok(!(await names('group=distributor&is_admin=false&limit=100')).includes('admin'));
  assert.deepEqual(await names('is_admin=true'), ['admin']);
  expectRefusal(await admin.get(`${api}/accounts?is_admin=yes`), '422 validation_failed');
});

test('PATCH /accounts/{id} changes what is sent and nothing else', async () => {
  const { admin } = service;
  const reseller = await service.createReseller({ credit: '5.00' });
  const path = `${api}/accounts/${reseller.id}`;
  let shown = expectStatus(await admin.get(path), 200).account;
  const changes: object[] = [
    { display_name: 'New name' },
    { group: 'distributor' },
    { blocked: true },
    { blocked: false },
    { api_enabled: false, rate_limit_per_minute: 5 },
    { allowed_ips: ['10.0.0.0/8', '::1'] },
    { api_enabled: true, allowed_ips: [], rate_limit_per_minute: 1000 },
    {},
    { password: 'another password' },
  ];
  for (const change of changes) {
    const changed = expectStatus(await admin.patch(path, change), 200).account;
    const { password: _, ...visible } = { password: '', ...change };
    assert.deepEqual(changed, { ...shown, ...visible }, JSON.stringify(change));
    assert.deepEqual(expectStatus(await admin.get(path), 200).account, changed);
    shown = changed;
  }
  const ignored = { username: 'renamed', is_admin: true, balance: '1000.00', id: 1, order_count: 9 };
  assert.deepEqual(expectStatus(await admin.patch(path, ignored), 200).account, shown);
});

test('an administrator cannot lock himself out, and each field is named', async () => {
  const path = `${api}/accounts/${service.admin.id}`;
  for (const [field, value] of Object.entries({ blocked: true, api_enabled: false })) {
    const refused = await service.admin.patch(path, { [field]: value });
    expectRefusal(refused, '422 validation_failed');
    assert.equal(refused.body.error.details.field, field);
  }
  assert.equal((await service.admin.get('/balance')).status, 200);
});

test('POST /accounts/{id}/credit credits and debits, once for each key, and never below zero', async () => {
  const { admin } = service;
  const reseller = await service.createReseller();
  const path = `${api}/accounts/${reseller.id}/credit`;
  const first = await admin.post(
    path,
    { amount: '100.5', memo: 'Invoice 7 ✓' },
    { 'idempotency-key': 'top-up' },
  );
  const { entry, balance } = expectStatus(first, 201);
  assert.equal(balance, '100.50');
  assert.deepEqual(entry, {
    id: entry.id,
    number: 1,
    kind: 'credit',
    amount: '100.50',
    balance_after: '100.50',
    currency: 'USD',
    order_id: null,
    actor: 'admin',
    memo: 'Invoice 7 ✓',
    created_at: '2026-01-15T12:00:00Z',
  });
  const same = { amount: '100.50', memo: 'Invoice 7 ✓' };
  const replay = await admin.post(path, same, { 'idempotency-key': 'top-up' });
  assert.deepEqual([replay.status, replay.body], [201, first.body], 'the same amount in another spelling');
  assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  const inBody = await admin.post(path, { ...same, idempotency_key: 'top-up' });
  assert.deepEqual(inBody.body, first.body);
  for (const other of [
    { ...same, amount: '100.51' },
    { ...same, memo: 'x' },
    { amount: '100.50' },
    { ...same, amount: '-100.50' },
  ]) {
    expectRefusal(await admin.post(path, other, { 'idempotency-key': 'top-up' }), '409 idempotency_conflict');
  }

  const debit = expectStatus(await admin.post(path, { amount: '-40' }), 201);
  assert.deepEqual(
    [debit.entry.kind, debit.entry.amount, debit.entry.memo, debit.balance],
    ['debit', '-40.00', null, '60.50'],
  );
  const before = await booksOf(service, reseller);
  const below = await admin.post(path, { amount: '-60.51' }, { 'idempotency-key': 'too-much' });
  expectRefusal(below, '422 insufficient_credit', { balance: '60.50', required: '60.51', currency: 'USD' });
  assert.deepEqual(await booksOf(service, reseller), before);
  const toZero = await admin.post(path, { amount: '-60.50' }, { 'idempotency-key': 'too-much' });
  assert.equal(expectStatus(toZero, 201).balance, '0.00', 'a refusal binds nothing');

  const testAccounts = await Promise.all(
    Array.from({ length: 20 }, () => admin.post(path, { amount: '1' }, { 'idempotency-key': 'repeated' })),
  );
  for (const testAccount of testAccounts) assert.deepEqual(testAccount.body, testAccounts[0]?.body);
  assert.equal((await booksOf(service, reseller)).balance, '1.00');
  const order = { package_id: service.packages.basic, customer: 'own-key-space' };
  await admin.post(path, { amount: '9' });
  const placed = await reseller.post('/orders', order, { 'idempotency-key': 'top-up' });
  assert.equal(placed.status, 201, 'the administrator’s keys are not the account’s');
});

test('a replayed credit names the administrator who made it, anyone who asks again', async () => {
  const reseller = await service.createReseller();
  const settings = {
    displayName: 'Second',
    group: 'distributor',
    isAdmin: true,
    passwordHash: 'none',
  } as const;
  const second = await createAccount(
    service.database,
    service.service.seal,
    { ...settings, username: 'second-admin', rateLimitPerMinute: 1_000, allowedIps: [] },
    { actorId: null, now: service.clock.seconds },
  );
  assert.ok(second);
  const send = (client: Pick<TestService['admin'], 'post'>) =>
    client.post(`${api}/accounts/${reseller.id}/credit`, { amount: '5' }, { 'idempotency-key': 'shared' });
  const first = await send(service.admin);
  const replay = await send(createApiClient(service.address, second.apiKey));
  assert.deepEqual(replay.body, first.body);
});

test('the lists of an account show its ledger, orders and customers, newest first, in pages', async () => {
  const { admin } = service;
  const reseller = await service.createReseller({ credit: '100.00' });
  const { basic, plus } = service.packages;
  const customer = `of-lists-${reseller.id}`;
  const first = (await reseller.post('/orders', { package_id: basic, customer })).body.order;
  service.clock.seconds += 86_400;
  const second = (await reseller.post('/orders', { package_id: plus, customer })).body.order;
  const path = `${api}/accounts/${reseller.id}`;
  const orders = expectStatus(await admin.get(`${path}/orders`), 200);
  assert.deepEqual(orders, { data: [second, first], page: 1, per_page: 25, total: 2 });
  const customers = expectStatus(await admin.get(`${path}/customers`), 200);
  assert.deepEqual(customers, (await reseller.get('/customers')).body);
  const ledger = expectStatus(await admin.get(`${path}/ledger?limit=3`), 200);
  assert.deepEqual([ledger.page, ledger.per_page, ledger.total], [1, 3, 4]);
  // One of 31 days is used: 10.00 × 30 ÷ 31 = 9.677…
  assert.deepEqual(
    ledger.data.map((entry: Record<string, unknown>) => [
      entry['number'],
      entry['kind'],
      entry['amount'],
      entry['balance_after'],
      entry['order_id'],
      entry['actor'],
    ]),
    [
      [4, 'charge', '-25.00', '74.67', second.id, null],
      [3, 'refund', '9.67', '99.67', second.id, null],
      [2, 'charge', '-10.00', '90.00', first.id, null],
    ],
  );
  const rest = expectStatus(await admin.get(`${path}/ledger?limit=3&page=2`), 200);
  assert.deepEqual(
    rest.data.map(({ kind, actor }: Record<string, string>) => [kind, actor]),
    [['credit', 'admin']],
  );
  for (const list of ['ledger', 'orders', 'customers']) {
    const far = expectStatus(await admin.get(`${path}/${list}?page=1000000000000000&limit=0`), 200);
    assert.deepEqual([far.data, far.page, far.per_page], [[], 1e15, 25]);
  }
});
