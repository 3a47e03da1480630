// Sums the top-ups of all accounts for the console, and lists those of a sum.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { bigint } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import { dayOf, type EpochSeconds } from '../../shared/times.ts';
import type { AllTopupsFilter } from './list-all-topups.ts';

const summedMax = 50_000;
/** Transfers may be credited a month after they were asked for. */
const daysBeforeMonth = 31;
const failedDays = 30;

const sumTopups: SqlStatement = {
  name: 'sum_recent_topups',
  text: `select count(*) >= ${summedMax} as is_cut,
      count(*) filter (where credited_at >= to_timestamp($2::bigint)) as credited_count,
      coalesce(sum(amount_cents) filter (where credited_at >= to_timestamp($2::bigint)), 0)::bigint as credited_cents,
      count(*) filter (where credited_at is null and status in ('open', 'processing')) as pending_count,
      coalesce(sum(amount_cents) filter (where credited_at is null and status in ('open', 'processing')), 0)::bigint as pending_cents,
      count(*) filter (where is_failed) as failed_count,
      coalesce(sum(amount_cents) filter (where is_failed), 0)::bigint as failed_cents
    from (
      select t.status, t.amount_cents, p.created_at as credited_at,
        p.created_at is null and t.status = 'failed' and t.created_at >= to_timestamp($3::bigint) as is_failed
      from (
        select * from topups where created_at >= to_timestamp($1::bigint) and account_id <= ${realAccountIdMax}
        order by created_at desc, account_id desc, number desc limit ${summedMax}) t
      left join payments p on p.account_id = t.account_id and p.topup_number = t.number) t`,
};

// Few payments go back, so this reads all reversals of each account. A dispute may come months after its payment.
const sumReversals: SqlStatement = {
  name: 'sum_recent_reversals',
  text: `select r.kind = 'dispute' as is_dispute, count(distinct (r.account_id, r.topup_number)) as count,
      sum(r.amount_cents)::bigint as cents
    from accounts a join reversals r on r.account_id = a.id
    where a.id <= ${realAccountIdMax} and r.reinstated_at is null and r.created_at >= to_timestamp($1::bigint) group by 1`,
};

const sumOwed: SqlStatement = {
  name: 'sum_receivables',
  text: `select count(*) as count, coalesce(sum(receivable_cents), 0)::bigint as cents
    from accounts where test_of is null and receivable_cents > 0`,
};

interface Sum {
  readonly count: number;
  readonly cents: bigint;
}

export interface TopupSums {
  /** Since the start of the UTC month. */
  readonly credited: Sum;
  /** What went back in that month and stays away, of payments of any time. `count`: of top-ups. */
  readonly refunded: Sum;
  readonly disputed: Sum;
  readonly pending: Sum;
  readonly failed: Sum;
  readonly failedDays: number;
  readonly owed: Sum;
  /** Only the newest `summedMax` top-ups are summed. */
  readonly isCut: boolean;
}

function sumSpans(now: EpochSeconds) {
  const month = Date.parse(`${dayOf(now).slice(0, 7)}-01`) / 1000;
  return { month, from: month - daysBeforeMonth * 86_400, failedFrom: now - failedDays * 86_400 };
}

export const topupGroups = [
  'credited_this_month',
  'refunded_this_month',
  'disputed_this_month',
  'pending',
  'recently_failed',
] as const;
export type TopupGroup = (typeof topupGroups)[number];

/** The filter that lists exactly the top-ups of a sum. */
export function filterOfGroup(
  filter: AllTopupsFilter,
  group: TopupGroup,
  now: EpochSeconds,
): AllTopupsFilter {
  const { month, from, failedFrom } = sumSpans(now);
  const recent = { ...filter, since: Math.max(filter.since, from) };
  switch (group) {
    case 'credited_this_month':
      return { ...recent, creditedSince: month };
    case 'refunded_this_month':
      return { ...filter, refundedSince: month };
    case 'disputed_this_month':
      return { ...filter, disputedSince: month };
    case 'pending':
      return { ...recent, statuses: ['open', 'processing'] };
    case 'recently_failed':
      return { ...filter, since: Math.max(filter.since, failedFrom), statuses: ['failed'] };
  }
}

export async function sumTopupsOfAll(database: Database, now: EpochSeconds): Promise<TopupSums> {
  const { month, from, failedFrom } = sumSpans(now);
  const [recent, reversed, owing] = await Promise.all([
    queryShards(database, sumTopups, [from, month, failedFrom], 'every'),
    queryShards(database, sumReversals, [month], 'every'),
    queryShards(database, sumOwed, [], 'every'),
  ]);
  const centsOf = (rows: typeof recent, name: string) =>
    rows.reduce((all, row) => all + bigint(row[name]), 0n);
  const sum = (rows: typeof recent, prefix: string): Sum => ({
    count: rows.reduce((all, row) => all + Number(row[`${prefix}count`]), 0),
    cents: centsOf(rows, `${prefix}cents`),
  });
  return {
    credited: sum(recent, 'credited_'),
    refunded: sum(
      reversed.filter((row) => row['is_dispute'] !== true),
      '',
    ),
    disputed: sum(
      reversed.filter((row) => row['is_dispute'] === true),
      '',
    ),
    pending: sum(recent, 'pending_'),
    failed: sum(recent, 'failed_'),
    failedDays,
    owed: sum(owing, ''),
    isCut: recent.some((row) => row['is_cut'] === true),
  };
}
