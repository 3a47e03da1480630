// Accounts in several groups: numbers, lists, feeds, figures and references work as with one group.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase, isPostgres, type TestDatabase } from '../../scripts/throwaway/test-database.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createRequestLog } from '../../src/features/request-log/request-log.ts';
import { verifyLedger } from '../../src/features/verification/verify-ledger.ts';
import { type Database, DatabaseUnavailable, inEachGroup } from '../../src/platform/database/database.ts';
import { SchemaMismatch } from '../../src/platform/database/schema-mismatch.ts';
import { findDivision } from '../../src/platform/database/shards/find-shards.ts';
import { divideAccounts } from '../../src/platform/database/shards/split-into-shards.ts';
import { readConfig } from '../../src/setup/config.ts';
import { connectDatabase, openDatabase } from '../../src/setup/open-database.ts';
import { ConfigProblem } from '../../src/setup/settings.ts';
import { openPage, pathOfLink } from '../harness/browser-request.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { makeAdministrator } from '../harness/logged-by-hand.ts';
import { signIn } from '../harness/panel-client.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { requestLineOf } from '../harness/request-line.ts';
import { changeAccount, credit, placeOrder, renewOrder } from '../harness/shop.ts';
import { advance, clockOf, createTestAccounts, testModeOf } from '../harness/test-mode.ts';

let service: TestService;
let shops: TestAccount[];
let groupCount: number;
before(async () => {
  service = await startTestService();
  groupCount = service.database.accountGroups().length;
  // Even with one group make three accounts, because the promises are the same.
  shops = [];
  for (let made = 0; made < Math.max(3, groupCount); made += 1)
    shops.push(await service.createReseller({ credit: '1000.00' }));
});
after(() => service.close());

const groupOf = ({ id }: Pick<TestAccount, 'id'>) => id % groupCount;
const api = '/api/admin/v1';

test('an account of each group orders, renews, reads its lists and is charged, and its rows are in its group alone', async () => {
  assert.equal(new Set(shops.map(groupOf)).size, groupCount, 'one of each');
  for (const shop of shops) {
    const customer = `road-${shop.id}`;
    const { order, balance } = await placeOrder(service, shop, { customer });
    assert.equal(balance, '990.00');
    const renewed = await renewOrder(shop, order.id);
    assert.equal(renewed.balance, '980.00');
    assert.deepEqual(expectStatus(await shop.get(`/orders/${order.id}`), 200).order, order);
    assert.equal((await shop.get('/orders')).body.total, 2);
    assert.equal((await shop.get('/customers')).body.data[0].reference, customer);
    const { data } = expectStatus(await shop.get('/ledger'), 200);
    assert.deepEqual(
      data.map(({ amount }: { amount: string }) => amount),
      ['-10.00', '-10.00', '1000.00'],
    );
    expectRefusal(await shop.get(`/orders/${order.id + 1_000_000_000}`), '404 order_not_found');
  }
  for (const [number, group] of service.database.accountGroups().entries()) {
    for (const table of ['accounts', 'orders', 'customers', 'ledger_entries']) {
      const owner = table === 'accounts' ? 'id' : 'account_id';
      const rows = await group.query({ name: '', text: `select distinct ${owner} as id from ${table}` });
      assert.ok(rows.length > 0, table);
      for (const row of rows) assert.equal(Number(row['id']) % groupCount, number, table);
    }
  }
});

test('a key and a login link of each group open its account, and no longer once they are revoked or spent', async () => {
  for (const shop of shops) {
    const made = await service.admin.post(`${api}/accounts/${shop.id}/keys`, { name: 'Second' });
    const { key, api_key: secret } = expectStatus(made, 201);
    const headers = { authorization: `Bearer ${secret}` };
    assert.equal(expectStatus(await shop.get('/balance', headers), 200).balance, await balanceOf(shop));
    expectStatus(await service.admin.send('DELETE', `${api}/accounts/${shop.id}/keys/${key.id}`), 200);
    expectRefusal(await shop.get('/balance', headers), '401 revoked_api_key');

    const { login_url: link } = await placeOrder(service, shop, {
      customer: `linked-${shop.id}`,
      return_login: true,
    });
    const path = pathOfLink(link);
    assert.equal((await openPage(service.address, 'GET', path)).status, 200);
    assert.equal((await openPage(service.address, 'POST', path)).status, 303);
    assert.equal((await openPage(service.address, 'POST', path)).status, 410);
  }
});

test('the list of accounts is one: newest first, page by page, searched and filtered over all groups', async () => {
  const ids: number[] = [];
  let total = 0;
  for (let page = 1; ; page += 1) {
    const answer = expectStatus(await service.admin.get(`${api}/accounts?limit=2&page=${page}`), 200);
    total = answer.total;
    if (answer.data.length === 0) break;
    ids.push(...answer.data.map(({ id }: { id: number }) => id));
  }
  const known = [service.admin, ...shops].map(({ id }) => id);
  assert.deepEqual(
    ids,
    ids.toSorted((one, other) => other - one),
  );
  assert.equal(ids.length, total);
  for (const id of known) assert.equal(ids.filter((each) => each === id).length, 1, `account ${id}`);
  for (const shop of shops) {
    await changeAccount(service, shop, { display_name: `Needle ${shop.id}` });
    const found = expectStatus(await service.admin.get(`${api}/accounts?q=needle%20${shop.id}`), 200);
    assert.deepEqual([found.total, found.data[0]?.id], [1, shop.id]);
  }
  const needles = expectStatus(await service.admin.get(`${api}/accounts?q=needle&group=reseller`), 200);
  assert.deepEqual(
    needles.data.map(({ id }: { id: number }) => id),
    shops.map(({ id }) => id).toReversed(),
  );
});

test('the console’s figures are the sum of all groups, and customers of all groups are found', async () => {
  const panel = await signIn(service, service.admin);
  const spentBy = async () => {
    const { series, top_accounts } = expectStatus(await panel.get('/admin/overview?days=2'), 200);
    return { orders: Number(series.at(-1).orders), top: top_accounts };
  };
  const before = await spentBy();
  for (const [index, shop] of shops.entries()) {
    for (let count = 0; count <= index; count += 1)
      await placeOrder(service, shop, { customer: `figure-${shop.id}-${count}` });
  }
  const { orders, top } = await spentBy();
  assert.equal(orders - before.orders, (shops.length * (shops.length + 1)) / 2);
  assert.deepEqual(
    top.map(({ account }: { account: { id: number } }) => account.id),
    shops.map(({ id }) => id).toReversed(),
    'who spent most comes first, of whichever group',
  );
  const { data } = expectStatus(await panel.get('/admin/customers?q=figure-'), 200);
  assert.equal(data.length, orders - before.orders);
  assert.equal(
    new Set(data.map(({ account }: { account: { id: number } }) => account.id)).size,
    shops.length,
  );
});

test('the audit log names who did what to accounts of all groups, in one order', async () => {
  for (const shop of shops) await credit(service, shop, '1.00');
  const { data } = expectStatus(await service.admin.get(`${api}/audit?limit=${shops.length}`), 200);
  assert.deepEqual(
    data.map(({ actor, subject }: { actor: { username: string }; subject: string }) => [
      actor.username,
      subject,
    ]),
    shops.map(({ id }) => ['admin', `account ${id}`]).toReversed(),
  );
  for (const shop of shops) {
    const { data: entries } = expectStatus(
      await service.admin.get(`${api}/accounts/${shop.id}/ledger?limit=1`),
      200,
    );
    assert.equal(entries[0].actor, 'admin', 'whose group may be another');
  }
});

test('the feed of all accounts has the events of every group once, those of an account in their order', async () => {
  const feed = async (after: string) =>
    expectStatus(await service.admin.get(`${api}/events?limit=7${after}`), 200);
  expectStatus(await service.admin.get(`${api}/events?limit=1`), 200);
  const rounds = 4;
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(
      shops.map((shop) => placeOrder(service, shop, { customer: `told-${shop.id}-${round}` })),
    );
  }
  const emitted: {
    id: number;
    account_id: number;
    type: string;
    data: { order?: { customer: { reference: string } } };
  }[] = [];
  for (let after = ''; ; ) {
    const page = await feed(after);
    emitted.push(...page.data);
    if (!page.has_more) break;
    after = `&after=${page.next_after}`;
  }
  assert.equal(new Set(emitted.map(({ id }) => id)).size, emitted.length);
  for (const shop of shops) {
    const own = emitted.filter(({ account_id }) => account_id === shop.id);
    const numbers = own.map(({ id }) => id);
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => one - other),
    );
    const placed = own.map(({ data }) => data.order?.customer.reference ?? '');
    assert.deepEqual(
      placed.filter((reference) => reference.startsWith('told-')),
      Array.from({ length: rounds }, (_, round) => `told-${shop.id}-${round}`),
    );
    const [one] = own.slice(-1);
    assert.deepEqual(expectStatus(await service.admin.get(`${api}/events/${one?.id}`), 200).event, one);
  }
});

test('test mode is the account’s own, whichever group its test account lies in', async () => {
  const apart: boolean[] = [];
  for (let tried = 0; tried < 2 * groupCount; tried += 1) {
    const { live, tests } = await createTestAccounts(service);
    apart.push(groupOf(live) !== groupOf(tests));
    await placeOrder(service, tests, { customer: `twin-${live.id}` });
    assert.equal(await balanceOf(live), '100.00', 'the real balance is as it was');
    assert.equal((await tests.get('/orders')).body.total, 1);
    assert.equal((await live.get('/orders')).body.total, 0);
    const before = Date.parse(await clockOf(tests));
    await advance(tests, 'P1D');
    assert.equal(Date.parse(await clockOf(tests)) - before, 86_400_000);
    await changeAccount(service, live, { blocked: true });
    expectRefusal(await tests.get('/balance'), '403 account_blocked');
    await changeAccount(service, live, { blocked: false });
    expectStatus(await tests.post('/test/reset'), 200);
    assert.equal((await tests.get('/orders')).body.total, 0);
    const again = await testModeOf(service, live);
    assert.notEqual(again.id, tests.id);
    assert.equal(await balanceOf(again), await balanceOf(tests), 'both keys reach the new one');
    if (apart.includes(true) && apart.includes(false)) break;
  }
  assert.equal(apart.includes(true), groupCount > 1, 'a test account apart from its account was among them');
});

test('of accounts of all groups that claim one customer at the same moment one gets it, the others are refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const customer = `claimed-${round}`;
    const answers = await Promise.all(
      shops.map((shop) => shop.post('/orders', { package_id: service.packages.basic, customer })),
    );
    const won = answers.filter(({ status }) => status === 201);
    assert.equal(won.length, 1);
    for (const answer of answers) {
      if (answer.status === 201) assert.equal(answer.body.order.customer.reference, customer);
      else expectRefusal(answer, '409 customer_not_yours');
    }
  }
});

test('a username is one account’s, of whichever group: of those that ask at the same moment one gets it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const body = { username: `wanted-${round}`, group: 'reseller' };
    const answers = await Promise.all(
      Array.from({ length: groupCount + 1 }, () => service.admin.post(`${api}/accounts`, body)),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    for (const answer of answers) if (answer.status !== 201) expectRefusal(answer, '409 username_taken');
    expectRefusal(await service.admin.post(`${api}/accounts`, body), '409 username_taken');
  }
});

test('of two administrators of different groups who block each other at the same moment one stays', async () => {
  const [one, other] = [await service.createReseller(), await service.createReseller()];
  for (const account of [one, other]) await makeAdministrator(service, account);
  const panel = await signIn(service, service.admin);
  await sqlOf(
    service,
    service.admin,
    `update accounts set api_enabled = false where id = ${service.admin.id}`,
  );
  const answers = await Promise.all(
    [one, other].map(({ id }) => panel.patch(`/admin/v1/accounts/${id}`, { blocked: true })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  await sqlOf(
    service,
    service.admin,
    `update accounts set api_enabled = true where id = ${service.admin.id}`,
  );
});

test('an audit of a process that knows another number of groups halts no account', async (context) => {
  if (groupCount === 1) return context.skip('all accounts are one group');
  const connected = await connectDatabase({ database: service.testDatabase.config });
  const division = await findDivision(connected);
  assert.ok(division);
  const { locate: _whereTheyAre, ...fewer } = division;
  const inFewer = connected.inGroups({ ...fewer, groups: division.groups.slice(0, -1) });
  try {
    await assert.rejects(verifyLedger(inFewer, service.clock.seconds), DatabaseUnavailable);
  } finally {
    await connected.close();
  }
  for (const shop of shops) await placeOrder(service, shop, { customer: `sound-${shop.id}` });
});

test('lines of requests that one group could not take are counted as dropped, and those of the others are not', async (context) => {
  if (groupCount === 1) return context.skip('all accounts are one group');
  const [first, second] = shops;
  assert.ok(first !== undefined && second !== undefined);
  const [written, refused] = [first, second].toSorted((one, other) => groupOf(one) - groupOf(other));
  assert.ok(written !== undefined && refused !== undefined);
  const away = service.database.ofAccount(refused.id);
  let dropped = 0;
  const log = createRequestLog({
    database: inEachGroup(service.database, (each) => ({
      ...each,
      query: (statement, values) =>
        each === away ? Promise.reject(new Error('away')) : each.query(statement, values),
    })),
    limits: {
      linesMax: 100,
      refusedLinesMax: 100,
      linesPerStatement: 50,
      flushMilliseconds: 1e9,
      keptPerAccountMax: 100,
      exchangesMax: 100,
      exchangesPerAccountMax: 1_000,
      refusalsKeptDays: 400,
    },
    onKeysUsed: async () => undefined,
    onDropped: (lines) => {
      dropped += lines;
    },
  });
  const lines = async ({ id }: TestAccount) => {
    const [row] = await sqlOf(
      service,
      { id },
      `select count(*)::int as n from api_requests where account_id = ${id}`,
    );
    return Number(row?.['n']);
  };
  const before = await lines(written);
  for (const { id } of [written, refused, written]) log.note(requestLineOf(id, service.clock.seconds));
  await log.close();
  assert.deepEqual([(await lines(written)) - before, dropped], [2, 1]);
});

describe('a database that cannot be taken as it is', () => {
  let testDatabase: TestDatabase;
  before(async () => {
    testDatabase = await createTestDatabase({ isEmpty: isPostgres });
  });
  after(() => testDatabase.remove());

  const open = async (environment: Record<string, string>) => {
    const { config } = testDatabase;
    const where: Record<string, string> =
      config.kind === 'embedded' ? { DATA_DIR: config.dataDir } : { DATABASE_URL: config.connectionString };
    const secret = { SECRET_KEY: 'k'.repeat(64) };
    const { database } = await openDatabase(
      readConfig({ ...secret, ...where, ...environment }),
      1_768_478_400,
    );
    return database;
  };
  const using = async (environment: Record<string, string>, work: (database: Database) => Promise<void>) => {
    const database = await open(environment);
    await work(database).finally(() => database.close());
  };

  test('the embedded one holds all accounts in one group and ignores ACCOUNT_GROUPS', {
    skip: isPostgres && 'PostgreSQL takes several',
  }, async () => {
    await assert.rejects(open({ ACCOUNT_GROUPS: '3' }), (error) => {
      assert.ok(error instanceof ConfigProblem);
      assert.match(error.message, /^ACCOUNT_GROUPS needs PostgreSQL: .* in one group\.$/);
      return true;
    });
    await using({ ACCOUNT_GROUPS: '1' }, async (database) => {
      assert.deepEqual(database.accountGroups(), [database]);
    });
  });

  test('a first start divides it, every later one finds that, and another number is refused with the right one', {
    skip: !isPostgres && 'the embedded database has one group',
  }, async () => {
    for (const wanted of ['0', '65', '3.5', 'three'])
      await assert.rejects(open({ ACCOUNT_GROUPS: wanted }), /ACCOUNT_GROUPS/);
    await using({ ACCOUNT_GROUPS: '3' }, async (database) => {
      assert.equal(database.accountGroups().length, 3);
    });
    await using({}, async (database) => assert.equal(database.accountGroups().length, 3));
    for (const wanted of ['1', '2', '4']) {
      await assert.rejects(open({ ACCOUNT_GROUPS: wanted }), (error) => {
        assert.ok(error instanceof ConfigProblem);
        assert.match(error.message, /in 3 groups: set it to 3, or leave it out\.$/);
        return true;
      });
    }
  });

  test('groups are divided once', {
    skip: !isPostgres && 'the embedded database has one group',
  }, async () => {
    const database = await connectDatabase({ database: testDatabase.config });
    try {
      await assert.rejects(
        database.transaction((transaction) => divideAccounts(transaction, 3)),
        (error) => error instanceof SchemaMismatch && /in groups already/.test(error.message),
      );
    } finally {
      await database.close();
    }
  });

  test('without the schema of one of its groups it is not started, and the sentence names the schema', {
    skip: !isPostgres && 'the embedded database has one group',
  }, async () => {
    const database = await connectDatabase({ database: testDatabase.config });
    const rename = (from: string, to: string) =>
      database.query({ name: '', text: `alter schema ${from} rename to ${to}` });
    try {
      await rename('public_group_1', 'elsewhere');
      await assert.rejects(open({}), (error) => {
        assert.ok(error instanceof SchemaMismatch);
        assert.match(error.message, /in 3 groups, and there is no schema public_group_1\b/);
        return true;
      });
      await rename('elsewhere', 'public_group_1');
    } finally {
      await database.close();
    }
    await using({}, async (found) => assert.equal(found.accountGroups().length, 3));
  });
});

async function balanceOf(account: TestAccount): Promise<string> {
  return expectStatus(await account.get('/balance'), 200).balance;
}
