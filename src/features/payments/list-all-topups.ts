// The top-ups of all accounts, newest first, for administrators.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { TopupStatus } from '../../shared/topup-words.ts';
import type { TopupFilter } from './topup-store.ts';
import { type ListedTopup, listedTopups, parseListedTopup } from './topup-table.ts';

export interface OwnedTopup {
  readonly topup: ListedTopup;
  readonly username: string;
}

export interface AllTopupsFilter extends Omit<TopupFilter, 'status'> {
  readonly accountId: number | null;
  readonly statuses: readonly TopupStatus[] | null;
  readonly creditedSince: EpochSeconds | null;
  readonly refundedSince: EpochSeconds | null;
  readonly disputedSince: EpochSeconds | null;
}

/** The place of a top-up in the list. */
export interface TopupPlace {
  readonly createdAt: EpochSeconds;
  readonly accountId: number;
  readonly number: number;
}

const list: SqlStatement = {
  name: 'list_all_topups',
  text: `select t.*, a.username from ${listedTopups} join accounts a on a.id = t.account_id
    where t.account_id <= ${realAccountIdMax} and ($1::int is null or t.account_id = $1::int)
      and ($2::text[] is null or t.status = any($2::text[])) and ($3::text is null or t.method = $3::text)
      and t.created_at >= to_timestamp($4::bigint) and t.created_at < to_timestamp($5::bigint)
      and ($10::bigint is null or t.credited_at >= to_timestamp($10::bigint))
      and ($11::bigint is null or t.refunded_at >= $11::bigint) and ($12::bigint is null or t.disputed_at >= $12::bigint)
      and (t.created_at, t.account_id, t.number) < (to_timestamp($6::bigint), $7::int, $8::int)
    order by t.created_at desc, t.account_id desc, t.number desc limit $9::int`,
};

export async function listAllTopups(
  database: Queryable,
  filter: AllTopupsFilter,
  { below, limit }: { readonly below: TopupPlace; readonly limit: number },
): Promise<OwnedTopup[]> {
  const { accountId, statuses, method, since, until } = filter;
  const { creditedSince, refundedSince, disputedSince } = filter;
  const place = [below.createdAt, below.accountId, below.number];
  const wanted = statuses === null ? null : textArray(statuses);
  const sinces = [creditedSince, refundedSince, disputedSince];
  const values = [accountId, wanted, method, since, until, ...place, limit, ...sinces];
  const first = { columns: ['created_at', 'account_id', 'number'], descending: true, limit };
  const rows = await queryShards(database, list, values, { first });
  return rows.map((row) => ({ topup: parseListedTopup(row), username: String(row['username']) }));
}
