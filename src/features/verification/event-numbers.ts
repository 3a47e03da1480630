// Checks that event numbers have no gaps up to the counter, except those that a restore recorded.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Findings } from './verification-findings.ts';

const eventsPerRange = 5_000;
/** The latest time among this many last events counts, because the clock may have been set back. */
const eventsLookedAt = 100;

const readHead: SqlStatement = {
  name: 'verify_event_head',
  text: `select a.event_count,
      (select number from events where account_id = a.id order by account_id, number limit 1) as oldest,
      (select number from events where account_id = a.id order by account_id desc, number desc limit 1) as newest,
      (select extract(epoch from max(created_at))::bigint from (select created_at from events where account_id = a.id
        order by account_id desc, number desc limit ${eventsLookedAt}) last) as newest_at,
      exists (select 1 from event_gaps g where g.account_id = a.id and g.last_number + 1 = a.event_count) as ends_in_gap
    from accounts a where a.id = $1::int`,
};

// Reports a gap only if an earlier event exists, because old events may be deleted meanwhile.
const readRange: SqlStatement = {
  name: 'verify_event_numbers',
  text: `with range as materialized (
      select number, lag(number, 1, $2::int) over (order by number) as previous from (
        select number from events where account_id = $1::int and number > $2::int and number <= $3::int
        order by account_id, number limit ${eventsPerRange}) numbers)
    select max(number) as upto, null::int as first, null::int as last from range
    union all
    select null, previous + 1, number - 1 from range r
    where number > previous + 1 and exists (select 1 from events where account_id = $1::int and number <= r.previous)
      and not exists (select 1 from event_gaps g
        where g.account_id = $1::int and g.first_number <= r.previous + 1 and g.last_number + 1 >= r.number - 1)`,
};

export async function checkEventNumbers(
  database: Database,
  accountId: number,
  findings: Findings,
  signal: AbortSignal,
): Promise<EpochSeconds | null> {
  const ofAccount = database.ofAccount(accountId);
  const [head = {}] = await ofAccount.query(readHead, [accountId]);
  const count = nullable(Number, head['event_count']);
  const oldest = nullable(Number, head['oldest']);
  const newest = Number(head['newest']);
  if (count === null || oldest === null) return null;
  if (newest !== count && head['ends_in_gap'] !== true) {
    const problem = `the last event is number ${newest}, the counter says ${count}`;
    await findings.add('log', accountId, `account ${accountId}`, problem);
  }
  for (let after: number | null = oldest; after !== null && after < newest; ) {
    signal.throwIfAborted();
    const rows = await ofAccount.query(readRange, [accountId, after, newest]);
    for (const row of rows) {
      if (row['first'] === null) continue;
      const numbers =
        row['first'] === row['last'] ? `${row['first']} is` : `${row['first']} to ${row['last']} are`;
      await findings.add('log', accountId, 'events', `number ${numbers} missing`);
    }
    after = nullable(Number, rows.find((row) => row['first'] === null)?.['upto']);
  }
  return nullable(Number, head['newest_at']);
}
