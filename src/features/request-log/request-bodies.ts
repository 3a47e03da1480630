// Captured requests and answers, redacted and truncated (docs/decisions/0050-bodies-of-requests.md). The only writer of
// api_request_bodies.
// Invariant: a body never outlives its line, and none is written after capture was turned off. Writers lock the account's
// counter before they read the setting, and turning off locks it too.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { deleteInPieces, type OldRows } from '../../platform/database/delete-in-pieces.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import {
  boolean,
  describeTable,
  int,
  int8,
  nullableText,
  type RowOf,
} from '../../platform/database/table.ts';

const requestBodies = describeTable('api_request_bodies', {
  accountId: int('account_id'),
  number: int8('number'),
  query: nullableText('query'),
  idempotencyKey: nullableText('idempotency_key'),
  sentType: nullableText('sent_type'),
  userAgent: nullableText('user_agent'),
  sent: nullableText('sent'),
  sentIsCut: boolean('sent_is_cut'),
  answeredType: nullableText('answered_type'),
  answered: nullableText('answered'),
  answeredIsCut: boolean('answered_is_cut'),
});

export type RequestBodies = RowOf<typeof requestBodies>;

export type CapturedExchange = Omit<RequestBodies, 'accountId' | 'number'>;

const insertBodies: SqlStatement = {
  name: 'insert_api_request_bodies',
  text: `insert into api_request_bodies (${requestBodies.names.join(', ')})
    select ${requestBodies.arrived('row')} from ${requestBodies.sent('row')}
    join accounts a on a.id = row.account_id and a.keeps_request_bodies`,
};

const findBodies: SqlStatement = {
  name: 'find_api_request_bodies',
  text: `select ${requestBodies.list('b')} from api_request_bodies b
    join accounts a on a.id = b.account_id and a.keeps_request_bodies
    where b.account_id = $1::int and b.number = $2::bigint`,
};

/** Creates the counter if it is missing, so that there is a row to lock. */
const holdCounter: SqlStatement = {
  name: 'hold_api_request_count',
  text: `insert into api_request_counts as c (account_id, request_count) values ($1::int, 0)
    on conflict (account_id) do update set request_count = c.request_count`,
};

const deleteAtOnceMax = 500;

const bodiesUpTo: OldRows = {
  deletion: {
    name: 'delete_api_request_bodies',
    text: `with gone as (
      delete from api_request_bodies where account_id = $1::int and number in (
        select number from api_request_bodies where account_id = $1::int and number <= $2::bigint
        order by number limit ${deleteAtOnceMax}) returning 1)
      select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
};

const listForgotten: SqlStatement = {
  name: 'list_accounts_with_forgotten_bodies',
  text: `select a.id from accounts a where not a.keeps_request_bodies
      and exists (select b.number from api_request_bodies b where b.account_id = a.id)
    order by a.id`,
};

/** Call in the lines' transaction, which holds the counters. All accounts must be of one shard. */
export async function insertRequestBodies(
  transaction: Queryable,
  bodies: readonly RequestBodies[],
): Promise<void> {
  await transaction.query(insertBodies, requestBodies.values(bodies));
}

export async function findRequestBodies(
  database: Queryable,
  accountId: number,
  number: number,
): Promise<RequestBodies | null> {
  const [row] = await database.ofAccount(accountId).query(findBodies, [accountId, number]);
  return row === undefined ? null : requestBodies.parse(row);
}

/** Call in the transaction that turns capture off. Waits for current writers and blocks later ones. */
export async function endRequestBodies(transaction: Queryable, accountId: number): Promise<void> {
  await transaction.ofAccount(accountId).query(holdCounter, [accountId]);
}

/** Returns true if the signal aborted, so that rows may be left. */
export function deleteRequestBodies(
  database: Database,
  accountId: number,
  upTo: number,
  signal: AbortSignal,
): Promise<boolean> {
  return deleteInPieces(database.ofAccount(accountId), bodiesUpTo, [accountId, upTo], signal);
}

export async function deleteForgottenBodies(database: Database, signal: AbortSignal): Promise<boolean> {
  for (const row of await queryShards(database, listForgotten, [], 'every')) {
    const accountId = Number(row['id']);
    if (await deleteRequestBodies(database, accountId, Number.MAX_SAFE_INTEGER, signal)) return true;
  }
  return false;
}
