import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { recordVerification } from '../../src/features/verification/verification-records.ts';
import { DatabaseUnavailable, inEachGroup } from '../../src/platform/database/database.ts';
import { type PanelClient, signIn, testPassword, usernameOf } from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { placeOrder } from '../harness/shop.ts';

const day = 86_400;

let service: TestService;
let console: PanelClient;
let accounts: TestAccount[];
before(async () => {
  service = await startTestService();
  accounts = [
    await service.createReseller({ credit: '500.00' }),
    await service.createReseller({ credit: '500.00', group: 'distributor' }),
    await service.createReseller({ credit: '500.00' }),
  ];
  const { basic, plus } = service.packages;
  for (const [index, account] of accounts.slice(0, 2).entries()) {
    for (let count = 0; count < 3; count += 1) {
      await account.post('/orders', { package_id: basic, customer: `of-${index}-${count}` });
    }
  }
  service.clock.seconds += 20 * day;
  await accounts[1]?.post('/orders', { package_id: plus, customer: 'of-1-0' });
  console = await signIn(service, service.admin);
});
after(() => service.close());

test('the overview sums every account, names those that spent most, and counts plans that end soon', async () => {
  const { series, top_accounts, expiring } = (await console.get('/admin/overview?days=30')).body;
  assert.equal(series.length, 30);
  const points = series.filter(({ orders }: { orders: number }) => orders > 0);
  assert.deepEqual(
    points.map(({ date, orders, charged }: Record<string, unknown>) => [date, orders, charged]),
    [
      ['2026-01-15', 6, '54.00'],
      ['2026-02-04', 1, '20.00'],
    ],
  );
  const [last] = points.slice(-1);
  // 11 of 31 days of the 8.00 were left.
  assert.deepEqual([last.refunded, last.spent], ['2.83', '17.17']);
  assert.deepEqual(
    top_accounts.map(({ account, orders, spent }: Record<string, { id: number }>) => [
      account?.id,
      orders,
      spent,
    ]),
    [
      [accounts[1]?.id, 4, '41.17'],
      [accounts[0]?.id, 3, '30.00'],
    ],
  );
  assert.deepEqual([expiring.days, expiring.count], [14, 5]);
  const sumOf = async (account: TestAccount | undefined) => {
    assert.ok(account);
    return (await (await signIn(service, account)).get('/overview?days=30')).body;
  };
  const [first, second] = [await sumOf(accounts[0]), await sumOf(accounts[1])];
  assert.equal(first.expiring.count + second.expiring.count, 5);
});

test('customers of every account are found, each with its account, page by page', async () => {
  const { data, next_cursor } = (await console.get('/admin/customers')).body;
  assert.equal(next_cursor, null);
  assert.deepEqual(
    data.map(({ reference }: { reference: string }) => reference),
    ['of-1-2', 'of-1-1', 'of-1-0', 'of-0-2', 'of-0-1', 'of-0-0'],
  );
  for (const { id, account } of data) {
    assert.equal(Math.floor(id / 1e9), account.id);
    assert.equal(account.username, await usernameOf(service, account));
  }
  const found = (await console.get('/admin/customers?words=-1')).body.data;
  assert.deepEqual(
    found.map(({ reference }: { reference: string }) => reference),
    ['of-1-2', 'of-1-1', 'of-1-0', 'of-0-1'],
  );
  const { next_cursor: cursor } = (await console.get('/admin/customers?limit=3')).body;
  const rest = (await console.get(`/admin/customers?cursor=${cursor}`)).body.data;
  assert.deepEqual(
    rest.map(({ reference }: { reference: string }) => reference),
    ['of-0-2', 'of-0-1', 'of-0-0'],
  );
  expectRefusal(await console.get('/admin/customers?cursor=x'), '422 invalid_cursor');
});

test('health shows the database, the queue and the last batches', async () => {
  const health = (await console.get('/admin/health')).body;
  const { database, batch_sizes: sizes, uptime_seconds: uptime, version, jobs, requests, ...rest } = health;
  assert.ok(requests.count > 0 && requests.failed === 0 && requests.p50 <= requests.p95);
  assert.equal(database.kind, service.database.kind);
  assert.equal(database.reachable, true);
  assert.match(database.version, /^\d+/);
  assert.deepEqual(rest, {
    ...{ queue_depth: 0, batches_in_flight: 0, frozen_accounts: 0 },
    waiting_calls: { count: 0, more: false, since: null },
    backups: { made_at: null, elsewhere: false },
    verifications: [],
  });
  assert.ok(sizes.p50 >= 1 && sizes.p50 <= sizes.p95 && sizes.p95 <= sizes.max);
  assert.ok(uptime >= 0);
  assert.ok(jobs.length >= 4);
  const { version: packaged } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  assert.equal(version, packaged);
  const [frozen] = accounts;
  assert.ok(frozen);
  await service.database.ofAccount(frozen.id).query({
    name: '',
    text: `update accounts set halted_at = now() where id = ${frozen.id}`,
  });
  assert.equal((await console.get('/admin/health')).body.frozen_accounts, 1);
  await console.get('/admin/v1/verify');
  assert.equal((await console.get('/admin/health')).body.frozen_accounts, 0);
});

test('health lists the verifications of every process, the newest first, with what started them', async () => {
  const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '');
  const started = service.clock.seconds;
  const { accounts: checked, entries } = (await console.get('/admin/v1/verify')).body;
  service.clock.seconds += 3_600;
  const [broken] = accounts;
  assert.ok(broken);
  const change = (sign: string) =>
    service.database.ofAccount(broken.id).query({
      name: '',
      text: `update accounts set balance_cents = balance_cents ${sign} 1 where id = ${broken.id}`,
    });
  await change('+');
  const { problems } = (await service.admin.get('/api/admin/v1/verify')).body;
  await change('-');
  const health = (await console.get('/admin/health')).body;
  const [second, first] = health.verifications;
  const { id, milliseconds, ...newest } = second;
  assert.deepEqual(newest, {
    at: timeOf(started + 3_600),
    ...{ started_by: 'api', accounts: checked, entries, problems: problems.length },
  });
  assert.ok(problems.length > 0);
  assert.ok(Number.isInteger(milliseconds) && milliseconds >= 0);
  assert.deepEqual(
    [first.at, first.started_by, first.problems, first.id < id],
    [timeOf(started), 'console', 0, true],
  );
  // Any process, not only the one that verified.
  await recordVerification(service.database, recording(3), async () => ({ ...empty, entries: 3 }));
  const [third] = (await console.get('/admin/health')).body.verifications;
  assert.deepEqual([third.started_by, third.entries], ['verify', 3]);
  assert.equal((await console.get('/admin/v1/verify')).body.ok, true);
});

const empty = { ok: true, accounts: 0, entries: 0, problems: [] };
const recording = (seconds: number) =>
  ({ startedBy: 'verify', now: () => seconds, onUnrecorded: assert.ifError }) as const;

test('the newest fifty verifications are kept', async () => {
  for (let entries = 0; entries < 60; entries += 1)
    await recordVerification(service.database, recording(entries), async () => ({ ...empty, entries }));
  const list: { entries: number }[] = (await console.get('/admin/health')).body.verifications;
  assert.deepEqual(
    list.map(({ entries }) => entries),
    Array.from({ length: 50 }, (_, index) => 59 - index),
  );
  const [row] = await service.database.query({
    name: '',
    text: 'select count(*)::int as kept from verifications',
  });
  assert.equal(row?.['kept'], 50);
});

test('the operator may say that other tools back up, and take it back', async () => {
  for (const skipped of [true, false]) {
    await console.put('/admin/setup', { step: 'backup', skipped });
    const { backups } = (await console.get('/admin/health')).body;
    assert.deepEqual(backups, { made_at: null, elsewhere: skipped });
  }
});

test('without the database, health says null for what it cannot know, and a verification that cannot be kept is answered', async (context) => {
  let lost: readonly string[] = [];
  const other = await startTestService({
    wrapDatabase: (database) =>
      inEachGroup(database, (each) => ({
        ...each,
        query: (statement, ...rest) =>
          lost.includes(statement.name)
            ? Promise.reject(new DatabaseUnavailable('away'))
            : each.query(statement, ...rest),
      })),
  });
  context.after(() => other.close());
  const panel = await signIn(other, other.admin);
  lost = ['add_verification'];
  assert.equal((await other.admin.get('/api/admin/v1/verify')).body.ok, true);
  assert.ok(other.logLines.some(({ msg }) => msg === 'verification not recorded'));
  lost = [];
  assert.deepEqual((await panel.get('/admin/health')).body.verifications, []);
  for (const name of ['list_verifications', 'find_backups']) {
    lost = [name];
    const { backups, verifications, frozen_accounts: frozen } = (await panel.get('/admin/health')).body;
    assert.deepEqual([backups, verifications, frozen], [null, null, null]);
  }
});

test('an order of any account is opened with its entries and its account, by an administrator alone', async () => {
  const [, changer] = accounts;
  assert.ok(changer);
  const { id } = (await changer.get('/orders?limit=1')).body.data[0];
  const own = await signIn(service, changer);
  const shown = (await console.get(`/admin/orders/${id}`)).body;
  const { order, entries, course } = (await own.get(`/orders/${id}`)).body;
  assert.equal(entries.length, 2);
  assert.equal(order.customer.name, order.customer.reference);
  assert.equal(course.handoff, null);
  assert.equal(course.placed_by, 'account');
  const account = { id: changer.id, username: await usernameOf(service, changer) };
  assert.deepEqual(shown, { account, order, entries, course });
  for (const none of [id + 1, changer.id, 'x', 0]) {
    expectRefusal(await console.get(`/admin/orders/${none}`), '404 order_not_found');
  }
  expectRefusal(await own.get(`/admin/orders/${id}`), '403 forbidden');
});

test('a block and a suspension have a reason in the audit log if the console sends one; the API takes none', async () => {
  const reseller = await service.createReseller({ credit: '10.00' });
  const order = await placeOrder(service, reseller, { customer: 'reasoned' });
  const ofAccount = `/admin/v1/accounts/${reseller.id}`;
  const ofCustomer = `/admin/v1/customers/${order.order.customer.id}`;
  const reasonOf = async () =>
    (await service.admin.get('/api/admin/v1/audit?limit=1')).body.data[0].after.reason;
  assert.equal((await console.patch(ofCustomer, { status: 'suspended', reason: ' Fraud ' })).status, 200);
  assert.equal(await reasonOf(), 'Fraud');
  assert.equal((await console.patch(ofAccount, { blocked: true, reason: 'Unpaid' })).status, 200);
  assert.equal(await reasonOf(), 'Unpaid');
  const long = { blocked: false, reason: 'x'.repeat(201) };
  expectRefusal(await console.patch(ofAccount, long), '422 validation_failed');
  const unblocked = await service.admin.send('PATCH', `/api${ofAccount}`, { blocked: false, reason: 'None' });
  assert.equal(unblocked.status, 200);
  assert.equal(await reasonOf(), undefined);
});

test('an administrator sees whose sign-in takes a code, and switches it off', async () => {
  const [account] = accounts;
  assert.ok(account);
  const owner = await signIn(service, account);
  const { secret } = (await owner.post('/totp', { password: testPassword })).body;
  const read = async () => (await console.get(`/admin/v1/accounts/${account.id}`)).body.account.totp_enabled;
  const listed = async () => {
    const { data } = (await console.get('/admin/v1/accounts')).body;
    return data
      .filter((one: { totp_enabled: boolean }) => one.totp_enabled)
      .map(({ id }: { id: number }) => id);
  };
  assert.deepEqual([await read(), await listed()], [false, []]);
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: service.clock.seconds * 1000,
  });
  assert.equal((await owner.post('/totp/confirm', { code })).status, 201);
  assert.deepEqual([await read(), await listed()], [true, [account.id]]);
  const changed = await console.patch(`/admin/v1/accounts/${account.id}`, { display_name: 'With codes' });
  assert.equal(changed.body.account.totp_enabled, true);
  assert.equal((await owner.get('/me')).body.account.totp_enabled, true);
  const disable = { current_password: testPassword };
  assert.equal((await console.post(`/admin/accounts/${account.id}/totp/disable`, disable)).status, 204);
  assert.deepEqual([await read(), await listed()], [false, []]);
});
