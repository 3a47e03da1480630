import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { booksOf } from '../harness/books.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { secondsOf } from '../harness/shop.ts';

const api = '/api/admin/v1';
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

test('packages: created, shown with every price, changed in part, and at once for orders', async () => {
  const { admin } = service;
  const prices = {
    reseller: { monthly: '1', quarterly: '2.5', yearly: '9.99' },
    distributor: { monthly: '0.5', quarterly: '1', yearly: '0' },
  };
  const limits = { accounts: 0, posts_per_day: 2_147_483_647, ai_images_per_month: 3 };
  const made = expectStatus(
    await admin.post(`${api}/packages`, { name: ' Tiny ', features: ['a', 'b'], limits, prices }),
    201,
  ).package;
  assert.deepEqual(made, {
    id: made.id,
    name: 'Tiny',
    description: null,
    features: ['a', 'b'],
    limits,
    duration_days: 30,
    periods: ['monthly', 'quarterly', 'yearly'],
    trial: false,
    retired: false,
    currency: 'USD',
    prices: {
      reseller: { monthly: '1.00', quarterly: '2.50', yearly: '9.99' },
      distributor: { monthly: '0.50', quarterly: '1.00', yearly: '0.00' },
    },
    created_at: made.created_at,
  });
  const path = `${api}/packages/${made.id}`;
  assert.deepEqual(expectStatus(await admin.get(path), 200), { package: made });
  const change = {
    name: 'Small',
    limits: { accounts: 5 },
    prices: { reseller: { yearly: '12.00' } },
    duration_days: 31,
  };
  const changed = expectStatus(await admin.patch(path, change), 200).package;
  const expected = {
    ...made,
    name: 'Small',
    duration_days: 31,
    limits: { ...limits, accounts: 5 },
    prices: { ...made.prices, reseller: { monthly: '1.00', quarterly: '2.50', yearly: '12.00' } },
  };
  assert.deepEqual(changed, expected);
  const { data } = expectStatus(await admin.get(`${api}/packages`), 200);
  assert.deepEqual(
    data.find(({ id }: { id: number }) => id === made.id),
    expected,
  );
  for (const id of Object.values(service.packages))
    assert.ok(data.some((one: { id: number }) => one.id === id));

  const reseller = await service.createReseller({ credit: '100.00' });
  const placed = await reseller.post('/orders', { package_id: made.id, customer: 'of-small', months: 12 });
  assert.equal(placed.body.order.price, '12.00');
  assert.equal(expectStatus(await admin.patch(path, { retired: true }), 200).package.retired, true);
  const listed = (await reseller.get('/packages')).body.data;
  assert.ok(!listed.some(({ id }: { id: number }) => id === made.id), 'a retired package is not listed');
});

test('POST /packages with a key makes one package, however often and by whichever way the key comes', async () => {
  const { admin } = service;
  const prices = { monthly: '1.00', quarterly: '2.00', yearly: '3.00' };
  const limits = { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 };
  const body = { name: 'Once', limits, prices: { reseller: prices, distributor: prices } };
  const keyed = { ...body, idempotency_key: 'package-once' };
  const [first, ...others] = await Promise.all([
    admin.post(`${api}/packages`, keyed),
    admin.post(`${api}/packages`, keyed),
    admin.post(`${api}/packages`, body, { 'idempotency-key': 'package-once' }),
  ]);
  const made = expectStatus(first, 201).package;
  for (const other of others) assert.deepEqual(expectStatus(other, 201).package, made);
  const replayed = [first, ...others].map(({ headers }) => headers.get('idempotent-replayed'));
  assert.equal(replayed.filter((value) => value === 'true').length, 2);
  const listed = expectStatus(await admin.get(`${api}/packages`), 200).data;
  assert.equal(listed.filter(({ name }: { name: string }) => name === 'Once').length, 1);
  expectRefusal(await admin.post(`${api}/packages`, { ...keyed, name: 'Twice' }), '409 idempotency_conflict');
  expectRefusal(
    await admin.post(`${api}/packages`, { ...body, idempotency_key: ' ' }),
    '422 invalid_idempotency_key',
  );
});

test('POST /accounts/{id}/trials gives the free trial, charges nothing and makes no order', async () => {
  const { admin } = service;
  const reseller = await service.createReseller({ credit: '50.00' });
  const other = await service.createReseller();
  const grant = (account: { id: number }, body: object) =>
    admin.post(`${api}/accounts/${account.id}/trials`, body);
  const body = { package_id: service.packages.trial, customer: ' Try@Example.com ', customer_name: 'Try' };
  service.clock.seconds = secondsOf('2026-05-01T00:00:00Z');
  const { customer } = expectStatus(await grant(reseller, body), 201);
  assert.partialDeepStrictEqual(customer, {
    id: customer.id,
    name: 'Try',
    reference: 'try@example.com',
    email: 'try@example.com',
    status: 'active',
    plan: {
      package: 'Trial',
      active: true,
      starts_at: '2026-05-01T00:00:00Z',
      expires_at: '2026-05-15T00:00:00Z',
      days_left: 14,
    },
    created_at: '2026-05-01T00:00:00Z',
  });
  assert.deepEqual((await reseller.get(`/customers/${customer.id}`)).body, { customer });
  service.clock.seconds += 86_400;
  assert.equal(
    expectStatus(await grant(reseller, body), 201).customer.plan.expires_at,
    customer.plan.expires_at,
    'a retry gives nothing more',
  );
  assert.deepEqual(await booksOf(service, reseller), {
    balance: '50.00',
    orders: 0,
    customers: 1,
    entries: ['credit 50.00 50.00'],
  });

  expectRefusal(await grant(other, body), '409 customer_not_yours');
  expectRefusal(
    await grant(reseller, { ...body, package_id: service.packages.basic }),
    '422 package_unavailable',
  );
  expectRefusal(await grant(reseller, { ...body, package_id: 1_000_000 }), '422 invalid_package');
  expectRefusal(await grant(reseller, { ...body, customer: 'a b' }), '422 invalid_customer');
  expectRefusal(await grant({ id: 999_999 }, body), '404 account_not_found');
  await reseller.post('/orders', { package_id: service.packages.basic, customer: 'try@example.com' });
  expectRefusal(await grant(reseller, body), '422 order_failed');
});

test('a trial is given once for each key, and to a customer who has had it only when again is true', async () => {
  const { admin } = service;
  const reseller = await service.createReseller();
  const grant = (body: object = {}, key?: string) =>
    admin.post(
      `${api}/accounts/${reseller.id}/trials`,
      { package_id: service.packages.trial, customer: `once-${reseller.id}`, ...body },
      key === undefined ? {} : { 'idempotency-key': key },
    );
  const endOf = (answer: Answer, isReplay: boolean) => {
    const { customer } = expectStatus(answer, 201);
    assert.equal(answer.headers.get('idempotent-replayed'), isReplay ? 'true' : null);
    return customer.plan.expires_at;
  };
  service.clock.seconds = secondsOf('2026-06-01T00:00:00Z');
  const first = endOf(await grant({}, 'first'), false);
  assert.equal(first, '2026-06-15T00:00:00Z');
  service.clock.seconds += 86_400;
  assert.equal(endOf(await grant({}, 'second'), false), first, 'it runs already');
  for (const package_id of [Number.MAX_SAFE_INTEGER, 2 ** 31, 0, -1])
    expectRefusal(await grant({ package_id }, `of-${package_id}`), '422 invalid_package');
  expectRefusal(await grant({ customer_name: 'Other' }, 'first'), '409 idempotency_conflict');
  expectRefusal(await grant({ idempotency_key: ' ' }), '422 invalid_idempotency_key');

  service.clock.seconds = secondsOf('2026-06-20T00:00:00Z');
  for (const key of ['first', 'second']) assert.equal(endOf(await grant({}, key), true), first, key);
  expectRefusal(await grant(), '409 trial_already_granted');
  expectRefusal(await grant({}, 'third'), '409 trial_already_granted');
  expectRefusal(await grant({ again: true }, 'first'), '409 idempotency_conflict');
  const more = endOf(await grant({ again: true }, 'third'), false);
  assert.equal(more, '2026-07-04T00:00:00Z', 'the refusal left its key free');
  assert.equal(endOf(await grant({ again: true }, 'third'), true), more);

  service.clock.seconds = secondsOf('2026-08-01T00:00:00Z');
  const limits = { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 };
  const other = { name: 'Another trial', trial: true, limits, duration_days: 7 };
  const { id } = expectStatus(await admin.post(`${api}/packages`, other), 201).package;
  assert.equal(endOf(await grant({ package_id: id }), false), '2026-08-08T00:00:00Z', 'of another package');
  const [customer] = expectStatus(await reseller.get('/customers'), 200).data;
  const { data } = expectStatus(await reseller.get(`/customers/${customer.id}/history`), 200);
  assert.deepEqual(
    data.map(({ type, at }: { type: string; at: string }) => `${type} ${at}`),
    ['2026-08-01', '2026-06-20', '2026-06-01'].map((day) => `trial_started ${day}T00:00:00Z`),
  );
  assert.equal(expectStatus(await admin.get(`${api}/verify`), 200).ok, true);
});

test('PATCH /customers/{id} suspends a customer and lifts it; the plan runs on', async () => {
  const reseller = await service.createReseller({ credit: '50.00' });
  const order = { package_id: service.packages.basic, customer: `suspended-${reseller.id}` };
  const { id } = (await reseller.post('/orders', order)).body.order.customer;
  for (const status of ['suspended', 'active']) {
    const { customer } = expectStatus(await service.admin.patch(`${api}/customers/${id}`, { status }), 200);
    assert.deepEqual([customer.status, customer.plan.active], [status, true]);
    assert.deepEqual((await reseller.get(`/customers/${id}`)).body, { customer });
  }
  for (const missing of [id + 1, '0', 'x', `0${id}`, '9'.repeat(30)]) {
    expectRefusal(
      await service.admin.patch(`${api}/customers/${missing}`, { status: 'active' }),
      '404 customer_not_found',
    );
  }
});

test('GET /verify adds every ledger up, and names the account whose books do not', async () => {
  const sound = expectStatus(await service.admin.get(`${api}/verify`), 200);
  assert.deepEqual([sound.ok, sound.problems], [true, []]);
  assert.ok(sound.accounts > 1 && sound.entries > 1);
  const reseller = await service.createReseller({ credit: '50.00' });
  const add = (cents: number) =>
    sqlOf(
      service,
      reseller,
      'update accounts set balance_cents = balance_cents + $2::bigint where id = $1::int',
      [reseller.id, cents],
    );
  await add(1);
  const broken = expectStatus(await service.admin.get(`${api}/verify`), 200);
  assert.equal(broken.ok, false);
  assert.ok(broken.problems.length > 0);
  for (const problem of broken.problems) assert.equal(problem.account_id, reseller.id);
  const order = { package_id: service.packages.basic, customer: 'of-halted' };
  expectRefusal(await reseller.post('/orders', order), '422 order_failed', { reason: 'account_halted' });
  await add(-1);
  assert.equal(expectStatus(await service.admin.get(`${api}/verify`), 200).ok, true);
  assert.equal((await reseller.post('/orders', order)).status, 201, 'its writes go on');
});

test('the audit log shows who changed what, when, from what and to what', async () => {
  const { admin } = service;
  const account = await service.createReseller();
  service.clock.seconds = secondsOf('2026-06-01T09:00:00Z');
  await admin.patch(`${api}/accounts/${account.id}`, { blocked: true, display_name: 'Audited' });
  await admin.post(`${api}/accounts/${account.id}/credit`, { amount: '12.34', memo: 'why' });
  await admin.patch(`${api}/packages/${service.packages.plus}`, {
    prices: { reseller: { monthly: '26.00' } },
  });
  await admin.post(`${api}/accounts/${account.id}/api-key`);
  const { data, total } = (await admin.get(`${api}/audit?limit=4`)).body;
  assert.ok(total > 4);
  const [reset, price, credited, changed] = data;
  for (const entry of data) {
    assert.deepEqual(Object.keys(entry).sort(), [
      'action',
      'actor',
      'after',
      'at',
      'before',
      'by',
      'number',
      'subject',
    ]);
    assert.deepEqual(entry.actor, { id: admin.id, username: 'admin' });
    assert.equal(entry.at, '2026-06-01T09:00:00Z');
  }
  const numbers = data.map(({ number }: { number: number }) => number);
  assert.deepEqual(numbers, [total, total - 1, total - 2, total - 3], 'newest first, without gaps');
  assert.deepEqual([changed.action, changed.subject], ['account.update', `account ${account.id}`]);
  assert.deepEqual(
    [changed.before.blocked, changed.after.blocked, changed.after.display_name],
    [false, true, 'Audited'],
  );
  assert.deepEqual(
    [credited.action, credited.subject, credited.after.memo],
    ['account.credit', `account ${account.id}`, 'why'],
  );
  assert.equal(price.subject, `package ${service.packages.plus}`);
  assert.deepEqual(
    [price.before.prices.reseller.monthly, price.after.prices.reseller.monthly],
    ['25.00', '26.00'],
  );
  assert.equal(reset.subject, `account ${account.id}`);
  const far = (await admin.get(`${api}/audit?page=1000000000000000`)).body;
  assert.deepEqual(far, { data: [], page: 1e15, per_page: 25, total });
});

test('an audit entry has the names and formats that the API has for what changed', async () => {
  const account = await service.createReseller({ credit: '10.00' });
  const { admin } = service;
  const noted = async () => (await admin.get(`${api}/audit?limit=1`)).body.data[0];

  const credit = { amount: '5.50', memo: 'why' };
  const { entry } = expectStatus(await admin.post(`${api}/accounts/${account.id}/credit`, credit), 201);
  const { before, after } = await noted();
  assert.deepEqual(
    [before, after],
    [{ balance: '10.00' }, { balance: '15.50', entry_id: entry.id, memo: 'why' }],
  );

  const trial = { package_id: service.packages.trial, customer: 'noted' };
  const { customer } = expectStatus(await admin.post(`${api}/accounts/${account.id}/trials`, trial), 201);
  assert.deepEqual((await noted()).after, {
    account_id: account.id,
    package_id: service.packages.trial,
    expires_at: customer.plan.expires_at,
  });

  const change = { limits: { accounts: 7, posts_per_day: 8, ai_images_per_month: 9 } };
  const changed = expectStatus(await admin.patch(`${api}/packages/${service.packages.plus}`, change), 200);
  const { id: _id, currency: _currency, created_at: _createdAt, ...fields } = changed.package;
  assert.deepEqual((await noted()).after, fields);

  const shown = expectStatus(await admin.patch(`${api}/accounts/${account.id}`, { blocked: true }), 200);
  const names = Object.keys((await noted()).after);
  assert.deepEqual(
    names.filter((name) => !(name in shown.account)),
    [],
  );
});

test('no key, password or hash appears in the audit log, in the accounts or in the log lines', async () => {
  const { admin } = service;
  const password = 'a very secret passphrase';
  const made = (await admin.post(`${api}/accounts`, { username: 'secretive', group: 'reseller', password }))
    .body;
  const minted = (await admin.post(`${api}/accounts`, { username: 'secretive-two', group: 'reseller' })).body;
  const { id } = made.account;
  await admin.patch(`${api}/accounts/${id}`, { password: `${password} too` });
  const { api_key: second } = (await admin.post(`${api}/accounts/${id}/api-key`)).body;
  await createApiClient(service.address, second).get('/balance');
  const text =
    'select k.lookup_hash, k.sealed_key, p.password_hash from api_keys k join people p on p.id = k.account_id';
  const rows = await service.database.query({ name: '', text });
  assert.ok(rows.length > 3);
  const hashes = rows.flatMap((row) => Object.values(row).map(String)).filter((value) => value !== 'none');
  for (const hash of hashes)
    assert.ok(!hash.includes(password) && !hash.includes(second), 'stored only as hashes and sealed');
  const shown = [
    ...(await pages('/audit')),
    ...(await pages('/accounts')),
    (await admin.get(`${api}/accounts/${id}`)).text,
    JSON.stringify(service.logLines),
  ].join('\n');
  for (const secret of [
    password,
    made.api_key,
    second,
    minted.api_key,
    minted.password,
    admin.key,
    ...hashes,
  ]) {
    assert.ok(!shown.includes(secret), `"${secret.slice(0, 12)}…" is shown`);
  }
  assert.match(shown, /"password":"changed"/, 'that it was changed is noted');
});

async function pages(path: string): Promise<string[]> {
  const texts: string[] = [];
  for (let page = 1; ; page += 1) {
    const { text, body } = await service.admin.get(`${api}${path}?limit=100&page=${page}`);
    if (body.data.length === 0) return texts;
    texts.push(text);
  }
}
