// Writes millions of past orders into the service's tables by set-based SQL, exactly as the service would have left them, so
// that `sellthrough verify` finds nothing wrong. Each customer orders again every twenty days: the first order activates the
// plan, the others renew it. Rows of all accounts are mixed in the order of time, with every index in place, so heap and
// indexes are as scattered as in an old service. Then the service's own jobs sum the ledger up and index the lists.

import pg from 'pg';
import { indexCustomerTerms } from '../src/features/customers/customer-search-terms.ts';
import { createDailyTotals } from '../src/features/ledger/daily-totals.ts';
import { indexFacets } from '../src/features/ledger/facet-index.ts';
import { startEmbeddedServer } from '../src/platform/database/embedded/embedded-server.ts';
import { connectDatabase } from '../src/setup/open-database.ts';
import type { ShopDatabase } from './bench-database.ts';
import type { ShopPlan } from './bench-shop.ts';
import type { Stage } from './bench-stage.ts';

export interface AgedHistoryOptions {
  readonly orders: number;
  readonly customers: number;
  readonly packageId: number;
}

export interface AgedHistory {
  /** The number of orders of each of the plan's many accounts. */
  readonly ordersPerAccount: number;
  /** The number of orders of the plan's single account, whose list has a page 10,000. */
  readonly ordersOfSingle: number;
  /** The single account's list has a page 10,000 if pages have this many orders. */
  readonly pageSize: number;
  readonly secondsPerMillion: number;
}

export const deepPage = 10_000;
const pageSizeDefault = 25;
const rowsPerStatement = 250_000;
const intervalSeconds = 20 * 86_400;

/** The accounts must be new: with credit, and without orders. No service may be connected. */
export async function seedAgedHistory(
  stage: Stage,
  database: ShopDatabase,
  plan: ShopPlan,
  { orders, customers, packageId }: AgedHistoryOptions,
): Promise<AgedHistory> {
  const ordersOfSingle = Math.min(deepPage * pageSizeDefault + 1_000, Math.floor(orders / 2));
  const ordersPerAccount = Math.floor((orders - ordersOfSingle) / plan.accounts.length);
  const customersOf = (count: number) => Math.max(1, Math.round((count * customers) / orders));
  const shares = [
    ...plan.accounts.map(({ id }) => ({ id, orders: ordersPerAccount })),
    { id: plan.single.id, orders: ordersOfSingle },
  ].map((share) => ({ ...share, customers: customersOf(share.orders) }));

  const { client, close } = await connectTo(stage, database);
  let seconds: number;
  try {
    // Earlier writes must not be counted as work of this seeding.
    await client.query('checkpoint');
    const began = performance.now();
    // One row per account: its share, the state of its ledger, and the price it pays for one month.
    await client.query(
      `create temp table share as
        select a.id, s.orders, s.customers, a.balance_cents as balance, a.entry_count as entries, p.price_cents as price,
          extract(epoch from now())::bigint - 86400
            - ceil(max(s.orders::numeric / s.customers) over () + 1)::bigint * ${intervalSeconds} as began
        from unnest($1::int[], $2::int[], $3::int[]) s (id, orders, customers)
        join accounts a on a.id = s.id and a.order_count = 0 and a.customer_count = 0
        join package_prices p on p.package_id = $4::int and p.group_name = a.group_name and p.months = 1`,
      [
        shares.map(({ id }) => id),
        shares.map((share) => share.orders),
        shares.map((share) => share.customers),
        packageId,
      ],
    );
    await client.query("set work_mem = '256MB'");
    const slices = Math.ceil(orders / rowsPerStatement);
    for (let slice = 1; slice <= slices; slice += 1) {
      for (const text of [insertCustomers, insertReferences, insertOrders, insertEntries]) {
        await client.query(text(packageId), [slice, slices]);
      }
      process.stdout.write(`\r  ${slice} of ${slices} parts of the aged history`);
    }
    process.stdout.write('\n');
    await client.query(
      `update accounts a set balance_cents = balance - orders::bigint * price, order_count = orders,
        customer_count = customers, entry_count = entries + orders
      from share s where s.id = a.id`,
    );
    seconds = (performance.now() - began) / 1000;
  } finally {
    await close();
  }
  await doPastJobs(database);
  const vacuuming = await connectTo(stage, database);
  try {
    // Autovacuum would have done this in time. The checkpoint keeps these writes out of the first load.
    await vacuuming.client.query('vacuum (analyze)');
    await vacuuming.client.query('checkpoint');
  } finally {
    await vacuuming.close();
  }
  return {
    ordersPerAccount,
    ordersOfSingle,
    pageSize: Math.min(pageSizeDefault, Math.floor(ordersOfSingle / deepPage)),
    secondsPerMillion: seconds / (orders / 1e6),
  };
}

/** Runs the jobs that derive data from orders, entries and customers. The first load would otherwise wait for all of it. */
async function doPastJobs({ environment }: ShopDatabase): Promise<void> {
  const { DATA_DIR: dataDir, DATABASE_URL: connectionString = '' } = environment;
  const database = await connectDatabase({
    database: dataDir === undefined ? { kind: 'postgres', connectionString } : { kind: 'embedded', dataDir },
  });
  try {
    process.stdout.write('  summing and indexing it, as the jobs of the service do\n');
    await createDailyTotals(database).bringAllUpToDate();
    await indexFacets(database);
    await indexCustomerTerms(database);
  } finally {
    await database.close();
  }
}

/** Connects to a server, or to an embedded database that no process has open. */
async function connectTo(stage: Stage, { environment }: ShopDatabase) {
  const dataDir = environment['DATA_DIR'];
  const embedded = dataDir === undefined ? null : await startEmbeddedServer({ dataDir });
  const stream = embedded?.connect();
  const client = new pg.Client(
    stream === undefined
      ? { connectionString: environment['DATABASE_URL'] }
      : { stream: () => stream, user: 'postgres' },
  );
  client.on('error', () => undefined);
  await client.connect();
  const close = stage.later(async () => {
    await client.end();
    await embedded?.close();
  });
  return { client, close };
}

// ---- the statements. They write slice $1 of $2, in which each account has a part of its orders.

const monthsAfter = (anchor: string, months: string) =>
  `((to_timestamp(${anchor}) at time zone 'UTC' + make_interval(months => ${months})) at time zone 'UTC')`;

const sliceOf = (count: string) =>
  `generate_series(s.${count}::bigint * ($1::int - 1) / $2::int + 1, s.${count}::bigint * $1::int / $2::int)`;

/** Order n of an account is from customer (n - 1) mod customers + 1. `place` counts that customer's orders from 0. */
const ordersOfSlice = `share s, ${sliceOf('orders')} n,
  lateral (select (n - 1) / s.customers as place, (n - 1) % s.customers + 1 as customer) c,
  lateral (select s.began + (c.customer - 1) * ${intervalSeconds} / s.customers as anchor) a,
  lateral (select a.anchor + c.place * ${intervalSeconds} as at) t`;

const insertOrders = (packageId: number) => `
  insert into orders (account_id, number, customer_number, package_id, months, kind, price_cents, refund_cents,
    balance_after_cents, created_at, expires_at, idempotency_key, fingerprint)
  select s.id, n, c.customer, ${packageId}, 1, case when c.place = 0 then 'activate' else 'renew' end, s.price, 0,
    s.balance - n * s.price, to_timestamp(t.at), ${monthsAfter('a.anchor', '(c.place + 1)::int')},
    md5('key' || s.id || '-' || n), left(md5('print' || s.id || '-' || n), 22)
  from ${ordersOfSlice} order by t.at, s.id`;

const insertEntries = () => `
  insert into ledger_entries (account_id, number, kind, amount_cents, balance_after_cents, created_at, order_number)
  select s.id, s.entries + n, 'charge', -s.price, s.balance - n * s.price, to_timestamp(t.at), n
  from ${ordersOfSlice} order by t.at, s.id`;

/** Customer c of an account places its order c first, and later `more` others. */
const customersOfSlice = `share s, ${sliceOf('customers')} c,
  lateral (select s.began + (c - 1) * ${intervalSeconds} / s.customers as anchor, (s.orders - c) / s.customers as more) a,
  lateral (select substr(md5(s.id || '-' || c), 1, 8) || '-aged-' || s.id || '-' || c || '@example.com' as reference) r`;

const insertReferences = () => `
  insert into customer_references (reference, account_id, customer_number)
  select r.reference, s.id, c from ${customersOfSlice} order by a.anchor, s.id`;

/** paid_periods holds the terms that had not ended when the customer's newest order was placed. */
const insertCustomers = (packageId: number) => `
  insert into customers (account_id, number, reference, name, created_at, package_id, anchor_at, months_run, expires_at,
    paid_periods)
  select s.id, c, r.reference, r.reference, to_timestamp(a.anchor), ${packageId}, to_timestamp(a.anchor),
    a.more + 1, ${monthsAfter('a.anchor', '(a.more + 1)::int')}, p.periods
  from ${customersOfSlice},
  lateral (
    select array_agg(v.value order by term, v.position) as periods
    from generate_series(0, a.more) term,
      lateral (select extract(epoch from ${monthsAfter('a.anchor', 'term::int')})::bigint as starts,
        extract(epoch from ${monthsAfter('a.anchor', 'term::int + 1')})::bigint as ends) e,
      lateral (values (1, e.starts), (2, e.ends), (3, s.price)) v (position, value)
    where e.ends > a.anchor + a.more * ${intervalSeconds}) p
  order by a.anchor, s.id`;
