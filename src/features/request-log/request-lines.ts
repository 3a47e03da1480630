// Stores and prunes the lines of the request log. The only writer of api_requests and api_request_counts.
// Invariant: a line contains neither query values nor bodies.

import type { Database, Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { deleteInPieces, type OldRows } from '../../platform/database/delete-in-pieces.ts';
import { bySharding, queryShards } from '../../platform/database/shards/query-shards.ts';
import {
  describeTable,
  int,
  int8,
  nullableInt,
  nullableText,
  type RowOf,
  text,
  time,
} from '../../platform/database/table.ts';
import { isTestAccount, realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { holdTestInUse } from '../identity/account-in-use.ts';
import { type CapturedExchange, insertRequestBodies, type RequestBodies } from './request-bodies.ts';

export const apiRequests = describeTable('api_requests', {
  accountId: int('account_id'),
  number: int8('number'),
  at: time('at'),
  method: text('method'),
  path: text('path'),
  status: { ...int('status'), arrayType: 'smallint[]' },
  code: nullableText('code'),
  requestId: text('request_id'),
  milliseconds: int('milliseconds'),
  address: text('address'),
  /** The key's id, for any of its secrets. */
  keyId: nullableInt('key_id'),
});

export type LoggedRequest = RowOf<typeof apiRequests>;

export type KnownLine = Omit<LoggedRequest, 'number'> & {
  readonly secretId: number | null;
};

/** `accountId` is null for an unknown caller. Then only the refusal is counted. */
export type RequestLine = KnownLine | (Omit<KnownLine, 'accountId'> & { readonly accountId: null });

// Lines are numbered under the lock of the account's counter, without gaps. Accounts are locked in order, to avoid
// deadlocks. Lines of reset tests are left out.
const newLines = apiRequests.without('number');

const testsInUse = `
    tests as (
      select a.id from accounts a where a.test_state = 'current'
        and a.id in (select account_id from sent where account_id > ${realAccountIdMax}) order by a.id for key share),`;

const insertingLines = (
  tests: string,
  whose: string,
) => `with sent as (select * from ${newLines.sentInOrder('row')}),${tests}
    lines as (
      select *, row_number() over (partition by account_id order by position) as nth,
        count(*) over (partition by account_id) as total
      from sent${whose}),
    counted as (
      insert into api_request_counts as c (account_id, request_count)
      select account_id, count(*) from lines group by account_id order by account_id
      on conflict (account_id) do update set request_count = c.request_count + excluded.request_count
      returning account_id, request_count),
    written as (
      insert into api_requests (number, ${newLines.names.join(', ')})
      select c.request_count - l.total + l.nth, ${newLines.arrived('l')}
      from lines l join counted c on c.account_id = l.account_id)
    select account_id, request_count from counted`;

const insertLines: SqlStatement = {
  name: 'insert_api_requests',
  text: insertingLines(
    testsInUse,
    ` where account_id <= ${realAccountIdMax} or account_id in (select id from tests)`,
  ),
};

/** Run after locking the tests separately, because Citus 13 cannot do both in one statement. */
const insertLinesApart: SqlStatement = { name: 'insert_api_requests_apart', text: insertingLines('', '') };

const deleteAtOnceMax = 2_000;

const oldestLines: OldRows = {
  deletion: {
    name: 'delete_oldest_api_requests',
    text: `with oldest as (
      select number, at from api_requests where account_id = $1::int order by number limit ${deleteAtOnceMax}),
    gone as (
      delete from api_requests r using oldest o
      where r.account_id = $1::int and r.number = o.number
        and (o.at < to_timestamp($2::bigint) or o.number <= $3::bigint) returning r.number),
    bodies as (
      delete from api_request_bodies b using gone g where b.account_id = $1::int and b.number = g.number)
    select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
};

const accountsAtOnceMax = 500;

const listCounts: SqlStatement = {
  name: 'list_api_request_counts',
  text: `select account_id, request_count from api_request_counts where account_id > $1::int
    order by account_id limit ${accountsAtOnceMax}`,
};

const countAccountsAfter: SqlStatement = {
  name: 'count_accounts_with_requests_after',
  text: 'select count(*) as count from api_request_counts where account_id > $1::int',
};

export function insertRequests(group: Database, lines: readonly KnownLine[]): Promise<readonly Row[]> {
  const locksTests = bySharding(group, {
    together: () => false,
    apart: () => lines.some(({ accountId }) => isTestAccount(accountId)),
  });
  return locksTests
    ? group.transaction((transaction) => insert(transaction, lines), { rank: 'reads' })
    : insert(group, lines);
}

function insert(queryable: Queryable, lines: readonly KnownLine[]): Promise<readonly Row[]> {
  return bySharding(queryable, {
    together: () => queryable.query(insertLines, newLines.values(lines)),
    apart: () => insertApart(queryable, lines),
  });
}

/** Must run in a transaction if there are tests among the accounts. */
async function insertApart(queryable: Queryable, lines: readonly KnownLine[]): Promise<readonly Row[]> {
  const ids = [...new Set(lines.map(({ accountId }) => accountId))].sort((one, other) => one - other);
  const gone = new Set<number>();
  for (const id of ids) if (!(await holdTestInUse(queryable, id))) gone.add(id);
  const kept = lines.filter(({ accountId }) => !gone.has(accountId));
  return kept.length === 0 ? [] : queryable.query(insertLinesApart, newLines.values(kept));
}

/** Inserting the lines locks the counters. Only then is it read whether bodies are captured. */
export function insertRequestsWithBodies(
  group: Database,
  lines: readonly KnownLine[],
  kept: ReadonlyMap<KnownLine, CapturedExchange>,
): Promise<{ counts: readonly Row[]; bodies: readonly RequestBodies[] }> {
  return group.transaction(
    async (transaction) => {
      const counts = await insert(transaction, lines);
      const bodies = counts.flatMap((row) => {
        const accountId = Number(row['account_id']);
        const own = lines.filter((line) => line.accountId === accountId);
        const before = Number(row['request_count']) - own.length;
        return own.flatMap((line, index) => {
          const exchange = kept.get(line);
          return exchange === undefined ? [] : [{ ...exchange, accountId, number: before + index + 1 }];
        });
      });
      if (bodies.length > 0) await insertRequestBodies(transaction, bodies);
      return { counts, bodies };
    },
    { rank: 'reads' },
  );
}

export interface KeptLimits {
  readonly keptPerAccountMax: number;
}

/** `count` is how many lines the account ever had. Resolves to true if some may be left to prune. */
export function pruneRequestsOf(
  database: Database,
  limits: KeptLimits,
  accountId: number,
  count: number,
  before: EpochSeconds,
  signal: AbortSignal,
): Promise<boolean> {
  const values = [accountId, before, count - limits.keptPerAccountMax];
  return deleteInPieces(database.ofAccount(accountId), oldestLines, values, signal);
}

export async function pruneRequests(
  database: Database,
  limits: KeptLimits,
  before: EpochSeconds,
  signal: AbortSignal,
): Promise<number> {
  let pruned = 0;
  for (;;) {
    const first = { columns: ['account_id'], limit: accountsAtOnceMax };
    const rows = await queryShards(database, listCounts, [pruned], { first });
    for (const row of rows) {
      const accountId = Number(row['account_id']);
      const isLeft = await pruneRequestsOf(
        database,
        limits,
        accountId,
        Number(row['request_count']),
        before,
        signal,
      );
      if (!isLeft) {
        pruned = accountId;
        continue;
      }
      const counted = await queryShards(database, countAccountsAfter, [pruned], 'every');
      return counted.reduce((sum, each) => sum + Number(each['count']), 0);
    }
    if (rows.length < accountsAtOnceMax) return 0;
  }
}

const harmless = /^(?:\/(?:[a-z][a-z-]{0,23}|v\d|\d{1,16})){1,8}$/;
const harmlessPart = /^(?:[a-z][a-z-]{0,23}|v\d|\d{1,16})?$/;

/** Removes the query and everything except words and numbers, because some clients put keys into paths. */
export function loggablePath(url: string): string {
  if (harmless.test(url)) return url;
  // Build a new string: a slice would keep the long URL in memory.
  const parts = (url.split('?', 1)[0] ?? '').split('/', 9).slice(1);
  return `/${parts.map((part) => (harmlessPart.test(part) ? part : '…')).join('/')}`;
}
