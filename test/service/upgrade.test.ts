// The upgrade from the first edition. Every row stays, and old idempotency keys are replayed.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../scripts/throwaway/test-database.ts';
import type { PlaceOrder } from '../../src/features/order-engine/decisions/order-commands.ts';
import { runBatch } from '../../src/features/order-engine/order-batch.ts';
import { planChanges } from '../../src/features/order-engine/records/plan-change.ts';
import { createTestBudget } from '../../src/features/order-engine/records/test-usage.ts';
import { createPackageCatalog } from '../../src/features/packages/package-catalog.ts';
import { cleanDiscardedTests } from '../../src/features/test-mode/clean-test-accounts.ts';
import { resetTestAccount } from '../../src/features/test-mode/reset-test-account.ts';
import type { Database, Queryable, Row } from '../../src/platform/database/database.ts';
import { isMigrated, migrate, readMigrations } from '../../src/platform/database/schema/migrate.ts';
import { connectDatabase } from '../../src/setup/open-database.ts';

const firstEdition = readMigrations().slice(0, 3);
/** Columns moved from accounts to people; see people-upgrade.test.ts. */
const movedToPeople = ['password_hash', 'password_version'];
const keptTables = ['accounts', 'customers', 'customer_references', 'orders', 'ledger_entries', 'audit_log'];

let testDatabase: TestDatabase;
let database: Database;

before(async () => {
  testDatabase = await createTestDatabase({ isEmpty: true });
  database = await connectDatabase({ database: testDatabase.config });
});
after(async () => {
  await database.close();
  await testDatabase.remove();
});

const run = (text: string) => database.query({ name: '', text });

async function contents(): Promise<Record<string, readonly Row[]>> {
  const kept: Record<string, readonly Row[]> = {};
  for (const table of keptTables) {
    const columns = columnsBefore[table]?.join(', ') ?? '';
    kept[table] = await run(`select ${columns} from ${table} order by ${columns}`);
  }
  return kept;
}
const columnsBefore: Record<string, string[]> = {};

test('an upgrade keeps every row and makes history of trials and suspensions', async () => {
  await migrate(database, { migrations: firstEdition });
  for (const statement of rowsOfTheFirstEdition) await run(statement);
  for (const table of keptTables) {
    const columns = await run(`select column_name::text as name from information_schema.columns
      where table_name = '${table}' order by ordinal_position`);
    columnsBefore[table] = columns
      .map((row) => String(row['name']))
      .filter((name) => !movedToPeople.includes(name));
  }
  const before = await contents();

  await migrate(database);
  assert.deepEqual(await contents(), before);

  const rows = await run(
    `select ${planChanges.list('p')} from plan_changes p order by p.account_id, p.number`,
  );
  const seen = rows.map((row) => {
    const { accountId, number, customerNumber, kind, afterOrder, actorId, packageId } =
      planChanges.parse(row);
    return [accountId, number, customerNumber, kind, afterOrder, actorId, packageId];
  });
  const unknown = seen.filter(([, , , , , actorId]) => actorId === null);
  assert.deepEqual(seen, [
    // The expired trial comes before the order that follows it. Then suspended, active again, suspended.
    [2, 1, 1, 'trial', 0, 1, 2],
    [2, 2, 2, 'suspend', 1, 1, null],
    [2, 3, 2, 'resume', 2, 1, null],
    [2, 4, 2, 'suspend', 2, 1, null],
    // One in the second of the order that created the customer, one by a clock that was behind. No earlier order exists.
    [2, 5, 3, 'suspend', 3, 1, null],
    [2, 6, 4, 'suspend', 4, 1, null],
    // This account has no log entries. A trial and a status are known only from rows.
    [3, 1, 1, 'trial', 0, null, 2],
    [3, 2, 2, 'suspend', 0, null, null],
  ]);
  assert.equal(unknown.length, 2);
  const counters = await run('select id, plan_change_count from accounts order by id');
  assert.deepEqual(
    counters.map((row) => [row['id'], row['plan_change_count']]),
    [
      [1, 0],
      [2, 6],
      [3, 2],
    ],
  );
});

test('an upgrade finds the completed order behind each plan: none of a trial, and not one that failed or waits', async () => {
  const lastOrders = async (queryable: Queryable) => {
    const text = 'select number, last_order from customers where account_id = 2 order by number';
    const rows = await queryable.query({ name: '', text });
    return rows.map((row) => [row['number'], row['last_order']]);
  };
  assert.deepEqual(await lastOrders(database), [
    [1, 2],
    [2, 1],
    [3, 3],
    [4, 4],
  ]);
  const migration = readMigrations().find(({ name }) => name.endsWith('-last-orders.sql'));
  assert.ok(migration);
  // The previous edition leaves this: a failed order, a pending one, and a trial after a paid plan. It is never committed.
  await database.transaction(async (transaction) => {
    const change = (text: string) => transaction.query({ name: '', text });
    await change('alter table customers drop column last_order');
    await change(`insert into orders (account_id, number, customer_number, package_id, months, kind, price_cents,
      refund_cents, balance_after_cents, created_at, expires_at, idempotency_key, fingerprint)
    select 2, 4 + n, n, 1, 1, 'renew', 900, 0, 900, ${day(16)}, ${day(20)}, 'late' || n, 'f' from generate_series(1, 2) n`);
    await change(`insert into order_handoffs (account_id, order_number, customer_number, status, settled_at)
    values (2, 5, 1, 'failed', ${day(17)}), (2, 6, 2, 'pending', null)`);
    await change('update customers set package_id = 2, months_run = 0 where account_id = 2 and number = 3');
    await change(migration.sql);
    assert.deepEqual(await lastOrders(transaction), [
      [1, 2],
      [2, 1],
      [3, null],
      [4, 4],
    ]);
  });
});

test('the idempotency keys of the first edition are replayed, and are refused with other orders', async () => {
  const packages = await createPackageCatalog(database);
  const batch = {
    database,
    currency: 'USD',
    cancelRefund: 'none',
    testBudget: createTestBudget(100_000, null),
    orderEventData: () => ({}),
    now: () => seconds(20),
    packages: packages.current,
  } as const;
  const caller = { accountId: 2, accessVersion: await accessVersionOf(2), keyIsMinted: false } as const;
  const place = (customerReference: string, idempotencyKey: string): PlaceOrder => ({
    ...caller,
    type: 'place',
    packageId: 1,
    customerReference,
    customerName: null,
    months: 1,
    maxChargeCents: null,
    loginLink: null,
    idempotencyKey,
  });
  const credit = { ...caller, type: 'credit', actorId: 1, amountCents: 10_000n, memo: null } as const;
  const { outcomes } = await runBatch(batch, [
    place('grace', 'k1'),
    place('ada@example.com', 'k2'),
    place('grace', 'k2'),
    { ...credit, idempotencyKey: 'c1' },
    { ...credit, idempotencyKey: 'c1', amountCents: 9_999n },
  ]);
  const seen = outcomes.map((outcome) => {
    if (outcome.type === 'ordered') return [outcome.order.number, outcome.replayed];
    if (outcome.type === 'credited') return [outcome.entry.number, outcome.replayed];
    return outcome.type === 'refused' ? outcome.refusal.code : outcome.type;
  });
  assert.deepEqual(seen, [[1, true], [2, true], 'idempotency_conflict', [1, true], 'idempotency_conflict']);
});

async function accessVersionOf(accountId: number): Promise<number> {
  const [row] = await run(`select access_version from accounts where id = ${accountId}`);
  return Number(row?.['access_version']);
}

test('a database that ran a text which was replaced before a release is taken as it is, one that ran another is not', async () => {
  const replaced = '782bfe995e4e1af3728fc5e8aecbc28c5efaee8931739214ec285b2dd033beeb';
  await run(`update schema_migrations set checksum = '${replaced}' where number = 4`);
  assert.deepEqual([await migrate(database), await isMigrated(database, readMigrations())], [[], true]);
  await run(`update schema_migrations set checksum = '${replaced}' where number = 5`);
  await assert.rejects(migrate(database), /0005-halts.sql was changed after it ran/);
  assert.equal(await isMigrated(database, readMigrations()), false);
});

test('tests that there are keep their ids, and those to come are numbered behind them', async () => {
  const empty = await createTestDatabase({ isEmpty: true });
  const other = await connectDatabase({ database: empty.config });
  const ask = (text: string) => other.query({ name: '', text });
  try {
    await migrate(other, { migrations: readMigrations().slice(0, 20) });
    await ask(`insert into service_state (currency, secret_key_check, audit_count, created_at)
      values ('USD', 'x', 0, ${day(1)})`);
    await ask(`insert into accounts (id, username, display_name, search_text, group_name, created_at, test_of,
        test_state, test_clock) overriding system value values
      (1, 'real', 'Real', 'real', 'reseller', ${day(1)}, null, null, null),
      (5000001, 'test 1', 'Real', 'real', 'reseller', ${day(1)}, 1, 'clean', ${day(1)}),
      (5000004, 'test 4', 'Real', 'real', 'reseller', ${day(1)}, 1, 'current', ${day(1)})`);
    await migrate(other);
    assert.equal(await cleanDiscardedTests(other, new AbortController().signal), 0);
    const testAccount = await resetTestAccount(other, 1, null, seconds(2));
    assert.equal(testAccount?.replayed, false);
    const rows = await ask('select id, test_state from accounts where test_of = 1 order by id');
    assert.deepEqual(
      rows.map((row) => [row['id'], row['test_state']]),
      [
        [5_000_004, 'discarded'],
        [5_000_005, 'current'],
      ],
    );
  } finally {
    await other.close();
    await empty.remove();
  }
});

const day = (number: number) => `'2026-01-${String(number).padStart(2, '0')}T00:00:00Z'`;
const seconds = (number: number) => Date.UTC(2026, 0, number) / 1000;

/**
 * As the first edition wrote them. Accounts: 1 administrator, 2 a reseller, 3 a halted reseller. Packages: 1 Starter, 2
 * Trial.
 */
const rowsOfTheFirstEdition = [
  `insert into service_state (currency, secret_key_check, audit_count, created_at) values ('USD', 'x', 8, ${day(1)})`,
  `insert into accounts (username, display_name, search_text, group_name, is_admin, balance_cents, order_count,
      customer_count, entry_count, halted_at, created_at) values
    ('admin', 'Admin', 'admin', 'distributor', true, 0, 0, 0, 0, null, ${day(1)}),
    ('old', 'Old', 'old', 'reseller', false, 6400, 4, 4, 5, null, ${day(1)}),
    ('odd', 'Odd', 'odd', 'reseller', false, 0, 0, 2, 0, ${day(20)}, ${day(1)})`,
  `insert into packages (name, features, limit_accounts, limit_posts_per_day, limit_ai_images_per_month, duration_days,
      is_trial, created_at) values
    ('Starter', '{}', 1, 1, 1, 30, false, ${day(1)}), ('Trial', '{}', 1, 1, 1, 3, true, ${day(1)})`,
  `insert into customer_references (reference, account_id, customer_number) values
    ('ada@example.com', 2, 1), ('grace', 2, 2), ('same', 2, 3), ('skewed', 2, 4),
    ('unnoted', 3, 1), ('quiet', 3, 2)`,
  `insert into customers (account_id, number, reference, name, status, created_at, package_id, anchor_at, months_run,
      expires_at, paid_periods) values
    (2, 1, 'ada@example.com', 'Ada', 'active', ${day(2)}, 1, ${day(9)}, 1, '2026-02-09T00:00:00Z',
      '{${seconds(9)},${Date.UTC(2026, 1, 9) / 1000},900}'),
    (2, 2, 'grace', 'Grace', 'suspended', ${day(4)}, 1, ${day(4)}, 1, '2026-02-04T00:00:00Z',
      '{${seconds(4)},${Date.UTC(2026, 1, 4) / 1000},900}'),
    (2, 3, 'same', 'same', 'suspended', ${day(14)}, 1, ${day(14)}, 1, '2026-02-14T00:00:00Z',
      '{${seconds(14)},${Date.UTC(2026, 1, 14) / 1000},900}'),
    (2, 4, 'skewed', 'skewed', 'suspended', ${day(15)}, 1, ${day(15)}, 1, '2026-02-15T00:00:00Z',
      '{${seconds(15)},${Date.UTC(2026, 1, 15) / 1000},900}'),
    (3, 1, 'unnoted', 'unnoted', 'active', ${day(5)}, 2, ${day(5)}, 0, ${day(8)}, '{}'),
    (3, 2, 'quiet', 'quiet', 'suspended', ${day(6)}, 2, ${day(6)}, 1, ${day(9)}, '{}')`,
  `insert into orders (account_id, number, customer_number, package_id, months, kind, price_cents, refund_cents,
      balance_after_cents, created_at, expires_at, idempotency_key, fingerprint) values
    (2, 1, 2, 1, 1, 'activate', 900, 0, 9100, ${day(4)}, '2026-02-04T00:00:00Z', 'k1', 'BPI-CEwx2FRkiW8W2io2LN'),
    (2, 2, 1, 1, 1, 'activate', 900, 0, 8200, ${day(9)}, '2026-02-09T00:00:00Z', 'k2', 'FK2duhsUjnsDYRXzFDeGAV'),
    (2, 3, 3, 1, 1, 'activate', 900, 0, 7300, ${day(14)}, '2026-02-14T00:00:00Z', 'k3', 'f3'),
    (2, 4, 4, 1, 1, 'activate', 900, 0, 6400, ${day(15)}, '2026-02-15T00:00:00Z', 'k4', 'f4')`,
  `insert into ledger_entries (account_id, number, kind, amount_cents, balance_after_cents, created_at, order_number,
      actor_id, idempotency_key, fingerprint) values
    (2, 1, 'credit', 10000, 10000, ${day(1)}, null, 1, 'c1', 'Xd0QjU4si2tDBjrB_iEJrl'),
    (2, 2, 'charge', -900, 9100, ${day(4)}, 1, null, null, null),
    (2, 3, 'charge', -900, 8200, ${day(9)}, 2, null, null, null),
    (2, 4, 'charge', -900, 7300, ${day(14)}, 3, null, null, null),
    (2, 5, 'charge', -900, 6400, ${day(15)}, 4, null, null, null)`,
  `insert into audit_log (number, at, actor_id, action, subject, before, after) values
    (1, ${day(2)}, 1, 'customer.grant_trial', 'customer ada@example.com', null,
      '{"account_id": 2, "package_id": 2, "expires_at": ${seconds(5)}}'),
    (2, ${day(5)}, 1, 'customer.update', 'customer 2000000002', '{"status": "active"}', '{"status": "suspended"}'),
    (3, ${day(10)}, 1, 'customer.update', 'customer 2000000002', '{"status": "suspended"}', '{"status": "active"}'),
    (4, ${day(11)}, 1, 'customer.update', 'customer 2000000002', '{"status": "active"}', '{"status": "active"}'),
    (5, ${day(12)}, 1, 'customer.update', 'customer 2000000002', '{"status": "active"}', '{"status": "suspended"}'),
    (6, ${day(13)}, 1, 'account.update', 'account 2', '{}', '{}'),
    (7, ${day(14)}, 1, 'customer.update', 'customer 2000000003', '{"status": "active"}', '{"status": "suspended"}'),
    (8, '2026-01-14T23:59:59Z', 1, 'customer.update', 'customer 2000000004', '{"status": "active"}',
      '{"status": "suspended"}')`,
];
