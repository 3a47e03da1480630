// npm run bench:business [-- --customers N] [--accounts N] [--rounds N]: the figures of a business of five years on PostgreSQL.
// Writes the orders by SQL, lets the service's job sum them up, then asks for each figure of the page "Business" as the page
// does, and prints the median and the slowest answer. Only the business figures are measured, not the ledger's.

import { parseArgs } from 'node:util';
import { createPlanSums } from '../src/features/business/plan-sums.ts';
import { connectDatabase } from '../src/setup/open-database.ts';
import { createPostgresShopDatabase } from './bench-database.ts';
import { wholeNumber } from './bench-options.ts';
import { openShop, prepareShop } from './bench-shop.ts';
import { closeOnInterrupt, openStage, type Stage } from './bench-stage.ts';
import { median } from './figures.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '1000000' },
    accounts: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '20' },
  },
});
const customers = wholeNumber('--customers', values.customers, 1_000, 10_000_000);
const accounts = wholeNumber('--accounts', values.accounts, 2, 10_000);
const rounds = wholeNumber('--rounds', values.rounds, 1, 1_000);
const databaseName = 'business';
const years = 5;

/** As the page asks: five years with the five before, the packages, cohorts, the forecast and the accounts. */
const paths = [
  '/business?months=120',
  '/business?months=60',
  '/business/cohorts?months=60',
  '/business/forecast',
  '/business/accounts?sort=runs_out_on',
  '/business/accounts?sort=mrr',
  '/business?months=120&account_id=',
];

const accountsAtOnce = 20;

/**
 * Each customer orders one package, for 1, 3 or 12 months, and again at each end while they stay. Most stay for some terms, and
 * new ones come evenly over the years. `md5` gives the same shop each time.
 */
const insertOrders = `
  with customer as (
    select id, c, ('x' || substr(md5(id || '-' || c), 1, 7))::bit(28)::int as drawn
    from unnest($1::int[]) id, generate_series(1, $2::int) c),
  kind as (
    select id, c, drawn, drawn % 3 + 1 as package, (array[1, 1, 3, 12])[drawn / 3 % 4 + 1] as months,
      now() - make_interval(secs => (drawn / 12 % 1000) * $3::int * 31536) as began, drawn / 12000 % 8 as stays
    from customer),
  term as (
    select k.*, place, began + make_interval(months => (place * months)::int) as at,
      began + make_interval(months => ((place + 1) * months)::int) as ends
    from kind k, generate_series(0, case when k.months = 1 then k.stays * 2 else k.stays end) place)
  insert into orders (account_id, number, customer_number, package_id, months, kind, price_cents, refund_cents,
    balance_after_cents, created_at, expires_at, idempotency_key, fingerprint)
  select id, row_number() over (partition by id order by at, c, place), c, package, months,
    case when place = 0 then 'activate' else 'renew' end, package * 900 * months, 0, 0,
    date_trunc('second', at), date_trunc('second', ends), md5(id || '-' || c || '-' || place), 'bench'
  from term where at < now()`;

const stage = await openStage({ max_wal_size: '4GB' });
const isInterrupted = closeOnInterrupt(() => stage.close());
try {
  await measure(stage);
} catch (error) {
  // An interruption breaks the run, so errors after it mean nothing.
  if (!isInterrupted()) throw error;
} finally {
  if (!isInterrupted()) await stage.close();
}

async function measure({ query }: Stage): Promise<void> {
  say(`Preparing ${accounts} accounts on PostgreSQL …`);
  const database = await createPostgresShopDatabase(stage, databaseName);
  const plan = await prepareShop(stage, database, { count: accounts });
  const ids = plan.accounts.map(({ id }) => id);
  say(`Writing the orders of ${customers} customers …`);
  const each = Math.ceil(customers / ids.length);
  for (let at = 0; at < ids.length; at += accountsAtOnce) {
    await query(databaseName, insertOrders, [ids.slice(at, at + accountsAtOnce), each, years]);
    process.stdout.write(`\r  ${Math.min(ids.length, at + accountsAtOnce)} of ${ids.length} accounts`);
  }
  process.stdout.write('\n');
  const counted = `update accounts a set order_count = o.orders from (
      select account_id, count(*)::int as orders from orders group by 1) o where o.account_id = a.id`;
  await query(databaseName, counted);
  await query(databaseName, 'vacuum (analyze) orders');
  const [total] = await query(databaseName, 'select count(*)::int as orders from orders');
  const orders = Number(total?.['orders']);
  say(`Summing ${orders} orders up, as the job of the service does …`);
  const connected = await connectDatabase({
    database: { kind: 'postgres', connectionString: database.environment['DATABASE_URL'] ?? '' },
  });
  const began = performance.now();
  await createPlanSums(connected).bringAllUpToDate();
  const seconds = (performance.now() - began) / 1000;
  await connected.close();
  await query(databaseName, 'vacuum (analyze)');
  await query(databaseName, 'checkpoint');
  const [rows] = await query(
    databaseName,
    `select (select count(*)::int from plan_sums) as plans, (select count(*)::int from cohort_sums) as cohorts,
      (select count(*)::int from plan_totals) as totals`,
  );
  say(
    `${Math.round(orders / seconds)} orders a second; ${rows?.['plans']} rows of plans, ${rows?.['cohorts']} of cohorts, ${rows?.['totals']} of totals`,
  );
  const shop = await openShop(stage, database, plan);
  for (const path of paths) {
    const asked = path.endsWith('=') ? `${path}${ids[0]}` : path;
    const times: number[] = [];
    for (let round = -3; round < rounds; round += 1) {
      const start = performance.now();
      const answer = await fetch(`${shop.address}/api/admin/v1${asked}`, {
        headers: { authorization: `Bearer ${plan.adminKey}` },
      });
      const text = await answer.text();
      if (!answer.ok || !text.includes('"ready":true')) throw new Error(`${asked}: ${answer.status} ${text}`);
      // The first ones compile the code and fill the caches.
      if (round >= 0) times.push(performance.now() - start);
    }
    const [middle, slowest] = [median(times), Math.max(...times)].map((time) => time.toFixed(0));
    say(`${asked}: ${middle} ms, slowest ${slowest} ms`);
  }
  await shop.stop();
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
