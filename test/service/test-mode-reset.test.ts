// Resetting a test: none of its data is left, nothing else is affected, and requests in progress get an error.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { replaceAlerts } from '../../src/features/alerts/alert-store.ts';
import { indexCustomerTerms } from '../../src/features/customers/customer-search-terms.ts';
import { editCustomer } from '../../src/features/customers/edit-customer.ts';
import { createDailyTotals } from '../../src/features/ledger/daily-totals.ts';
import { indexFacets } from '../../src/features/ledger/facet-index.ts';
import { createTestBudget } from '../../src/features/order-engine/records/test-usage.ts';
import { createRequestLog } from '../../src/features/request-log/request-log.ts';
import { cleanDiscardedTests } from '../../src/features/test-mode/clean-test-accounts.ts';
import { halt } from '../../src/features/verification/account-halts.ts';
import { verifyLedger } from '../../src/features/verification/verify-ledger.ts';
import { createWebhook } from '../../src/features/webhooks/webhook-store.ts';
import { createSeal } from '../../src/platform/secrets/seal.ts';
import { isRefusal } from '../../src/shared/error-catalog.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { placeOrder, secondsOf } from '../harness/shop.ts';
import { advance, clockOf, createTestAccounts, testAccountIdOf } from '../harness/test-mode.ts';

const start = '2026-01-31T10:00:00Z';
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());
beforeEach(() => {
  service.clock.seconds = secondsOf(start);
});

const testAccounts = () => createTestAccounts(service, '500.00');

const sql = (text: string) => service.database.query({ name: '', text });
const clean = () => cleanDiscardedTests(service.database, new AbortController().signal);

async function rowsOf(accountId: number): Promise<Record<string, number>> {
  const tables = await sql(`select c.table_name as name from information_schema.columns c
    where c.table_schema = 'public' and c.column_name = 'account_id' order by 1`);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await sql(`select count(*)::int as rows from ${name} where account_id = ${accountId}`);
    if (Number(row?.['rows']) > 0) counts[String(name)] = Number(row?.['rows']);
  }
  return counts;
}

async function fill(tests: TestAccount, name: string): Promise<string> {
  expectStatus(await tests.get('/events'), 200);
  const body = { package_id: service.packages.basic, customer: name, return_login: true };
  const { order, login_url: link } = expectStatus(await tests.post('/orders', body), 201);
  const path = `/customers/${order.customer.id}`;
  expectStatus(await tests.send('PUT', `${path}/auto-renew`, { months: 1 }), 200);
  expectStatus(await tests.patch(path, { external_ref: `ref-${name}`, idempotency_key: 'named' }), 200);
  expectStatus(await tests.post(`${path}/suspend`, { reason: 'late', idempotency_key: 'held' }), 200);
  expectStatus(await tests.post('/test/credit', { amount: '5.00', idempotency_key: 'more' }), 201);
  expectStatus(
    await tests.post('/webhooks', { url: 'https://127.0.0.1/hook', idempotency_key: 'hook' }),
    201,
  );
  expectStatus(await tests.send('PUT', '/alerts', { balance_below: '990.00', plans_ending_days: 3 }), 200);
  expectStatus(await tests.post('/test/clock', { advance: 'P2M', idempotency_key: 'later' }), 200);
  return link;
}

test('everything of it is deleted, everything of the real account stays, and its keys go on', async () => {
  const { live, tests } = await testAccounts();
  await placeOrder(service, live, { customer: 'stays@example.com' });
  await fill(tests, 'goes@example.com');
  await service.service.app.ready();
  const before = await rowsOf(live.id);
  for (const table of [
    'orders',
    'customers',
    'ledger_entries',
    'events',
    'plan_changes',
    'webhooks',
    'test_moves',
  ]) {
    assert.ok((await rowsOf(tests.id))[table], `the test has something in ${table}`);
  }
  expectStatus(await tests.post('/test/reset'), 200);
  assert.equal(await clean(), 0);
  assert.deepEqual(await rowsOf(tests.id), {});
  assert.deepEqual(await rowsOf(live.id), before);
  const next = await testAccountIdOf(service.database, live.id);
  assert.notEqual(next, tests.id);
  assert.deepEqual(Object.keys(await rowsOf(next)).sort(), ['api_keys', 'ledger_entries', 'test_usage']);
  assert.equal(expectStatus(await tests.get('/webhooks'), 200).data.length, 0);

  // The same names again. Only one row is left of each.
  await fill(tests, 'goes@example.com');
  expectStatus(await tests.post('/test/reset'), 200);
  assert.equal(expectStatus(await tests.get('/balance'), 200).balance, '1000.00');
  assert.equal(expectStatus(await tests.get('/ledger'), 200).total, 1);
  await fill(tests, 'goes@example.com');
  assert.equal(await clean(), 0);
  assert.deepEqual(
    (await sql(`select id from accounts where test_of = ${live.id}`)).map((row) => Number(row['id'])),
    [await testAccountIdOf(service.database, live.id)],
  );
});

test('ids of orders, customers and events never come again, however often it is reset', async () => {
  const { tests } = await testAccounts();
  const ids: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    expectStatus(await tests.get('/events'), 200);
    const { order } = await placeOrder(service, tests, { customer: 'again@example.com' });
    const { data: events } = expectStatus(await tests.get('/events'), 200);
    ids.push(`order ${order.id}`, `customer ${order.customer.id}`);
    ids.push(...events.map(({ id }: { id: string }) => `event ${id}`));
    expectStatus(await tests.post('/test/reset'), 200);
    await clean();
  }
  assert.equal(new Set(ids).size, ids.length, ids.join());
});

test('once all ids were drawn they begin again, past those that are in use', async () => {
  const [{ live, tests }, other] = [await testAccounts(), await testAccounts()];
  const [row] = await sql('select last_id from test_account_ids');
  const reset = async () => {
    expectStatus(await tests.post('/test/reset'), 200);
    await clean();
    return testAccountIdOf(service.database, live.id);
  };
  const inUse = (await sql('select id from accounts where id > 5000000')).map(({ id }) => Number(id));
  const free = Array.from({ length: 100 }, (_, index) => 5_000_001 + index).find((id) => !inUse.includes(id));
  await sql('update test_account_ids set last_id = 9007197');
  assert.equal(await reset(), 9_007_198);
  expectStatus(await tests.post('/orders', { package_id: service.packages.basic, customer: 'last' }), 201);
  assert.equal(await reset(), free);
  assert.equal(expectStatus(await other.tests.get('/balance'), 200).balance, '1000.00');
  await sql(`update test_account_ids set last_id = ${row?.['last_id']}`);
});

test('filtered lists of every test are complete, after any jobs of earlier tests', async () => {
  const { tests } = await testAccounts();
  for (let round = 0; round < 2; round += 1) {
    expectStatus(await tests.post('/test/credit', { amount: '100000.00' }), 201);
    const orders = Array.from({ length: 250 }, (_, index) => ({
      package_id: service.packages.basic,
      customer: `whole-${index}`,
      idempotency_key: `whole-${index}`,
    }));
    expectStatus(await tests.post('/orders/bulk', { orders }), 200);
    assert.equal(await indexFacets(service.database), 0);
    const { data } = expectStatus(await tests.get('/orders?kind=activate&limit=100'), 200);
    assert.equal(data.length, 100, `in test ${round}`);
    expectStatus(await tests.post('/test/reset'), 200);
    await clean();
    assert.equal(await indexFacets(service.database), 0);
    assert.equal(await indexCustomerTerms(service.database), 0);
  }
  const [left] = await sql(`select count(*)::int as marks from list_stretch_marks m
    where account_id > 5000000 and not exists (select from accounts a where a.id = m.account_id)`);
  assert.equal(left?.['marks'], 0);
});

describe('what comes late for a test that was reset is written nowhere', () => {
  for (const [when, wait] of [
    ['while it is being deleted', async () => 0],
    ['when it is gone', clean],
  ] as const) {
    test(when, async () => {
      const { live, tests } = await testAccounts();
      const { order } = await placeOrder(service, tests, { customer: 'late@example.com' });
      const number = Number(order.customer.id) % 1_000_000_000;
      expectStatus(await tests.post('/test/reset'), 200);
      await wait();
      const { database, clock } = service;
      const asked = {
        accountId: tests.id,
        idempotencyKey: 'late',
        author: { actorId: live.id },
        now: clock.seconds,
      };
      const seal = createSeal('a secret of at least 32 characters');
      const settings = { url: 'https://127.0.0.1/late', types: [], description: null, enabled: true };
      const made = await createWebhook(database, seal, settings, asked);
      assert.ok(isRefusal(made) && made.code === 'reset_in_progress');
      const alerts = { belowCents: 5n, plansEndingDays: 3, emails: [], weeklySummary: false };
      assert.equal(await replaceAlerts(database, tests.id, alerts, asked.author, asked.now), false);
      const edit = { accountId: tests.id, number, name: 'Late', externalRef: undefined };
      const edited = await editCustomer(
        database,
        { ...edit, reference: undefined, idempotencyKey: 'late', describe: () => ({}) },
        asked.author,
        { now: asked.now, testBudget: createTestBudget(100_000, null) },
      );
      assert.equal(edited.type, 'reset_in_progress');
      const late = await service.service.engine.submit({
        type: 'credit',
        accountId: tests.id,
        actorId: live.id,
        amountCents: 100n,
        memo: null,
        idempotencyKey: 'late',
        keyIsMinted: false,
      });
      assert.equal(late.type, 'access_changed');
      await createDailyTotals(database).sums(tests.id, 'day', '2026-01-01');
      await clean();
      assert.deepEqual(await rowsOf(tests.id), {});
    });
  }

  test('nor the lines of its requests, and those of others are', async () => {
    const { live, tests } = await testAccounts();
    const log = createRequestLog({
      database: service.database,
      limits: {
        linesMax: 100,
        refusedLinesMax: 100,
        linesPerStatement: 100,
        flushMilliseconds: 1_000_000,
        keptPerAccountMax: 1_000,
        exchangesMax: 100,
        exchangesPerAccountMax: 1_000,
        refusalsKeptDays: 400,
      },
      onKeysUsed: async () => undefined,
      onDropped: () => assert.fail('a line was lost'),
    });
    expectStatus(await tests.post('/test/reset'), 200);
    await clean();
    const current = await testAccountIdOf(service.database, live.id);
    const before = await Promise.all([live.id, current].map(linesOf));
    for (const accountId of [live.id, tests.id, current]) {
      log.note({
        accountId,
        at: service.clock.seconds,
        method: 'GET',
        path: '/late',
        status: 200,
        code: null,
        requestId: 'late',
        milliseconds: 1,
        address: '127.0.0.1',
        keyId: null,
        secretId: null,
      });
    }
    await log.close();
    assert.equal(await linesOf(tests.id), 0);
    const after = await Promise.all([live.id, current].map(linesOf));
    assert.deepEqual(
      after,
      before.map((lines) => lines + 1),
    );
  });
});

async function linesOf(accountId: number): Promise<number> {
  const [row] = await sql(
    `select count(*)::int as lines from api_requests where account_id = ${accountId} and path = '/late'`,
  );
  return Number(row?.['lines']);
}

test('endpoints made during a reset belong to the old test or to the new test', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { live, tests } = await testAccounts();
    const make = (name: string) => tests.post('/webhooks', { url: `https://127.0.0.1/${name}` });
    const answers = await Promise.all([
      ...['a', 'b', 'c', 'd'].map(make),
      tests.post('/test/reset'),
      ...['e', 'f', 'g', 'h'].map(make),
    ]);
    for (const answer of answers) {
      if (answer.status >= 300) expectRefusal(answer, '409 reset_in_progress');
    }
    await clean();
    const current = await testAccountIdOf(service.database, live.id);
    assert.deepEqual(await sql(`select id from webhooks where account_id = ${tests.id}`), []);
    const shown = expectStatus(await tests.get('/webhooks'), 200).data.length;
    const [own] = await sql(`select count(*)::int as webhooks from webhooks where account_id = ${current}`);
    assert.equal(shown, own?.['webhooks']);
    expectStatus(await tests.post('/test/reset'), 200);
    await clean();
    assert.deepEqual(expectStatus(await tests.get('/webhooks'), 200).data, []);
  }
});

test('rows that the version before has emptied and kept are deleted', async () => {
  const { live, tests } = await testAccounts();
  expectStatus(await tests.post('/test/reset'), 200);
  await sqlOf(service, tests, `delete from ledger_entries where account_id = ${tests.id}`);
  await sqlOf(service, tests, `update accounts set test_state = 'clean' where id = ${tests.id}`);
  assert.equal(await clean(), 0);
  assert.deepEqual(await sql(`select id from accounts where id = ${tests.id}`), []);
  expectStatus(await tests.post('/test/reset'), 200);
  assert.notEqual(await testAccountIdOf(service.database, live.id), tests.id);
  await clean();
});

test('it has the rate limit that its test had left', async () => {
  const { live, tests } = await testAccounts();
  const limited = `/api/admin/v1/accounts/${live.id}`;
  expectStatus(await service.admin.patch(limited, { rate_limit_per_minute: 20 }), 200);
  let admitted = 0;
  for (let sent = 0; sent < 30; sent += 1) {
    const answer = sent === 10 ? await tests.post('/test/reset') : await tests.get('/balance');
    if (answer.status === 429) break;
    admitted += 1;
    await clean();
  }
  // The key was made and used before the limit was set.
  assert.ok(admitted <= 20, `${admitted} of 20`);
  expectStatus(await live.get('/balance'), 200);
});

describe('an audit', () => {
  test('looks at tests in use, and halts no other', async () => {
    const { tests } = await testAccounts();
    await placeOrder(service, tests, {});
    expectStatus(await tests.post('/test/reset'), 200);
    await halt(service.database, tests.id, service.clock.seconds);
    const report = await verifyLedger(service.database, service.clock.seconds);
    assert.deepEqual(report.problems, []);
    const [row] = await sql(`select count(*) filter (where test_state = 'current')::int as in_use,
      count(halted_at)::int as halted from accounts where id > 5000000`);
    assert.deepEqual([report.test_accounts, 0], [row?.['in_use'], row?.['halted']]);
    await clean();
  });

  test('finds nothing wrong beside tests that are filled and reset', async () => {
    const all = [await testAccounts(), await testAccounts(), await testAccounts()];
    let isOver = false;
    const cleaning = (async () => {
      while (!isOver) await clean();
    })();
    const audits = (async () => {
      const problems: unknown[] = [];
      for (let count = 0; count < 3; count += 1) {
        problems.push(...(await verifyLedger(service.database, service.clock.seconds)).problems);
      }
      isOver = true;
      return problems;
    })();
    const resets = all.map(async ({ tests }) => {
      for (let count = 0; !isOver; count += 1) {
        await tests.post('/orders', {
          package_id: service.packages.basic,
          customer: `audited-${tests.id}-${count}`,
        });
        await tests.post('/test/reset');
      }
    });
    assert.deepEqual(await audits, []);
    await Promise.all([cleaning, ...resets]);
    await clean();
  });
});

test('with the same key it happens once', async () => {
  const { tests } = await testAccounts();
  const first = expectStatus(await tests.post('/test/reset', { idempotency_key: 'once' }), 200);
  await placeOrder(service, tests, { customer: 'kept' });
  service.clock.seconds += 60;
  const again = await tests.post('/test/reset', { idempotency_key: 'once' });
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(expectStatus(again, 200), first);
  assert.equal(expectStatus(await tests.get('/orders'), 200).total, 1);
  expectStatus(await tests.post('/test/reset', { idempotency_key: 'twice' }), 200);
  assert.equal(expectStatus(await tests.get('/orders'), 200).total, 0);
  await clean();
});

test('one may follow another at once, until ten former tests wait for the job that deletes them', async () => {
  const { live, tests } = await testAccounts();
  for (let count = 0; count < 10; count += 1) {
    await placeOrder(service, tests, { customer: 'one-after-another' });
    expectStatus(await tests.post('/test/reset'), 200);
  }
  expectRefusal(await tests.post('/test/reset', { idempotency_key: 'later' }), '409 reset_in_progress');
  assert.equal(expectStatus(await tests.get('/orders'), 200).total, 0);
  await clean();
  expectStatus(await tests.post('/test/reset', { idempotency_key: 'later' }), 200);
  await clean();
  const [rows] = await sql(`select count(*)::int as rows from accounts where test_of = ${live.id}`);
  assert.equal(rows?.['rows'], 1);
});

test('of ten resets at once with one key one happens', async () => {
  const { live, tests } = await testAccounts();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => tests.post('/test/reset', { idempotency_key: 'at-once' })),
  );
  for (const answer of answers) expectStatus(answer, 200);
  const isReplay = (answer: (typeof answers)[number]) => answer.headers.get('idempotent-replayed') === 'true';
  assert.equal(answers.filter(isReplay).length, 9);
  const [rows] = await sql(`select count(*)::int as rows from accounts where test_of = ${live.id}`);
  assert.equal(rows?.['rows'], 2);
  await clean();
});

test('orders under way are taken before it or after it, and never lost in between', async () => {
  const { live, tests } = await testAccounts();
  const former = tests.id;
  const orders = Array.from({ length: 40 }, (_, index) =>
    tests.post('/orders', { package_id: service.packages.basic, customer: `under-way-${index}` }),
  );
  const reset = tests.post('/test/reset');
  const answers = await Promise.all(orders);
  expectStatus(await reset, 200);
  const current = await testAccountIdOf(service.database, live.id);
  const placed = answers.filter(({ status }) => status === 201).map(({ body }) => Number(body.order.id));
  assert.equal(
    placed.length,
    40,
    answers.map(({ text }) => text).find((text) => text.includes('error')) ?? '',
  );
  const owners = placed.map((id) => Math.floor(id / 1_000_000_000));
  assert.ok(owners.every((owner) => owner === former || owner === current));
  const now = expectStatus(await tests.get('/orders'), 200).total;
  assert.equal(now, owners.filter((owner) => owner === current).length);
  await clean();
});

test('a move under way ends, and does not move the clock of the test that follows', async () => {
  const { live, tests } = await testAccounts();
  for (let from = 0; from < 300; from += 100) {
    const orders = Array.from({ length: 100 }, (_, index) => ({
      package_id: service.packages.basic,
      customer: `moved-${live.id}-${from + index}`,
      idempotency_key: `moved-${from + index}`,
    }));
    expectStatus(await tests.post('/orders/bulk', { orders: orders.slice(0, 33) }), 200);
  }
  const move = tests.post('/test/clock', { advance: 'P10Y' });
  const reset = tests.post('/test/reset');
  const [moved, done] = await Promise.all([move, reset]);
  expectStatus(done, 200);
  if (moved.status !== 200) expectRefusal(moved, '409 reset_in_progress');
  assert.equal(await clockOf(tests), start);
  await clean();
});

describe('history', () => {
  test('of a real account, and of a test in use, is not deleted by anyone', async () => {
    const { live, tests } = await testAccounts();
    for (const account of [live, tests])
      await placeOrder(service, account, { customer: `history-${account.id}` });
    for (const id of [live.id, tests.id]) {
      for (const table of ['orders', 'ledger_entries']) {
        await assert.rejects(
          sqlOf(service, { id }, `delete from ${table} where account_id = ${id}`),
          /append-only: delete refused/,
        );
        await assert.rejects(
          sqlOf(service, { id }, `update ${table} set number = number where account_id = ${id}`),
          /append-only/,
        );
      }
    }
    await assert.rejects(
      sqlOf(service, live, `update accounts set test_state = 'discarded' where id = ${live.id}`),
      /accounts_test/,
    );
    for (const { id } of [live, tests]) {
      await assert.rejects(
        sqlOf(service, { id }, `delete from accounts where id = ${id}`),
        /accounts(_\d+)? is kept: delete refused/,
      );
    }
  });

  test('is deleted of a test that was discarded, and not changed', async () => {
    const { tests } = await testAccounts();
    await placeOrder(service, tests, {});
    expectStatus(await tests.post('/test/reset'), 200);
    await assert.rejects(
      sqlOf(service, tests, `update orders set months = 3 where account_id = ${tests.id}`),
      /append-only/,
    );
    await assert.rejects(
      sqlOf(service, tests, `delete from accounts where id = ${tests.id}`),
      /accounts(_\d+)? is kept/,
    );
    await sqlOf(service, tests, `delete from orders where account_id = ${tests.id}`);
    await clean();
  });
});

test('a link to log in dies with its test', async () => {
  const { tests } = await testAccounts();
  const link = await fill(tests, 'linked@example.com');
  const { pathname } = new URL(link);
  const browser = createApiClient(service.address, null);
  expectStatus(await tests.post('/test/reset'), 200);
  await clean();
  assert.equal((await browser.get(pathname)).status, 410);
});

test('two moves of a year after a reset give the same as before it', async () => {
  const { tests } = await testAccounts();
  const year = async () => {
    const { order } = await placeOrder(service, tests, { customer: 'same@example.com' });
    expectStatus(await tests.send('PUT', `/customers/${order.customer.id}/auto-renew`, { months: 1 }), 200);
    return (await advance(tests, 'P1Y')).happened;
  };
  const first = await year();
  expectStatus(await tests.post('/test/reset'), 200);
  assert.deepEqual(await year(), first);
  await clean();
});
