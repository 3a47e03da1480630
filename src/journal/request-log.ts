// The log of requests with an API key, for the account that sent them, and the count of refusals by day, without tests.
// A request costs one push of a small object; what was pushed is written afterwards, in batches, every
// second.
// Always true: nothing waits for this log. When more comes than can be written, the accounts that have most lines lose
// some, and each is counted; the buffer and each account's lines are bounded, and neither a query's values nor a body
// is ever in it. That a key was used is noted whether or not its line is.
// The only writer of api_requests, api_request_counts and refusal_days.

import type { ErrorCode } from '../contract/error-catalogue.ts';
import { createFairQueue } from '../contract/fair-queue.ts';
import { isTestAccount, realAccountIdMax } from '../contract/identifiers.ts';
import { type EpochSeconds, formatTime } from '../contract/times.ts';
import { holdTestInUse } from '../database/account-in-use.ts';
import { byGroup, type Database, type Queryable, type Row, type Statement } from '../database/database.ts';
import { deleteInPieces, type OldRows } from '../database/delete-in-pieces.ts';
import { firstOfEveryGroup, fromEveryGroup } from '../database/over-groups.ts';
import {
  describeTable,
  int,
  int8,
  nullableText,
  type RowOf,
  text,
  time,
  writeRows,
} from '../database/table.ts';
import { createKeyUses, type UsedKeys } from './key-uses.ts';

const apiRequests = describeTable('api_requests', {
  accountId: int('account_id'),
  number: int8('number'),
  at: time('at'),
  method: text('method'),
  /** See loggablePath. */
  path: text('path'),
  status: { ...int('status'), arrayType: 'smallint[]' },
  code: nullableText('code'),
  requestId: text('request_id'),
  milliseconds: int('milliseconds'),
  address: text('address'),
});

const refusalDays = describeTable('refusal_days', {
  day: { ...text('day'), arrayType: 'date[]' },
  code: text('code'),
  count: int8('refusal_count'),
});

export type LoggedRequest = RowOf<typeof apiRequests>;

type KnownLine = Omit<LoggedRequest, 'number'> & {
  /** Which secret of a key it came with; null: none that is known. */
  readonly keyId: number | null;
};

/** `accountId` null: no account was recognised; only its refusal is counted. */
export type RequestLine = KnownLine | (Omit<KnownLine, 'accountId'> & { readonly accountId: null });

/** `position`: among all lines of this process. */
interface NumberedLine {
  readonly line: KnownLine;
  readonly position: number;
}

export interface RequestLogLimits {
  /** Between two flushes: of requests that were let in, and of requests that were refused at the door. */
  readonly linesMax: number;
  readonly refusedLinesMax: number;
  readonly linesPerStatement: number;
  readonly flushMilliseconds: number;
  readonly keptSeconds: number;
  readonly keptPerAccountMax: number;
}

export interface RequestLogDependencies {
  readonly database: Database;
  readonly limits: RequestLogLimits;
  /** Hears, once a minute for each key, that it was used. */
  readonly onKeysUsed: (uses: UsedKeys) => Promise<void>;
  readonly onDropped: (lines: number) => void;
}

export interface RequestLog {
  note(line: RequestLine): void;
  /** Writes what was noted so far. Never fails: what cannot be written is dropped. */
  flush(): Promise<void>;
  /** Deletes what is too old and what is too much; returns of how many accounts something may be left. */
  prune(now: EpochSeconds, signal?: AbortSignal): Promise<number>;
  /** Stops the timer and writes the rest. */
  close(): Promise<void>;
}

// Numbers are given out under the lock of the account's counter, accounts in order: no deadlocks, no gaps. Of a test that was
// reset nothing is written; that of one in use holds its row (database/account-in-use.ts).
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

const insertLines: Statement = {
  name: 'insert_api_requests',
  text: insertingLines(
    testsInUse,
    ` where account_id <= ${realAccountIdMax} or account_id in (select id from tests)`,
  ),
};

/** Behind others that hold the rows of the tests: Citus 13 cannot read what such a part of a statement found. */
const insertLinesApart: Statement = { name: 'insert_api_requests_apart', text: insertingLines('', '') };

const countRefusals = refusalDays.insert(
  'count_refusals',
  `order by day, code on conflict (day, code)
    do update set refusal_count = refusal_days.refusal_count + excluded.refusal_count`,
);

/** One statement looks at this many lines: on the embedded database orders wait for it. */
const stretch = 20_000;

const findSpan: Statement = {
  name: 'find_api_request_span',
  text: `select request_count as newest,
      (select r.number from api_requests r where r.account_id = $1::int order by r.number limit 1) as oldest
    from api_request_counts where account_id = $1::int`,
};

const listLines: Statement = {
  name: 'list_api_requests',
  text: `select ${apiRequests.list('r')} from api_requests r
    where account_id = $1::int and number between $2::bigint and $3::bigint and status between $4::int and $5::int
    order by number desc limit $6::int`,
};

const sumRefusals: Statement = {
  name: 'sum_refusals',
  text: `select code, sum(refusal_count)::bigint as refusals from refusal_days where day >= $1::date
    group by code order by 2 desc, 1`,
};

const deleteAtOnceMax = 2_000;

// Lines are numbered in the order they came: the oldest have the lowest numbers.
const oldestLines: OldRows = {
  deletion: {
    name: 'delete_oldest_api_requests',
    text: `with oldest as (
      select number, at from api_requests where account_id = $1::int order by number limit ${deleteAtOnceMax}),
    gone as (
      delete from api_requests r using oldest o
      where r.account_id = $1::int and r.number = o.number
        and (o.at < to_timestamp($2::bigint) or o.number <= $3::bigint) returning 1)
    select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
};

const accountsAtOnceMax = 500;

const listCounts: Statement = {
  name: 'list_api_request_counts',
  text: `select account_id, request_count from api_request_counts where account_id > $1::int
    order by account_id limit ${accountsAtOnceMax}`,
};

const countAccountsAfter: Statement = {
  name: 'count_accounts_with_requests_after',
  text: 'select count(*) as count from api_request_counts where account_id > $1::int',
};

/** Whoever is refused with these sends as often as they like: their lines keep no others out. */
const doorCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'revoked_api_key',
  'account_blocked',
  'api_disabled',
  'ip_not_allowed',
  'rate_limited',
]);

const accountsRememberedMax = 100_000;
const neverAborted = new AbortController().signal;

export function createRequestLog(dependencies: RequestLogDependencies): RequestLog {
  const { database, limits, onKeysUsed, onDropped } = dependencies;
  const letIn = createFairQueue<number, NumberedLine>(limits.linesMax);
  const refused = createFairQueue<number, NumberedLine>(limits.refusedLinesMax);
  let noted = 0;
  let refusals = new Map<string, number>();
  let flushing: Promise<void> | null = null;
  const keyUses = createKeyUses(onKeysUsed, limits.linesPerStatement);
  /** The account's line at which its log is shortened next. */
  const pruneAt = new Map<number, number>();
  const pruneStep = Math.max(1, Math.floor(limits.keptPerAccountMax / 10));

  function note(line: RequestLine): void {
    // What people try in tests says nothing about real business.
    if (line.code !== null && !(line.accountId !== null && isTestAccount(line.accountId))) {
      const key = `${Math.floor(line.at / 86_400)} ${line.code}`;
      refusals.set(key, (refusals.get(key) ?? 0) + 1);
    }
    if (line.accountId === null) return;
    if (line.keyId !== null && line.code !== 'revoked_api_key') keyUses.note(line.keyId, line.at);
    noted += 1;
    const lines = line.code !== null && doorCodes.has(line.code) ? refused : letIn;
    if (lines.push(line.accountId, { line, position: noted }) !== null) onDropped(1);
  }

  /** In the order they came. */
  function takeWaiting(): KnownLine[] {
    const taken: NumberedLine[] = [];
    for (const lines of [letIn, refused]) {
      for (let next = lines.shift(); next !== undefined; next = lines.shift()) taken.push(next);
    }
    return taken.sort((a, b) => a.position - b.position).map(({ line }) => line);
  }

  function flush(): Promise<void> {
    // One at a time: what came meanwhile is the next one's.
    const mine = (flushing ?? Promise.resolve()).then(writeWaiting).finally(() => {
      if (flushing === mine) flushing = null;
    });
    flushing = mine;
    return mine;
  }

  async function writeWaiting(): Promise<void> {
    await writeLines(takeWaiting());
    const counted = refusals;
    refusals = new Map();
    // What cannot be counted now is lost: a count of refusals is not a ledger.
    await writeRows(database, countRefusals, refusalRows(counted)).catch(() => undefined);
    await keyUses.write();
  }

  async function writeLines(lines: readonly KnownLine[]): Promise<void> {
    let written = 0;
    try {
      for (let from = 0; from < lines.length; from += limits.linesPerStatement) {
        const part = lines.slice(from, from + limits.linesPerStatement);
        for (const [accountId, ofGroup] of byGroup(database, part, (line) => line.accountId)) {
          const group = database.ofAccount(accountId);
          const counts = group.isSpread
            ? await insertApart(group, ofGroup)
            : await group.query(insertLines, newLines.values(ofGroup));
          written += ofGroup.length;
          await pruneLong(counts, part.at(-1)?.at ?? 0);
        }
      }
    } catch {
      onDropped(lines.length - written);
    }
  }

  function insertApart(group: Database, lines: readonly KnownLine[]): Promise<readonly Row[]> {
    if (!lines.some(({ accountId }) => isTestAccount(accountId)))
      return group.query(insertLinesApart, newLines.values(lines));
    return group.transaction(
      async (transaction) => {
        const ids = [...new Set(lines.map(({ accountId }) => accountId))].sort((one, other) => one - other);
        const gone = new Set<number>();
        for (const id of ids) if (!(await holdTestInUse(transaction, id))) gone.add(id);
        const kept = lines.filter(({ accountId }) => !gone.has(accountId));
        return kept.length === 0 ? [] : transaction.query(insertLinesApart, newLines.values(kept));
      },
      { rank: 'reads' },
    );
  }

  async function pruneLong(counts: readonly Row[], now: EpochSeconds): Promise<void> {
    for (const row of counts) {
      const accountId = Number(row['account_id']);
      const count = Number(row['request_count']);
      if (count < (pruneAt.get(accountId) ?? limits.keptPerAccountMax + pruneStep)) continue;
      if (pruneAt.size >= accountsRememberedMax) pruneAt.clear();
      pruneAt.set(accountId, count + pruneStep);
      // The lines stand: whoever writes the next ones shortens the log.
      await pruneAccount(accountId, count, now, neverAborted).catch(() => pruneAt.delete(accountId));
    }
  }

  function pruneAccount(
    accountId: number,
    count: number,
    now: EpochSeconds,
    signal: AbortSignal,
  ): Promise<boolean> {
    const values = [accountId, now - limits.keptSeconds, count - limits.keptPerAccountMax];
    return deleteInPieces(database.ofAccount(accountId), oldestLines, values, signal);
  }

  const timer = setInterval(() => {
    const isEmpty = letIn.size() + refused.size() + refusals.size + keyUses.size() === 0;
    if (flushing === null && !isEmpty) void flush();
  }, limits.flushMilliseconds);
  timer.unref();

  return {
    note,
    flush,
    async prune(now, signal = neverAborted) {
      let pruned = 0;
      for (;;) {
        const rows = await firstOfEveryGroup(database, listCounts, [pruned], {
          columns: ['account_id'],
          limit: accountsAtOnceMax,
        });
        for (const row of rows) {
          const accountId = Number(row['account_id']);
          const isLeft = await pruneAccount(accountId, Number(row['request_count']), now, signal);
          if (!isLeft) {
            pruned = accountId;
            continue;
          }
          const counted = await fromEveryGroup(database, countAccountsAfter, [pruned]);
          return counted.reduce((sum, each) => sum + Number(each['count']), 0);
        }
        if (rows.length < accountsAtOnceMax) return 0;
      }
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Newest first, below `before`; `status` from `statusMin` to `statusMax`. */
export async function listRequests(
  database: Queryable,
  accountId: number,
  filter: { before: number; statusMin: number; statusMax: number; limit: number },
): Promise<LoggedRequest[]> {
  const { before, statusMin, statusMax, limit } = filter;
  const [span] = await database.ofAccount(accountId).query(findSpan, [accountId]);
  const oldest = Number(span?.['oldest'] ?? Number.POSITIVE_INFINITY);
  const found: LoggedRequest[] = [];
  let to = Math.min(before - 1, Number(span?.['newest'] ?? 0));
  for (; to >= oldest && found.length < limit; to -= stretch) {
    const values = [accountId, to - stretch + 1, to, statusMin, statusMax, limit - found.length];
    found.push(...(await database.query(listLines, values)).map((row) => apiRequests.parse(row)));
  }
  return found;
}

/** Refusals of both APIs, known accounts or not, since a day; the most frequent first. */
export async function listRefusals(
  database: Queryable,
  sinceDay: string,
): Promise<{ code: string; count: number }[]> {
  const rows = await database.query(sumRefusals, [sinceDay]);
  return rows.map((row) => ({ code: String(row['code']), count: Number(row['refusals']) }));
}

const harmless = /^(?:\/(?:[a-z][a-z-]{0,23}|v\d|\d{1,16})){1,8}$/;
const harmlessPart = /^(?:[a-z][a-z-]{0,23}|v\d|\d{1,16})?$/;

/**
 * The path of a request as it may be kept: without the query, and with whatever is neither a word nor a number
 * cut out, because somebody will send their key in a path.
 */
export function loggablePath(url: string): string {
  if (harmless.test(url)) return url;
  // Joined anew: a slice would keep the whole of a long address in memory.
  const parts = (url.split('?', 1)[0] ?? '').split('/', 9).slice(1);
  return `/${parts.map((part) => (harmlessPart.test(part) ? part : '…')).join('/')}`;
}

function refusalRows(counted: ReadonlyMap<string, number>) {
  return [...counted].map(([key, count]) => {
    const [day, code = ''] = key.split(' ');
    return { day: formatTime(Number(day) * 86_400).slice(0, 10), code, count };
  });
}
