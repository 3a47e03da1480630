// Finds one customer, a customer's last order, and plans that end soon. Lists are in list-customers.ts.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import { isTestAccount, type OwnedId, realAccountIdMax } from '../../shared/identifiers.ts';
import type { Months } from '../../shared/periods.ts';
import { expectMonths } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type Customer, shownCustomers } from '../order-engine/records/customer-table.ts';
import { heldPlans, packagesWithHolds, runFromRow } from '../order-engine/records/held-plans.ts';
import type { Package } from '../packages/package-catalog.ts';
import type { Run } from '../packages/price-rules.ts';

const rangeRows = 2_000;

const findOwn: SqlStatement = {
  name: 'find_customer_number',
  text: `select customer_number from customer_references where reference = $2 and account_id = $1::int`,
};

const findPlaces: SqlStatement = {
  name: 'find_customer_places',
  text: 'select reference, account_id, customer_number from customer_references where reference = any($1::text[])',
};

const findOwnOfTest: SqlStatement = {
  name: 'find_test_customer_number',
  text: `select customer_number from test_customer_references where reference = $2 and account_id = $1::int`,
};

/** With accounts on several servers, references have their own index there. */
const findOwnApart: SqlStatement = {
  name: 'find_customer_number_apart',
  text: `select number as customer_number from customers where reference = $2 and account_id = $1::int
    union all select customer_number from former_references where reference = $2 and account_id = $1::int`,
};

const isEnding = `c.account_id = $1::int and c.expires_at > to_timestamp($2::bigint)
      and c.expires_at <= to_timestamp($3::bigint)`;

const listEnding: SqlStatement = {
  name: 'list_ending_customers',
  text: `select ${shownCustomers.list('c')} from customers c where ${isEnding} order by c.expires_at, c.number limit $4::int`,
};

const held = heldPlans('o.months', '$4');

// Counts ending plans by package and months, up to a limit of rows. Months are null if a paid order is pending, because then
// there is no renewal to pay for.
const countEnding: SqlStatement = {
  name: 'count_ending_customers',
  text: `with edge as (
      select coalesce((select c.expires_at from customers c where ${isEnding} order by c.expires_at offset ${rangeRows - 1} limit 1),
        to_timestamp($3::bigint)) as at)
    select c.package_id, case when c.pending_order is null then o.months end as months, ${held.columns}, count(*) as customers,
      edge.at as counted_to
    from edge join customers c on c.account_id = $1::int and c.expires_at > to_timestamp($2::bigint)
      and c.expires_at <= edge.at
    left join orders o on o.account_id = c.account_id and o.number = c.last_order
    ${held.join}
    group by 1, 2, ${held.groups}, edge.at`,
};

const countEndingOfAll: SqlStatement = {
  name: 'count_ending_of_all',
  text: `select coalesce(sum(ending.customers), 0)::bigint as customers
    from accounts a cross join lateral (
      select count(*) as customers from customers c
      where c.account_id = a.id and c.expires_at > to_timestamp($1::bigint)
        and c.expires_at <= to_timestamp($2::bigint)) ending
    where a.id <= ${realAccountIdMax}`,
};

const findNumbered: SqlStatement = {
  name: 'find_numbered_customers',
  text: `select ${shownCustomers.list('c')}
    from unnest($2::int[]) wanted (number) join customers c on c.account_id = $1::int and c.number = wanted.number`,
};

const findLastOrder: SqlStatement = {
  name: 'find_last_order',
  text: `select number from orders where account_id = $1::int and customer_number = $2::int
    order by customer_number desc, number desc limit 1`,
};

export async function findCustomerNumber(
  database: Queryable,
  accountId: number,
  reference: string,
): Promise<number | null> {
  const together = isTestAccount(accountId) ? findOwnOfTest : findOwn;
  const statement = { together, apart: findOwnApart };
  const [row] = await queryShards(database, statement, [accountId, reference], { account: accountId });
  return nullable(Number, row?.['customer_number']);
}

export async function findCustomerPlaces(
  database: Queryable,
  references: readonly string[],
): Promise<ReadonlyMap<string, OwnedId>> {
  if (references.length === 0) return new Map();
  const rows = await database.query(findPlaces, [textArray([...new Set(references)])]);
  return new Map(
    rows.map((row) => [
      String(row['reference']),
      { accountId: Number(row['account_id']), number: Number(row['customer_number']) },
    ]),
  );
}

/** null if the customer has only had a trial. */
export async function findLastOrderNumber(
  database: Queryable,
  { accountId, number }: Pick<Customer, 'accountId' | 'number'>,
): Promise<number | null> {
  const [row] = await database.ofAccount(accountId).query(findLastOrder, [accountId, number]);
  return nullable(Number, row?.['number']);
}

export async function findNumberedCustomers(
  database: Queryable,
  accountId: number,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Customer>> {
  const rows = await database
    .ofAccount(accountId)
    .query(findNumbered, [accountId, numberArray([...new Set(numbers)])]);
  return new Map(
    rows.map((row) => {
      const customer = shownCustomers.parse(row);
      return [customer.number, customer];
    }),
  );
}

export interface EndingPlans {
  readonly customers: readonly Customer[];
  /** Counts customers by package, by the months of their last order (null without an order), and by `run`. */
  readonly counts: readonly {
    readonly packageId: number;
    readonly months: Months | null;
    readonly run: Run | null;
    readonly customers: number;
  }[];
}

export async function findEndingPlans(
  database: Queryable,
  accountId: number,
  {
    now,
    until,
    limit,
    packages,
  }: {
    readonly now: EpochSeconds;
    readonly until: EpochSeconds;
    readonly limit: number;
    readonly packages: Iterable<Package>;
  },
): Promise<EndingPlans> {
  const [customers, counts] = await Promise.all([
    database.ofAccount(accountId).query(listEnding, [accountId, now, until, limit]),
    countEndingPlans(database, accountId, { now, until, withHolds: packagesWithHolds(packages) }),
  ]);
  return { customers: customers.map((row) => shownCustomers.parse(row)), counts };
}

async function countEndingPlans(
  database: Queryable,
  accountId: number,
  {
    now,
    until,
    withHolds,
  }: { readonly now: EpochSeconds; readonly until: EpochSeconds; readonly withHolds: string },
): Promise<EndingPlans['counts']> {
  const counts: EndingPlans['counts'][number][] = [];
  for (let after: EpochSeconds | null = now; after !== null; ) {
    const rows: readonly Row[] = await database
      .ofAccount(accountId)
      .query(countEnding, [accountId, after, until, withHolds]);
    for (const row of rows) {
      const packageId = Number(row['package_id']);
      const months = nullable((value) => expectMonths(Number(value)), row['months']);
      counts.push({ packageId, months, run: runFromRow(row), customers: Number(row['customers']) });
    }
    const countedTo = Number(rows[0]?.['counted_to'] ?? until);
    after = countedTo < until ? countedTo : null;
  }
  return counts;
}

export async function countEndingPlansOfAll(
  database: Queryable,
  now: EpochSeconds,
  until: EpochSeconds,
): Promise<number> {
  const counted = await queryShards(database, countEndingOfAll, [now, until], 'every');
  return counted.reduce((sum, row) => sum + Number(row['customers']), 0);
}
