// The log of requests with an API key, for the account that sent them, and the count of refusals by day, without tests.
// A request costs one push of a small object; what was pushed is written afterwards, in batches, every
// second.
// Always true: nothing waits for this log. When more comes than can be written, the accounts that have most lines lose
// some, and each is counted; the buffer and each account's lines are bounded, and neither a query's values nor a body
// is ever in a line. What was sent and answered comes beside it, of accounts that keep it (request-bodies.ts). That a key
// was used is noted whether or not its line is.
// The only writer of api_requests and api_request_counts.

import {
  byGroup,
  type Database,
  type Queryable,
  type Row,
  type SqlStatement,
} from '../../platform/database/database.ts';
import { deleteInPieces, type OldRows } from '../../platform/database/delete-in-pieces.ts';
import { nullable } from '../../platform/database/row-values.ts';
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
import { createFairQueue } from '../../platform/limits/fair-queue.ts';
import type { ErrorCode } from '../../shared/error-catalogue.ts';
import { isTestAccount, realAccountIdMax } from '../../shared/identifiers.ts';
import { dayOf, type EpochSeconds } from '../../shared/times.ts';
import { holdTestInUse } from '../identity/account-in-use.ts';
import { createKeyUses, type UsedKeys } from './key-uses.ts';
import { createRefusalCounter, deleteOldRefusals } from './refusal-counts.ts';
import {
  type CapturedExchange,
  deleteForgottenBodies,
  deleteRequestBodies,
  insertRequestBodies,
} from './request-bodies.ts';

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
  /** The key that it came with, whichever of its secrets was sent. */
  keyId: nullableInt('key_id'),
});

export type LoggedRequest = RowOf<typeof apiRequests>;

type KnownLine = Omit<LoggedRequest, 'number'> & {
  /** Which secret of the key it came with; null: none that is known. */
  readonly secretId: number | null;
};

/** `accountId` null: no account was recognised; only its refusal is counted. */
export type RequestLine = KnownLine | (Omit<KnownLine, 'accountId'> & { readonly accountId: null });

/** `position`: among all lines of this process. */
interface NumberedLine {
  readonly line: KnownLine;
  readonly position: number;
}

export interface RequestLogLimits {
  /** Between two flushes: of requests that were let in, and of requests that were refused by the guard. */
  readonly linesMax: number;
  readonly refusedLinesMax: number;
  readonly linesPerStatement: number;
  readonly flushMilliseconds: number;
  readonly keptSeconds: number;
  readonly keptPerAccountMax: number;
  /** Of exchanges that are kept: between two flushes, and of one account. */
  readonly exchangesMax: number;
  readonly exchangesPerAccountMax: number;
  /** How long it is known whose refusals those of a day were. */
  readonly refusalsKeptDays: number;
}

export interface RequestLogDependencies {
  readonly database: Database;
  readonly limits: RequestLogLimits;
  /** Hears, once a minute for each key, that it was used. */
  readonly onKeysUsed: (uses: UsedKeys) => Promise<void>;
  readonly onDropped: (lines: number) => void;
}

export interface RequestLog {
  /** `exchange`: of an account that keeps it; it is dropped before its line is. */
  note(line: RequestLine, exchange?: CapturedExchange | null): void;
  /** Writes what was noted so far. Never fails: what cannot be written is dropped. */
  flush(): Promise<void>;
  /** Deletes what is too old and what is too much; returns of how many accounts something may be left. */
  prune(now: EpochSeconds, signal?: AbortSignal): Promise<number>;
  /** Stops the timer and writes the rest. */
  close(): Promise<void>;
}

// Numbers are given out under the lock of the account's counter, accounts in order: no deadlocks, no gaps. Of a test that was
// reset nothing is written; that of one in use holds its row (identity/account-in-use.ts).
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

/** Behind others that hold the rows of the tests: Citus 13 cannot read what such a part of a statement found. */
const insertLinesApart: SqlStatement = { name: 'insert_api_requests_apart', text: insertingLines('', '') };

/** After every moment that a line can have: the year 10000. */
const endOfTime = 253_402_300_800;

/** One statement looks at this many lines: on the embedded database orders wait for it. */
const rangeRows = 20_000;

const findSpan: SqlStatement = {
  name: 'find_api_request_span',
  text: `select c.request_count as newest, o.number as oldest, extract(epoch from o.at)::bigint as oldest_at
    from api_request_counts c left join lateral (
      select r.number, r.at from api_requests r where r.account_id = $1::int order by r.number limit 1) o on true
    where c.account_id = $1::int`,
};

// Lines are numbered in the order in which they were written, which is that of their times but for what several processes
// have not written yet: a binary search finds where a moment lies, give or take that.
const findNumberAt: SqlStatement = {
  name: 'find_api_request_number_at',
  text: `with recursive probe (low, high) as (
      select $2::bigint, $3::bigint
      union all
      select case when is_before then p.low + (p.high - p.low) / 2 + 1 else p.low end,
        case when is_before then p.high else p.low + (p.high - p.low) / 2 end
      from probe p left join lateral (
        select r.at from api_requests r
        where r.account_id = $1::int and r.number = p.low + (p.high - p.low) / 2) r on true
      cross join lateral (select coalesce(r.at < to_timestamp($4::bigint), true) as is_before) b
      where p.low < p.high)
    select max(low) as number from probe`,
};
/** How far apart in time lines may be that stand in the other order. */
const disorderSeconds = 120;

const listLines: SqlStatement = {
  name: 'list_api_requests',
  text: `select ${apiRequests.list('r')} from api_requests r
    where account_id = $1::int and number between $2::bigint and $3::bigint and status between $4::int and $5::int
      and at >= to_timestamp($7::bigint) and at < to_timestamp($8::bigint)
      and ($9::text is null or code = $9::text) and ($10::int is null or key_id = $10::int)
      and ($11::text is null or method = $11::text) and ($12::text is null or starts_with(path, $12::text))
      and ($13::text is null or request_id = $13::text)
    order by number desc limit $6::int`,
};

const findLine: SqlStatement = {
  name: 'find_api_request',
  text: `select ${apiRequests.list('r')} from api_requests r
    where account_id = $1::int and number = $2::bigint and at >= to_timestamp($3::bigint)`,
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

/** Whoever is refused with these sends as often as they like: their lines keep no others out. */
const guardCodes: ReadonlySet<string> = new Set<ErrorCode>([
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
  const exchanges = createFairQueue<
    number,
    { readonly line: KnownLine; readonly exchange: CapturedExchange }
  >(limits.exchangesMax);
  let noted = 0;
  const refusals = createRefusalCounter(database);
  let flushing: Promise<void> | null = null;
  const keyUses = createKeyUses(onKeysUsed, limits.linesPerStatement);
  /** The account's line at which its log is shortened next. */
  const pruneAt = new Map<number, number>();
  const pruneStep = Math.max(1, Math.floor(limits.keptPerAccountMax / 10));
  const bodiesStep = Math.max(1, Math.floor(limits.exchangesPerAccountMax / 10));

  function note(line: RequestLine, exchange: CapturedExchange | null = null): void {
    if (line.code !== null) refusals.note(line.code, line.at, line.accountId);
    if (line.accountId === null) return;
    if (line.secretId !== null && line.code !== 'revoked_api_key') keyUses.note(line.secretId, line.at);
    noted += 1;
    const lines = line.code !== null && guardCodes.has(line.code) ? refused : letIn;
    if (exchange !== null) exchanges.push(line.accountId, { line, exchange });
    if (lines.push(line.accountId, { line, position: noted }) !== null) onDropped(1);
  }

  function takeExchanges(): Map<KnownLine, CapturedExchange> {
    const taken = new Map<KnownLine, CapturedExchange>();
    for (let next = exchanges.shift(); next !== undefined; next = exchanges.shift()) {
      taken.set(next.line, next.exchange);
    }
    return taken;
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
    await writeLines(takeWaiting(), takeExchanges());
    await refusals.write();
    await keyUses.write();
  }

  async function writeLines(
    lines: readonly KnownLine[],
    kept: ReadonlyMap<KnownLine, CapturedExchange>,
  ): Promise<void> {
    let written = 0;
    try {
      for (let from = 0; from < lines.length; from += limits.linesPerStatement) {
        const part = lines.slice(from, from + limits.linesPerStatement);
        for (const [accountId, ofGroup] of byGroup(database, part, (line) => line.accountId)) {
          const group = database.ofAccount(accountId);
          const counts = ofGroup.some((line) => kept.has(line))
            ? await insertWithBodies(group, ofGroup, kept)
            : await insertAlone(group, ofGroup);
          written += ofGroup.length;
          await pruneLong(counts, part.at(-1)?.at ?? 0);
        }
      }
    } catch {
      onDropped(lines.length - written);
    }
  }

  function insertAlone(group: Database, lines: readonly KnownLine[]): Promise<readonly Row[]> {
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

  /** In a transaction, if there are lines of tests. */
  async function insertApart(queryable: Queryable, lines: readonly KnownLine[]): Promise<readonly Row[]> {
    const ids = [...new Set(lines.map(({ accountId }) => accountId))].sort((one, other) => one - other);
    const gone = new Set<number>();
    for (const id of ids) if (!(await holdTestInUse(queryable, id))) gone.add(id);
    const kept = lines.filter(({ accountId }) => !gone.has(accountId));
    return kept.length === 0 ? [] : queryable.query(insertLinesApart, newLines.values(kept));
  }

  /** The lines hold the counters of their accounts: who keeps bodies is looked at behind that. */
  async function insertWithBodies(
    group: Database,
    lines: readonly KnownLine[],
    kept: ReadonlyMap<KnownLine, CapturedExchange>,
  ): Promise<readonly Row[]> {
    const written = await group.transaction(
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
    for (const { accountId, number } of written.bodies) {
      // The newest alone are kept: now and then, as more come.
      if (number % bodiesStep !== 0) continue;
      const upTo = number - limits.exchangesPerAccountMax;
      await deleteRequestBodies(database, accountId, upTo, neverAborted).catch(() => undefined);
    }
    return written.counts;
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
    const isEmpty = letIn.size() + refused.size() + refusals.size() + keyUses.size() === 0;
    if (flushing === null && !isEmpty) void flush();
  }, limits.flushMilliseconds);
  timer.unref();

  return {
    note,
    flush,
    async prune(now, signal = neverAborted) {
      let pruned = 0;
      const firstDay = dayOf(now - limits.refusalsKeptDays * 86_400);
      await deleteOldRefusals(database, firstDay, signal);
      await deleteForgottenBodies(database, signal);
      for (;;) {
        const first = { columns: ['account_id'], limit: accountsAtOnceMax };
        const rows = await queryShards(database, listCounts, [pruned], { first });
        for (const row of rows) {
          const accountId = Number(row['account_id']);
          const isLeft = await pruneAccount(accountId, Number(row['request_count']), now, signal);
          if (!isLeft) {
            pruned = accountId;
            continue;
          }
          const counted = await queryShards(database, countAccountsAfter, [pruned], 'every');
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

/** Lines below `before` of moments from `since` up to, not including, `until`; null: whichever. */
export interface RequestFilter {
  readonly before: number;
  readonly since: EpochSeconds;
  readonly until: EpochSeconds;
  readonly statusMin: number;
  readonly statusMax: number;
  readonly code: string | null;
  readonly keyId: number | null;
  readonly method: string | null;
  readonly pathPrefix: string | null;
  readonly requestId: string | null;
  readonly limit: number;
}

/** Newest first. Reads the numbers of these moments alone, so many at once. */
export async function listRequests(
  database: Queryable,
  accountId: number,
  filter: RequestFilter,
): Promise<LoggedRequest[]> {
  const { before, since, until, statusMin, statusMax, limit } = filter;
  const group = database.ofAccount(accountId);
  const [span] = await group.query(findSpan, [accountId]);
  const first = nullable(Number, span?.['oldest']);
  if (span === undefined || first === null) return [];
  const last = Number(span['newest']);
  const numberAt = async (at: EpochSeconds) =>
    Number((await group.query(findNumberAt, [accountId, first, last + 1, at]))[0]?.['number']);
  const from = Number(span['oldest_at']) >= since ? first : await numberAt(since - disorderSeconds);
  const end = Math.min(before - 1, last);
  const found: LoggedRequest[] = [];
  const { code, keyId, method, pathPrefix, requestId } = filter;
  const terms = [since, until, code, keyId, method, pathPrefix, requestId];
  let to = Math.min(end, until >= endOfTime ? end : (await numberAt(until + disorderSeconds)) - 1);
  for (; to >= from && found.length < limit; to -= rangeRows) {
    const low = Math.max(from, to - rangeRows + 1);
    const values = [accountId, low, to, statusMin, statusMax, limit - found.length, ...terms];
    found.push(...(await group.query(listLines, values)).map((row) => apiRequests.parse(row)));
  }
  return found;
}

/** null: there is none, or it is older than `since`. */
export async function findRequest(
  database: Queryable,
  accountId: number,
  number: number,
  since: EpochSeconds,
): Promise<LoggedRequest | null> {
  const [row] = await database.ofAccount(accountId).query(findLine, [accountId, number, since]);
  return row === undefined ? null : apiRequests.parse(row);
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
