// Stores the events of accounts, numbered per account without gaps from the first listener on. The only writer of events,
// event_inbox and accounts.event_count, except the order batch (the counter) and event-stream.ts (which empties the inbox).
// Invariant: events are written in the transaction of their cause, under the account's row lock. Without a listener nothing
// is written.

import {
  byGroup,
  type Database,
  type Queryable,
  type Row,
  type SqlStatement,
} from '../../platform/database/database.ts';
import { oneOf as oneOfThese } from '../../platform/database/row-values.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import {
  describeTable,
  int,
  oneOf,
  type RowOf,
  text,
  time,
  writeRows,
} from '../../platform/database/table.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { JsonObject } from '../../shared/json.ts';
import { type Group, groups } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type EventType, eventTypes } from './event-schemas.ts';

export const events = describeTable('events', {
  accountId: int('account_id'),
  number: int('number'),
  type: oneOf('type', eventTypes),
  createdAt: time('created_at'),
  data: text('data'),
});

export type AccountEvent = RowOf<typeof events>;

export interface NewEvent {
  readonly type: EventType;
  readonly data: JsonObject;
}

const inbox = describeTable('event_inbox', {
  accountId: int('account_id'),
  firstNumber: int('first_number'),
  lastNumber: int('last_number'),
  createdAt: time('created_at'),
});

const insertEvents = events.insert('insert_events');
const insertInbox = inbox.insert('insert_event_inbox');

/** Numbers must ascend per account. Not awaited: COMMIT may follow at once. `now`: the real time, even for tests. */
export function writeEvents(
  transaction: Queryable,
  numbered: readonly AccountEvent[],
  now: EpochSeconds,
): Promise<unknown>[] {
  if (numbered.length === 0) return [];
  const ranges = [...Map.groupBy(numbered, ({ accountId }) => accountId)].map(([accountId, of]) => ({
    accountId,
    firstNumber: Math.min(...of.map(({ number }) => number)),
    lastNumber: Math.max(...of.map(({ number }) => number)),
    createdAt: now,
  }));
  return [writeRows(transaction, insertEvents, numbered), writeRows(transaction, insertInbox, ranges)];
}

const takeNumbers: SqlStatement = {
  name: 'take_event_numbers',
  text: `update accounts set event_count = event_count + $2::int
    where id = $1::int and event_count is not null returning event_count, test_clock`,
};

/** For changes outside the engine. Locks the account's row. */
export async function appendEvents(
  transaction: Queryable,
  accountId: number,
  events: readonly NewEvent[],
  now: EpochSeconds,
): Promise<void> {
  const ofAccount = transaction.ofAccount(accountId);
  const [row] = await ofAccount.query(takeNumbers, [accountId, events.length]);
  if (row === undefined) return;
  const first = Number(row['event_count']) - events.length + 1;
  const numbered = events.map(({ type, data }, index) => ({
    accountId,
    number: first + index,
    type,
    createdAt: Number(row['test_clock'] ?? now),
    data: JSON.stringify(data),
  }));
  await Promise.all(writeEvents(ofAccount, numbered, now));
}

// Locks in the same order as the batches, so that they do not deadlock.
const lockListening: SqlStatement = {
  name: 'lock_listening_accounts',
  text: `select id, group_name, event_count from accounts
    where event_count is not null and id <= ${realAccountIdMax} and group_name = any($1::text[]) order by id for no key update`,
};

const moveNumbers: SqlStatement = {
  name: 'move_event_numbers',
  text: 'update accounts set event_count = event_count + 1 where id = any($1::int[])',
};

export interface ListeningAccount {
  readonly id: number;
  readonly group: Group;
  readonly eventCount: number;
}

/** Locks all listening accounts of these groups. Call first in a transaction with an event for each of them. */
export async function holdListening(
  transaction: Queryable,
  groupsToTell: readonly Group[],
): Promise<readonly ListeningAccount[]> {
  const rows: Row[] = [];
  for (const group of transaction.accountGroups())
    rows.push(...(await group.query(lockListening, [textArray(groupsToTell)])));
  return rows.map((row) => ({
    id: Number(row['id']),
    group: oneOfThese(groups, row['group_name']),
    eventCount: Number(row['event_count']),
  }));
}

export async function appendEach(
  transaction: Queryable,
  accounts: readonly ListeningAccount[],
  eventOf: (account: ListeningAccount) => NewEvent | null,
  now: EpochSeconds,
): Promise<void> {
  const added = accounts.flatMap((account) => {
    const event = eventOf(account);
    return event === null ? [] : [{ ...account, event }];
  });
  for (const [first, ofGroup] of byGroup(transaction, added, ({ id }) => id)) {
    const numbered = ofGroup.map(({ id, eventCount, event: { type, data } }) => {
      return { accountId: id, number: eventCount + 1, type, createdAt: now, data: JSON.stringify(data) };
    });
    const group = transaction.ofAccount(first);
    await group.query(moveNumbers, [numberArray(ofGroup.map(({ id }) => id))]);
    await Promise.all(writeEvents(group, numbered, now));
  }
}

const beginListening: SqlStatement = {
  name: 'begin_listening',
  text: 'update accounts set event_count = 0 where id = $1::int and event_count is null',
};

export async function listenToAccount(database: Queryable, accountId: number): Promise<void> {
  await database.ofAccount(accountId).query(beginListening, [accountId]);
}

/** service_state holds whether all accounts record events, separately for real accounts and for tests. */
const listening = {
  live: { column: 'listens_to_all', whose: `id <= ${realAccountIdMax}` },
  test: { column: 'listens_to_tests', whose: `id > ${realAccountIdMax} and test_state = 'current'` },
} as const;
type Listening = keyof typeof listening;

const beginListeningTo = (mode: Listening): SqlStatement => ({
  name: `begin_${listening[mode].column}`,
  text: `update service_state set ${listening[mode].column} = true where not ${listening[mode].column}`,
});

const listenToMore = (mode: Listening): SqlStatement => ({
  name: `go_on_${listening[mode].column}`,
  text: `update accounts set event_count = 0 where id in (
      select id from accounts where event_count is null and ${listening[mode].whose}
        and (select ${listening[mode].column} from service_state)
      order by id limit 500 for no key update)
    returning id`,
});

const listenings = {
  live: { begin: beginListeningTo('live'), more: listenToMore('live') },
  test: { begin: beginListeningTo('test'), more: listenToMore('test') },
};

/** Starts recording for all accounts, including future ones. It cannot be undone. */
export async function listenToEverybody(transaction: Queryable, mode: Listening): Promise<void> {
  await transaction.query(listenings[mode].begin);
  for (const group of transaction.accountGroups())
    while ((await group.query(listenings[mode].more)).length > 0);
}

/** Continues the work if the process that began it died. */
export async function goOnListening(database: Database): Promise<void> {
  for (const group of database.accountGroups()) {
    for (const { more } of Object.values(listenings)) while ((await group.query(more)).length > 0);
  }
}

const listenToNew: SqlStatement = {
  name: 'listen_to_new_account',
  text: `update accounts set event_count = 0 where id = $1::int
    and (select case when $1::int <= ${realAccountIdMax} then listens_to_all else listens_to_tests end from service_state)`,
};

/** Call after the audit entry of the account's creation, because that entry locks the row that is read here. */
export async function listenToNewAccount(transaction: Queryable, accountId: number): Promise<void> {
  await transaction.ofAccount(accountId).query(listenToNew, [accountId]);
}
