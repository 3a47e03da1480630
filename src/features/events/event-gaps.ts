// Event numbers that a restored database skips, because the lost one may have issued them. Readers that have such a number
// get `events_gone` (docs/decisions/0058-after-a-restore.md).
// Invariant: no event has a number inside a gap.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numbersUsedMax, realAccountIdMax, testNumbersUsedMax } from '../../shared/identifiers.ts';

/** Numbers skipped per real account: more events than can occur between a backup and the loss. */
const skippedNumbers = 10_000_000;
/** Fewer for tests, because a test has at most 10,000,000 events in its life. */
const skippedOfTests = 1_000_000;

// Skips at most half of the remaining numbers, so that restores never use them up. Extends a gap that has no later events.
const skip: SqlStatement = {
  name: '',
  text: `with room as (
      select id, coalesce(event_count, 0) as last_number, case when id <= ${realAccountIdMax}
        then least(${skippedNumbers}, (${numbersUsedMax} - coalesce(event_count, 0)) / 2)
        else least(${skippedOfTests}, (${testNumbersUsedMax} - coalesce(event_count, 0)) / 2) end as skipped
      from accounts for update),
    moved as (
      update accounts a set event_count = room.last_number + room.skipped
      from room where a.id = room.id and room.skipped > 1 returning a.id, room.last_number, a.event_count),
    joined as (
      delete from event_gaps g using moved where g.account_id = moved.id and g.last_number + 1 = moved.last_number
      returning g.account_id, g.first_number)
    insert into event_gaps (account_id, first_number, last_number)
    select moved.id, coalesce(joined.first_number, moved.last_number + 1), moved.event_count - 1
    from moved left join joined on joined.account_id = moved.id`,
};

export async function skipEventNumbers(transaction: Queryable): Promise<void> {
  for (const group of transaction.accountGroups()) await group.query(skip);
}

export interface EventGap {
  readonly first: number;
  readonly last: number;
}

const findLast: SqlStatement = {
  name: 'find_last_event_gaps',
  text: `select distinct on (account_id) account_id, first_number, last_number from event_gaps
    where account_id = any($1::int[]) order by account_id, last_number desc`,
};

export async function findLastGaps(
  database: Queryable,
  accountIds: readonly number[],
): Promise<ReadonlyMap<number, EventGap>> {
  if (accountIds.length === 0) return new Map();
  const rows = await queryShards(database, findLast, [], { accounts: accountIds });
  return new Map(
    rows.map((row) => [
      Number(row['account_id']),
      { first: Number(row['first_number']), last: Number(row['last_number']) },
    ]),
  );
}

const countSkipped: SqlStatement = {
  name: 'count_skipped_event_numbers',
  text: `select coalesce(sum(greatest(least(last_number, $3::int) - greatest(first_number, $2::int) + 1, 0)), 0)::bigint as skipped
    from event_gaps where account_id = $1::int and last_number >= $2::int`,
};

export async function countSkippedNumbers(
  database: Queryable,
  accountId: number,
  { first, last }: EventGap,
): Promise<number> {
  const [row] = await database.ofAccount(accountId).query(countSkipped, [accountId, first, last]);
  return Number(row?.['skipped'] ?? 0);
}
