// Dashboard counts of an account's customers. They read an index and are bounded.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import type { BoundedCount } from '../../shared/list-schemas.ts';
import type { EpochSeconds } from '../../shared/times.ts';

const countedMax = 5_000;
/** How many of the newest plan changes are searched for failed renewals. */
const changesMax = 2_000;
const failuresShownMax = 5;

const counting = (name: string, fits: string, ordered: string): SqlStatement => ({
  name,
  text: `select count(*)::int as count from (
      select 1 from customers c where c.account_id = $1::int and ${fits} order by ${ordered} limit ${countedMax + 1}) counted`,
});

const countRunning = counting(
  'count_running_customers',
  'c.expires_at > to_timestamp($2::bigint)',
  'c.expires_at',
);
const countEnded = counting(
  'count_ended_customers',
  'c.expires_at <= to_timestamp($2::bigint)',
  'c.expires_at desc',
);
const countSuspended = counting('count_suspended_customers', `c.status = 'suspended'`, 'c.number');

// Reads only the newest changes, which are numbered in time order. Excludes customers whose renewal succeeded later.
const listFailures: SqlStatement = {
  name: 'list_failed_renewals',
  text: `select c.number, c.reference, c.name, c.renew_failure, max(p.created_at) as failed_at, count(*) over ()::int as failed,
      max(p.looked) as looked
    from (
      select customer_number, kind, created_at, count(*) over () as looked from (
        select customer_number, kind, created_at from plan_changes where account_id = $1::int
        order by number desc limit ${changesMax}) newest
      where created_at >= to_timestamp($2::bigint)) p
    join customers c on c.account_id = $1::int and c.number = p.customer_number and c.renew_failure is not null
    where p.kind = 'renewal_failed'
    group by c.number, c.reference, c.name, c.renew_failure
    order by failed_at desc, c.number limit ${failuresShownMax}`,
};

export interface CustomerCounts {
  readonly running: BoundedCount;
  readonly ended: BoundedCount;
  readonly suspended: BoundedCount;
}

export async function countCustomersByState(
  database: Queryable,
  accountId: number,
  total: number,
  now: EpochSeconds,
): Promise<CustomerCounts> {
  const group = database.ofAccount(accountId);
  const [running, ended, suspended] = await Promise.all([
    group.query(countRunning, [accountId, now]),
    group.query(countEnded, [accountId, now]),
    group.query(countSuspended, [accountId]),
  ]);
  const counts = { running: bounded(running), ended: bounded(ended), suspended: bounded(suspended) };
  // If only one of the two counts is cut off, the total and the other count give its exact value.
  const rest = (other: BoundedCount) => ({ count: Math.max(0, total - other.count), more: false });
  if (counts.running.more && !counts.ended.more) return { ...counts, running: rest(counts.ended) };
  if (counts.ended.more && !counts.running.more) return { ...counts, ended: rest(counts.running) };
  return counts;
}

function bounded([row]: readonly Row[]): BoundedCount {
  const count = Number(row?.['count'] ?? 0);
  return { count: Math.min(count, countedMax), more: count > countedMax };
}

export interface FailedRenewals extends BoundedCount {
  readonly customers: readonly {
    readonly number: number;
    readonly reference: string;
    readonly name: string;
    readonly code: string;
    readonly failedAt: EpochSeconds;
  }[];
}

export async function findFailedRenewals(
  database: Queryable,
  accountId: number,
  since: EpochSeconds,
): Promise<FailedRenewals> {
  const rows = await database.ofAccount(accountId).query(listFailures, [accountId, since]);
  const [first] = rows;
  return {
    count: Number(first?.['failed'] ?? 0),
    more: Number(first?.['looked'] ?? 0) === changesMax,
    customers: rows.map((row) => ({
      number: Number(row['number']),
      reference: String(row['reference']),
      name: String(row['name']),
      code: String(row['renew_failure']),
      failedAt: Number(row['failed_at']),
    })),
  };
}
