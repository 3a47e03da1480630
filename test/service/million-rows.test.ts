// A huge account: a page of a filtered list reads a bounded number of rows, no matter how few match. `npm test` inserts some
// ten thousand rows, `npm run proof` a million (PROOF_ROWS).

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { indexCustomerTerms } from '../../src/features/customers/customer-search-terms.ts';
import {
  type CustomerFilter,
  everyCustomer,
  findCustomers,
} from '../../src/features/customers/list-customers.ts';
import { createDailyTotals } from '../../src/features/ledger/daily-totals.ts';
import { indexFacets } from '../../src/features/ledger/facet-index.ts';
import { findEntriesDown } from '../../src/features/ledger/find-entries.ts';
import { findAllOrders } from '../../src/features/orders/list-all-orders.ts';
import { findOrders, type OrderFilter } from '../../src/features/orders/list-orders.ts';
import { createOrderTimes } from '../../src/features/orders/order-times.ts';
import type { Database, Queryable, Row, SqlStatement } from '../../src/platform/database/database.ts';
import { queryableOf } from '../harness/queryable-of.ts';

const rows = Number(process.env['PROOF_ROWS'] ?? 30_000);
const rare = rows / 10;
const begins = Date.UTC(2024, 0, 1) / 1000;
/** How many rows a page may read from any index or table, including joins. */
const rowsReadMax = 25_000;

const pagesWalked = 60;

let service: TestService;
let account: TestAccount;
before(async () => {
  service = await startTestService();
  account = await service.createReseller({ credit: '1.00' });
  await fill();
});
after(async () => {
  await empty();
  await service.close();
});

test('a page of a filtered list reads a bounded number of rows, however few fit, and the pages hold all that do', async (context) => {
  const database = service.database;
  const anyOrder = {
    from: 1,
    to: rows,
    customerNumber: null,
    kind: null,
    packageId: null,
    since: 0,
    until: 4e9,
  };
  const noTime = { since: 0, until: 4e9 };
  const anyCustomer: CustomerFilter = { ...everyCustomer, now: begins + rows * 15 };
  const orders = (filter: Partial<OrderFilter>) => async (by: Queryable, position: string | null) => {
    const found = await findOrders(by, account.id, {
      ...anyOrder,
      ...filter,
      to: position === null ? rows : Number(position) - 1,
      limit: 25,
    });
    return { items: found.orders, next: found.nextBefore === null ? null : String(found.nextBefore) };
  };
  const entries = (kind: 'charge' | 'credit' | 'debit') => async (by: Queryable, position: string | null) => {
    const to = position === null ? rows : Number(position) - 1;
    const found = await findEntriesDown(by, account.id, kind, { from: 1, to, ...noTime, limit: 25 });
    return { items: found.items, next: found.nextBefore === null ? null : String(found.nextBefore) };
  };
  const customers = (filter: Partial<CustomerFilter>) => (by: Queryable, position: string | null) =>
    findCustomers(by, account.id, { ...anyCustomer, ...filter }, position, 25);
  const allOrders =
    (filter: Partial<Parameters<typeof findAllOrders>[1]>) =>
    async (by: Queryable, position: string | null) => {
      const every = { kind: null, packageId: null, status: null, ...noTime };
      const [createdAt = 0, accountId = 0, number = 0] = position?.split('.').map(Number) ?? [];
      const place = position === null ? null : { createdAt, accountId, number };
      const { orders: items, next } = await findAllOrders(by, { ...every, ...filter }, place, 25);
      return { items, next: next && `${next.createdAt}.${next.accountId}.${next.number}` };
    };
  const half = { since: begins + rows * 15, until: begins + rows * 15 + 3_000 };
  const searches = [
    { name: 'orders, change', find: orders({ kind: 'change' }), count: 10, pagesMax: 1 },
    { name: 'orders, package 7', find: orders({ packageId: 7 }), count: 10, pagesMax: 1 },
    {
      name: 'orders, renew, package 7',
      find: orders({ kind: 'renew', packageId: 7 }),
      count: 10,
      pagesMax: 1,
    },
    {
      name: 'orders, change, package 7',
      find: orders({ kind: 'change', packageId: 7 }),
      count: 0,
      pagesMax: 1,
    },
    { name: 'orders, renew', find: orders({ kind: 'renew' }), count: rows - 10, pagesMax: rows / 25 + 1 },
    { name: 'orders of a customer', find: orders({ customerNumber: 77 }), count: 1, pagesMax: 1 },
    { name: 'orders of a key', find: orders({ idempotencyKey: 'k77' }), count: 1, pagesMax: 1 },
    { name: 'all orders', find: allOrders({}), count: rows, pagesMax: rows / 25 + 1 },
    {
      name: 'all orders, package 7',
      find: allOrders({ packageId: 7 }),
      count: 10,
      pagesMax: rows / 10_000 + 2,
      // Each page looks at 10,000 orders.
      walked: rows / 10_000 + 2,
    },
    { name: 'all orders, failed', find: allOrders({ status: 'failed' }), count: 0, pagesMax: 1 },
    {
      name: 'all orders of a time',
      find: allOrders({ since: begins + 3_000, until: begins + 6_000 }),
      count: 100,
      pagesMax: 5,
    },
    { name: 'entries, credit', find: entries('credit'), count: 10, pagesMax: 1 },
    { name: 'entries, debit', find: entries('debit'), count: 0, pagesMax: 1 },
    {
      name: 'customers, a reference',
      find: customers({ start: 'SHOPPER-77' }),
      count: shoppers77(),
      pagesMax: 1_000,
    },
    { name: 'customers, a name', find: customers({ start: 'łukasz' }), count: 10, pagesMax: 1 },
    { name: 'customers, an external_ref', find: customers({ externalRef: 'E-7' }), count: 10, pagesMax: 1 },
    { name: 'customers that end in a time', find: customers({ expires: half }), count: 100, pagesMax: 5 },
    {
      name: 'customers, suspended',
      find: customers({ status: 'suspended' }),
      count: 10,
      pagesMax: 1,
    },
    {
      name: 'customers, package 7',
      find: customers({ packageId: 7 }),
      count: 10,
      pagesMax: rows / 20_000 + 2,
    },
    {
      name: 'customers, active',
      find: customers({ isActive: true }),
      count: rows / 2 - 1,
      pagesMax: rows / 25,
    },
  ];
  for (const { name, find, count, pagesMax, walked = pagesWalked } of searches) {
    const reads = { rows: 0 };
    const counted = countingReads(database, reads);
    let found = 0;
    let pages = 0;
    // If many rows match, the test does not go to the last page.
    for (let position: string | null | undefined; position !== null && pages < walked; pages += 1) {
      reads.rows = 0;
      const page: { items: readonly unknown[]; next: string | null } = await find(
        pages === 0 ? counted : database,
        position ?? null,
      );
      assert.ok(reads.rows <= rowsReadMax, `${name}: ${reads.rows} rows were read for a page`);
      if (pages === 0)
        context.diagnostic(`${name}: ${reads.rows} rows read for the first page of ${page.items.length}`);
      found += page.items.length;
      position = page.next;
    }
    assert.ok(pages <= pagesMax, `${name} takes ${pages} pages`);
    assert.equal(found, Math.min(count, walked * 25), name);
  }
});

test('each filter of the API answers over them', async () => {
  const paths = [
    '/orders?limit=25',
    '/orders?kind=change',
    '/orders?kind=renew',
    '/orders?package_id=7',
    '/orders?kind=renew&package_id=7',
    '/orders?customer=shopper-77',
    '/orders?idempotency_key=k77',
    '/orders?created_from=2024-01-02&created_to=2024-01-03',
    '/orders?kind=change&created_from=2024-01-02',
    '/ledger?limit=25',
    '/ledger?kind=credit',
    '/ledger?created_to=2024-01-03',
    '/customers?limit=25',
    '/customers?q=shopper-77',
    '/customers?external_ref=E-7',
    '/customers?expires_from=2024-01-02',
    '/customers?active=true',
    '/customers?active=false',
    '/customers?package_id=7',
    '/customers?status=suspended',
  ];
  for (const path of paths) {
    const answer = await account.get(path);
    assert.equal(answer.status, 200, answer.text);
  }
});

function shoppers77(): number {
  let count = 0;
  for (let from = 77, to = 77; from <= rows; from *= 10, to = to * 10 + 9) {
    count += Math.min(to, rows) - from + 1;
  }
  return count;
}

function countingReads(database: Database, reads: { rows: number }): Queryable {
  return queryableOf(
    async (statement: SqlStatement, values: readonly unknown[] = []): Promise<readonly Row[]> => {
      const [plan] = await database.query(
        { name: '', text: `explain (analyze, timing off, format json) ${statement.text}` },
        values,
      );
      const text = plan?.['QUERY PLAN'];
      const [{ Plan: root }] = typeof text === 'string' ? JSON.parse(text) : text;
      reads.rows += rowsOf(root);
      return database.query(statement, values);
    },
  );
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

function rowsOf(node: PlanNode): number {
  const { Plans = [], 'Actual Rows': kept, 'Actual Loops': loops, 'Rows Removed by Filter': gone = 0 } = node;
  const own = node['Relation Name'] === undefined ? 0 : (kept + gone) * loops;
  return Plans.map(rowsOf).reduce((sum, each) => sum + each, own);
}

async function fill(): Promise<void> {
  const { id } = account;
  await patiently(async (sql) => {
    await sql(`insert into customers (account_id, number, reference, name, status, created_at, package_id, anchor_at,
        months_run, expires_at, paid_periods, external_ref)
      select ${id}, n, 'shopper-' || n, case n % ${rare} when 3 then 'Łukasz ' || n else 'Name ' || n end,
        case n % ${rare} when 5 then 'suspended' else 'active' end, to_timestamp(${begins} + n), case n % ${rare} when 7 then 7 else 1 end,
        to_timestamp(${begins} + n), 1, to_timestamp(${begins} + n * 30), '{}', case n % ${rare} when 9 then 'E-7' end
      from generate_series(1, ${rows}) n`);
    await sql(`insert into customer_references (reference, account_id, customer_number)
      values ('shopper-77', ${id}, 77)`);
    await sql(`insert into orders (account_id, number, customer_number, package_id, months, kind, price_cents,
        refund_cents, balance_after_cents, created_at, expires_at, idempotency_key, fingerprint)
      select ${id}, n, n, case n % ${rare} when 7 then 7 else 1 end, 1, case n % ${rare} when 5 then 'change' else 'renew' end,
        0, 0, 0, to_timestamp(${begins} + n * 30), now(), 'k' || n, '' from generate_series(1, ${rows}) n`);
    await sql(`insert into ledger_entries (account_id, number, kind, amount_cents, balance_after_cents, created_at, order_number)
      select ${id}, n + 1, case n % ${rare} when 0 then 'credit' else 'charge' end, 0, 0, to_timestamp(${begins} + n * 30),
        case n % ${rare} when 0 then null else n end from generate_series(1, ${rows}) n`);
    await sql(
      `update accounts set order_count = ${rows}, customer_count = ${rows}, entry_count = ${rows} + 1 where id = ${id}`,
    );
  });
  await service.database.query({ name: '', text: 'analyze' });
  assert.equal(await indexFacets(service.database), 0);
  assert.equal(await indexCustomerTerms(service.database), 0);
  await createDailyTotals(service.database).bringAllUpToDate();
  await createOrderTimes(service.database).bringAllUpToDate();
}

async function empty(): Promise<void> {
  const { id } = account;
  await patiently(async (sql) => {
    for (const table of ['orders', 'ledger_entries']) {
      await sql(`alter table ${table} disable trigger user`);
      await sql(
        `delete from ${table} where account_id = ${id} ${table === 'orders' ? '' : 'and number > 1'}`,
      );
      await sql(`alter table ${table} enable trigger user`);
    }
    for (const table of [
      'customers',
      'customer_references',
      'ledger_days',
      'ledger_day_marks',
      'order_times',
      'order_time_marks',
    ]) {
      await sql(`delete from ${table} where account_id = ${id}`);
    }
    await sql(`update accounts set order_count = 0, customer_count = 0, entry_count = 1 where id = ${id}`);
  });
}

function patiently(work: (sql: (text: string) => Promise<unknown>) => Promise<void>): Promise<void> {
  return service.database.ofAccount(account.id).transaction(
    async (transaction) => {
      const sql = (text: string) => transaction.query({ name: '', text });
      await sql('set local statement_timeout = 0');
      await work(sql);
    },
    { timeoutMilliseconds: 600_000 },
  );
}
