// Numbers of events that a restored database skips, because the lost one may have given them out. A reader that comes with
// one of them is answered `events_gone`; ids up to the backup's last go on working (docs/decisions/0058-after-a-restore.md).
// Called where a new incarnation begins, and by whatever counts events by their numbers.
// Invariant: no event has a number inside a gap.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numbersUsedMax, realAccountIdMax, testNumbersUsedMax } from '../../shared/identifiers.ts';

/** Of each real account: more than one of them can have been told of between a backup and the loss of its database. */
const skippedNumbers = 10_000_000;
/** A test numbers 10,000,000 events at most in its life. */
const skippedOfTests = 1_000_000;

// Never more than half of what is left, so a restore fills no account. A gap that ends where the numbering stands was
// followed by no event, and grows instead.
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

/** Every account's next event gets a number far behind its last one; accounts without events begin to have them. */
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

/** The newest gap of each of these accounts that has one. */
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

/** The numbers between `$2` and `$3` that were skipped, of account `$1`. */
const countSkipped: SqlStatement = {
  name: 'count_skipped_event_numbers',
  text: `select coalesce(sum(greatest(least(last_number, $3::int) - greatest(first_number, $2::int) + 1, 0)), 0)::bigint as skipped
    from event_gaps where account_id = $1::int and last_number >= $2::int`,
};

/** How many numbers from `first` to `last` no event has because of a restore. */
export async function countSkippedNumbers(
  database: Queryable,
  accountId: number,
  { first, last }: EventGap,
): Promise<number> {
  const [row] = await database.ofAccount(accountId).query(countSkipped, [accountId, first, last]);
  return Number(row?.['skipped'] ?? 0);
}
