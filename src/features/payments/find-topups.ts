// Finds top-ups by payment reference and sums them, for the console.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { bigint } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import { parseRealOwnedId, realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findAccountNames } from '../identity/account-names.ts';
import { accountIdOfReference } from './bank/rf-reference.ts';
import type { OwnedTopup } from './list-all-topups.ts';
import type { AllTopupsFilter } from './read-topups.ts';
import { findTopup } from './topup-store.ts';

const foundMax = 10;

// References are unique within an account, so this reads the index once per account. There are thousands of accounts.
const findByReference: SqlStatement = {
  name: 'find_payments_of_reference',
  text: `select p.account_id, p.topup_number from accounts a cross join lateral (
      select account_id, topup_number from payments
      where account_id = a.id and payment_ref = any($1::text[]) offset 0) p
    where a.id <= ${realAccountIdMax} limit ${foundMax}`,
};

/** The account that a bank reference belongs to. All of its transfers carry the same one. */
export function accountOfReference(typed: string): number | null {
  return accountIdOfReference(typed.replace(/[\s.-]/g, '').toUpperCase());
}

/** Finds top-ups by their own id or by the provider's payment id. */
export async function findTopupsOf(
  database: Database,
  typed: string,
  filter: AllTopupsFilter,
): Promise<OwnedTopup[]> {
  const rows = await queryShards(
    database,
    findByReference,
    [textArray([typed, `stripe:${typed}`, `bank:${typed}`])],
    'every',
  );
  const id = parseRealOwnedId(typed);
  const places = [
    ...(id === null ? [] : [id]),
    ...rows.map((row) => ({ accountId: Number(row['account_id']), number: Number(row['topup_number']) })),
  ].slice(0, foundMax);
  const topups = await Promise.all(
    places.map(({ accountId, number }) => findTopup(database, accountId, number)),
  );
  const found = topups.flatMap((topup) => (topup === null ? [] : [topup]));
  const names = await findAccountNames(
    database,
    found.map(({ accountId }) => accountId),
  );
  const { accountId, status, method, since, until } = filter;
  return found
    .filter(
      (topup) =>
        (accountId === null || topup.accountId === accountId) &&
        (status === null || topup.status === status) &&
        (method === null || topup.method === method) &&
        topup.createdAt >= since &&
        topup.createdAt < until,
    )
    .map((topup) => ({ topup, username: names.get(topup.accountId) ?? '' }));
}

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
  readonly pending: Sum;
  readonly failed: Sum;
  readonly failedDays: number;
  readonly owed: Sum;
  /** Only the newest `summedMax` top-ups are summed. */
  readonly isCut: boolean;
}

export async function sumTopupsOfAll(
  database: Database,
  { now, monthStart }: { readonly now: EpochSeconds; readonly monthStart: EpochSeconds },
): Promise<TopupSums> {
  const from = monthStart - daysBeforeMonth * 86_400;
  const [recent, owing] = await Promise.all([
    queryShards(database, sumTopups, [from, monthStart, now - failedDays * 86_400], 'every'),
    queryShards(database, sumOwed, [], 'every'),
  ]);
  const sum = (rows: typeof recent, prefix: string): Sum => ({
    count: rows.reduce((all, row) => all + Number(row[`${prefix}count`]), 0),
    cents: rows.reduce((all, row) => all + bigint(row[`${prefix}cents`]), 0n),
  });
  return {
    credited: sum(recent, 'credited_'),
    pending: sum(recent, 'pending_'),
    failed: sum(recent, 'failed_'),
    failedDays,
    owed: sum(owing, ''),
    isCut: recent.some((row) => row['is_cut'] === true),
  };
}
