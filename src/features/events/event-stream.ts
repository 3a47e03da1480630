// Puts the events of all accounts into one order, which is read by position. `extendStream` moves them from event_inbox; it
// is safe to call concurrently. The only writer of event_stream and its head.
// Invariant: the stream contains each committed event once, ascending per account. If an inbox row is visible, all earlier
// rows of its account are committed, because transactions hold the account's lock.

import type { Database, Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { bigint, nullable } from '../../platform/database/row-values.ts';
import { bySharding, queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import type { OwnedId } from '../../shared/identifiers.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type AccountEvent, events } from './event-log.ts';

const inboxRowsMax = 500;

const lockHead: SqlStatement = {
  name: 'lock_event_stream',
  text: `insert into event_stream_head (next_position) values (1)
    on conflict (only_row) do update set next_position = event_stream_head.next_position returning next_position`,
};

const takeInbox: SqlStatement = {
  name: 'take_event_inbox',
  text: `delete from event_inbox where id in (select id from event_inbox order by id limit ${inboxRowsMax})
    returning id, account_id, first_number, last_number, created_at`,
};

/**
 * On several servers, ids are drawn per server. Takes as many rows of each account as it has among the oldest rows, but
 * those with the lowest event numbers.
 */
const takeInboxApart: SqlStatement = {
  name: 'take_event_inbox_apart',
  text: `delete from event_inbox where id in (
      select own.id
      from (select account_id, count(*) as rows
        from (select account_id from event_inbox order by id limit ${inboxRowsMax}) o group by account_id) oldest
      cross join lateral (select i.id from event_inbox i where i.account_id = oldest.account_id
        order by i.first_number limit oldest.rows) own)
    returning id, account_id, first_number, last_number, created_at`,
};

const extend: SqlStatement = {
  name: 'extend_event_stream',
  text: `insert into event_stream (position, account_id, first_number, last_number, created_at)
    select position, account_id, first_number, last_number, to_timestamp(created_at)
    from unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::bigint[])
      row (position, account_id, first_number, last_number, created_at)`,
};

const moveHead: SqlStatement = {
  name: 'move_event_stream',
  text: 'update event_stream_head set next_position = $1::bigint',
};

const findInbox: SqlStatement = {
  name: 'find_event_inbox',
  text: 'select exists (select 1 from event_inbox) as waits',
};

export async function extendStream(database: Database): Promise<number> {
  return (await extendOnce(database)).events;
}

/** When this resolves, the stream contains everything that was committed before the call. */
export async function extendStreamWholly(database: Database): Promise<void> {
  while ((await extendOnce(database)).isFull);
}

interface Extended {
  readonly events: number;
  readonly isFull: boolean;
}

async function extendOnce(database: Database): Promise<Extended> {
  // Return early, so that an empty inbox causes no locks.
  const found = await queryShards(database, findInbox, [], 'every');
  if (!found.some((row) => row['waits'] === true)) return { events: 0, isFull: false };
  return database.transaction(
    async (transaction) => {
      const [head] = await transaction.query(lockHead);
      const rows = await takeOldest(transaction);
      const begin = bigint(head?.['next_position']);
      let position = begin;
      const positions = rows.map((row) => {
        const own = position;
        position += BigInt(Number(row['last_number']) - Number(row['first_number']) + 1);
        return own;
      });
      const column = (name: string) => numberArray(rows.map((row) => Number(row[name])));
      const names = ['account_id', 'first_number', 'last_number', 'created_at'];
      await Promise.all([
        transaction.query(extend, [numberArray(positions), ...names.map(column)]),
        transaction.query(moveHead, [position]),
        transaction.commit(),
      ]);
      return { events: Number(position - begin), isFull: rows.length >= inboxRowsMax };
    },
    { rank: 'reads' },
  );
}

function takeOldest(transaction: Queryable): Promise<readonly Row[]> {
  const take = (statement: SqlStatement) => queryShards(transaction, statement, [], 'every');
  return bySharding(transaction, {
    together: async () =>
      (await take(takeInbox)).toSorted((one, other) => Number(one['id']) - Number(other['id'])),
    apart: async () => inTime(await take(takeInboxApart)),
  });
}

/** Orders rows by time, but within an account by number, because processes' clocks may differ. */
function inTime(rows: readonly Row[]): readonly Row[] {
  const latest = new Map<unknown, number>();
  return rows
    .toSorted((one, other) => Number(one['first_number']) - Number(other['first_number']))
    .map((row) => {
      const at = Math.max(latest.get(row['account_id']) ?? 0, Number(row['created_at']));
      latest.set(row['account_id'], at);
      return { row, at };
    })
    .sort((one, other) => one.at - other.at)
    .map(({ row }) => row);
}

export interface StreamedEvent extends AccountEvent {
  readonly position: bigint;
}

const rowsOf = (where: string) => `select * from event_stream
      where ${where} order by position limit $3::int + 1`;

// Readers of all accounts skip the positions of test events, which are for the test's own endpoints.
const streamed = (
  where: string,
) => `select s.position + (e.number - s.first_number) as position, ${events.list('e')}
    from (${rowsOf(where)}) s
    join events e on e.account_id = s.account_id and e.number between s.first_number and s.last_number
    where s.position + (e.number - s.first_number) > $1::bigint`;

// A stream row covers several positions. The first row may end at or before $1, so one extra row is read.
const rowsOfAll = (mode: string) =>
  `${mode} and position >= coalesce((select max(position) from event_stream where position <= $1::bigint and ${mode}), 0)`;
const ofReal = rowsOfAll(`account_id <= ${realAccountIdMax}`);
const ofTests = rowsOfAll(`account_id > ${realAccountIdMax}`);
const ofAccount = 'account_id = $2::int and position + (last_number - first_number) > $1::bigint';

const readAllOf = (name: string, where: string): SqlStatement => ({
  name,
  text: `${streamed(where)}
    and $2::int is null order by 1 limit $3::int`,
});
const readAll = {
  live: readAllOf('read_event_stream', ofReal),
  test: readAllOf('read_event_stream_of_tests', ofTests),
};

const readOfAccount: SqlStatement = {
  name: 'read_event_stream_of_account',
  text: `${streamed(ofAccount)}
    order by 1 limit $3::int`,
};

// On several servers, reads the stream's rows first and then their events from each shard.
const rowsApart = (name: string, where: string): SqlStatement => ({
  name,
  text: `select s.position, s.account_id, s.first_number, s.last_number from (${rowsOf(where)}) s
    where $2::int is null or s.account_id = $2::int order by s.position`,
});
const listRows = {
  live: rowsApart('list_event_stream', ofReal),
  test: rowsApart('list_event_stream_of_tests', ofTests),
  account: rowsApart('list_event_stream_of_account', ofAccount),
};

const readPlaced: SqlStatement = {
  name: 'read_event_stream_apart',
  text: `select s.position + (e.number - s.first_number) as position, ${events.list('e')}
    from unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) s (position, account_id, first_number, last_number)
    join events e on e.account_id = s.account_id and e.number between s.first_number and s.last_number
    where s.position + (e.number - s.first_number) > $5::bigint order by 1 limit $6::int`,
};

/** Returns at most `limit` events after `after`: of all real accounts, of all tests, or of one account. */
export function readStream(
  database: Queryable,
  {
    after,
    accountId,
    limit,
    mode,
  }: { after: bigint; accountId: number | null; limit: number; mode: 'live' | 'test' },
): Promise<StreamedEvent[]> {
  const values = [after, accountId, limit];
  return bySharding(database, {
    together: async () => {
      const rows = await database.query(accountId === null ? readAll[mode] : readOfAccount, values);
      return rows.map(parseStreamed);
    },
    apart: async () => {
      const ranges = await database.query(listRows[accountId === null ? mode : 'account'], values);
      const rows = await queryShards(database, readPlaced, [after, limit], {
        of: ranges,
        accountOf: (row) => Number(row['account_id']),
        columns: (some) => rangeColumns.map((name) => numberArray(some.map((row) => Number(row[name])))),
      });
      return rows
        .map(parseStreamed)
        .sort((one, other) => Number(one.position - other.position))
        .slice(0, limit);
    },
  });
}

const rangeColumns = ['position', 'account_id', 'first_number', 'last_number'];

function parseStreamed(row: Row): StreamedEvent {
  return { ...events.parse(row), position: bigint(row['position']) };
}

const findPosition: SqlStatement = {
  name: 'find_stream_position',
  text: `select position + ($2::int - first_number) as position from event_stream
    where account_id = $1::int and last_number >= $2::int and first_number <= $2::int
    order by last_number limit 1`,
};

/** Returns null if the event has no position yet or has expired. */
export async function positionOf(
  database: Queryable,
  accountId: number,
  number: number,
): Promise<bigint | null> {
  const [row] = await database.ofAccount(accountId).query(findPosition, [accountId, number]);
  return row === undefined ? null : bigint(row['position']);
}

const findLast: SqlStatement = {
  name: 'find_last_streamed_event',
  text: `select account_id, last_number from event_stream where account_id <= ${realAccountIdMax} order by position desc limit 1`,
};

export async function lastOfStream(database: Queryable): Promise<OwnedId | null> {
  const [row] = await database.query(findLast);
  if (row === undefined) return null;
  return { accountId: Number(row['account_id']), number: Number(row['last_number']) };
}

const findEnd: SqlStatement = {
  name: 'find_stream_end',
  text: 'select coalesce(max(next_position), 1) - 1 as position from event_stream_head',
};

const findBegin: SqlStatement = {
  name: 'find_stream_begin',
  text: 'select min(position) as position from event_stream',
};

export async function streamBegin(database: Queryable): Promise<bigint | null> {
  const [row] = await database.query(findBegin);
  return nullable(bigint, row?.['position']);
}

export async function streamEnd(database: Queryable): Promise<bigint> {
  const [row] = await database.query(findEnd);
  return bigint(row?.['position']);
}

const selectOldest: SqlStatement = {
  name: 'list_old_events',
  text: `select position, account_id, first_number, last_number
    from (select * from event_stream order by position limit $2::int) oldest
    where created_at < to_timestamp($1::bigint)`,
};

const deleteEvents: SqlStatement = {
  name: 'delete_old_events',
  text: `delete from events e using unnest($1::int[], $2::int[], $3::int[]) old (account_id, first_number, last_number)
    where e.account_id = old.account_id and e.number between old.first_number and old.last_number`,
};

const deleteRanges: SqlStatement = {
  name: 'delete_old_event_ranges',
  text: 'delete from event_stream where position = any($1::bigint[])',
};

const rangesPerPiece = 20;

/** Deletes the oldest events first, in pieces. Returns true if some are left. */
export async function deleteOldEvents(
  database: Database,
  before: EpochSeconds,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    const rows = await database.query(selectOldest, [before, rangesPerPiece]);
    if (rows.length === 0) return false;
    const column = (name: string) => numberArray(rows.map((row) => Number(row[name])));
    const names = ['account_id', 'first_number', 'last_number'];
    await database.transaction(
      async (transaction) => {
        for (const group of transaction.accountGroups()) await group.query(deleteEvents, names.map(column));
        await transaction.query(deleteRanges, [column('position')]);
      },
      { rank: 'reads' },
    );
  }
  return true;
}
