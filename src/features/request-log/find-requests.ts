import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { apiRequests, type LoggedRequest } from './request-lines.ts';

const endOfTime = 253_402_300_800;

/** Rows per statement. On the embedded database, orders wait for each statement. */
const rangeRows = 20_000;

const findSpan: SqlStatement = {
  name: 'find_api_request_span',
  text: `select c.request_count as newest, o.number as oldest, extract(epoch from o.at)::bigint as oldest_at
    from api_request_counts c left join lateral (
      select r.number, r.at from api_requests r where r.account_id = $1::int order by r.number limit 1) o on true
    where c.account_id = $1::int`,
};

// Lines are numbered in time order, except late ones of other processes, so a binary search is only approximate.
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
/** By how much lines may be out of order. */
const disorderSeconds = 120;

/** The filter except for the status. Its seven parameters are numbered from `after` + 1. */
const matching = (after: number) => {
  const [since, until, code, keyId, method, path, requestId] = Array.from(
    { length: 7 },
    (_, index) => `$${after + index + 1}`,
  );
  return `at >= to_timestamp(${since}::bigint) and at < to_timestamp(${until}::bigint)
      and (${code}::text is null or code = ${code}::text) and (${keyId}::int is null or key_id = ${keyId}::int)
      and (${method}::text is null or method = ${method}::text)
      and (${path}::text is null or strpos(path, ${path}::text) > 0)
      and (${requestId}::text is null or request_id = ${requestId}::text)`;
};

const listLines: SqlStatement = {
  name: 'list_api_requests',
  text: `select ${apiRequests.list('r')} from api_requests r
    where account_id = $1::int and number between $2::bigint and $3::bigint and status between $4::int and $5::int
      and ${matching(6)}
    order by number desc limit $6::int`,
};

const countByDay: SqlStatement = {
  name: 'count_api_requests_by_day',
  text: `select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as requests,
      count(*) filter (where status between 200 and 299) as succeeded,
      count(*) filter (where status between 400 and 499) as refused,
      count(*) filter (where status between 500 and 599) as failed
    from api_requests
    where account_id = $1::int and number between $2::bigint and $3::bigint and ${matching(3)}
    group by 1`,
};

const countByKey: SqlStatement = {
  name: 'count_api_requests_by_key',
  text: `select key_id, count(*) as requests, count(*) filter (where status >= 400) as refused from api_requests
    where account_id = $1::int and number between $2::bigint and $3::bigint and at >= to_timestamp($4::bigint)
      and key_id is not null
    group by key_id`,
};

const findLine: SqlStatement = {
  name: 'find_api_request',
  text: `select ${apiRequests.list('r')} from api_requests r
    where account_id = $1::int and number = $2::bigint and at >= to_timestamp($3::bigint)`,
};

/** From `since` (inclusive) to `until` (exclusive). A null field matches any. */
export interface RequestTerms {
  readonly since: EpochSeconds;
  readonly until: EpochSeconds;
  readonly code: string | null;
  readonly keyId: number | null;
  readonly method: string | null;
  readonly pathPart: string | null;
  readonly requestId: string | null;
}

/** Lines before `before`. */
export interface RequestFilter extends RequestTerms {
  readonly before: number;
  readonly statusMin: number;
  readonly statusMax: number;
  readonly limit: number;
}

export async function listRequests(
  database: Queryable,
  accountId: number,
  filter: RequestFilter,
): Promise<LoggedRequest[]> {
  const { before, since, until, statusMin, statusMax, limit } = filter;
  const group = database.ofAccount(accountId);
  const kept = await linesSince(group, accountId, since);
  if (kept === null) return [];
  const { from, last, numberAt } = kept;
  const end = Math.min(before - 1, last);
  const found: LoggedRequest[] = [];
  const terms = termsOf(filter);
  let to = Math.min(end, until >= endOfTime ? end : (await numberAt(until + disorderSeconds)) - 1);
  for (; to >= from && found.length < limit; to -= rangeRows) {
    const low = Math.max(from, to - rangeRows + 1);
    const values = [accountId, low, to, statusMin, statusMax, limit - found.length, ...terms];
    found.push(...(await group.query(listLines, values)).map((row) => apiRequests.parse(row)));
  }
  return found;
}

function termsOf({ since, until, code, keyId, method, pathPart, requestId }: RequestTerms) {
  return [since, until, code, keyId, method, pathPart, requestId];
}

export interface RequestCounts {
  readonly requests: number;
  readonly succeeded: number;
  readonly refused: number;
  readonly failed: number;
}

/** By UTC day; days without a request are left out. */
export async function countRequestsByDay(
  database: Queryable,
  accountId: number,
  terms: RequestTerms,
): Promise<ReadonlyMap<string, RequestCounts>> {
  const group = database.ofAccount(accountId);
  const days = new Map<string, RequestCounts>();
  const kept = await linesSince(group, accountId, terms.since);
  for (let low = kept?.from ?? 0; kept !== null && low <= kept.last; low += rangeRows) {
    const values = [accountId, low, Math.min(low + rangeRows - 1, kept.last), ...termsOf(terms)];
    for (const row of await group.query(countByDay, values)) {
      const day = String(row['day']);
      days.set(day, sumOfCounts([days.get(day) ?? noRequests, countsOf(row)]));
    }
  }
  return days;
}

const noRequests: RequestCounts = { requests: 0, succeeded: 0, refused: 0, failed: 0 };

function countsOf(row: Row): RequestCounts {
  return {
    requests: Number(row['requests']),
    succeeded: Number(row['succeeded']),
    refused: Number(row['refused']),
    failed: Number(row['failed']),
  };
}

export function sumOfCounts(counts: Iterable<RequestCounts>): RequestCounts {
  let { requests, succeeded, refused, failed } = noRequests;
  for (const each of counts) {
    requests += each.requests;
    succeeded += each.succeeded;
    refused += each.refused;
    failed += each.failed;
  }
  return { requests, succeeded, refused, failed };
}

/** The numbers of the account's lines from about `since` on. null if it has no lines. */
async function linesSince(group: Queryable, accountId: number, since: EpochSeconds) {
  const [span] = await group.query(findSpan, [accountId]);
  const first = nullable(Number, span?.['oldest']);
  if (span === undefined || first === null) return null;
  const last = Number(span['newest']);
  const numberAt = async (at: EpochSeconds) =>
    Number((await group.query(findNumberAt, [accountId, first, last + 1, at]))[0]?.['number']);
  const from = Number(span['oldest_at']) >= since ? first : await numberAt(since - disorderSeconds);
  return { from, last, numberAt };
}

/** The numbers of the lines from about `since` to about `until`, at most as many as one statement reads. */
export async function spanOfTime(
  database: Queryable,
  accountId: number,
  since: EpochSeconds,
  until: EpochSeconds,
): Promise<{ readonly from: number; readonly to: number } | null> {
  const kept = await linesSince(database.ofAccount(accountId), accountId, since);
  if (kept === null) return null;
  const to = (await kept.numberAt(until + disorderSeconds)) - 1;
  return { from: kept.from, to: Math.min(kept.last, to, kept.from + rangeRows - 1) };
}

export interface KeyRequests {
  readonly requests: number;
  readonly refused: number;
}

/** By the id of the key. */
export async function countRequestsByKey(
  database: Queryable,
  accountId: number,
  since: EpochSeconds,
): Promise<ReadonlyMap<number, KeyRequests>> {
  const group = database.ofAccount(accountId);
  const counts = new Map<number, KeyRequests>();
  const kept = await linesSince(group, accountId, since);
  for (let low = kept?.from ?? 0; kept !== null && low <= kept.last; low += rangeRows) {
    const high = Math.min(low + rangeRows - 1, kept.last);
    for (const row of await group.query(countByKey, [accountId, low, high, since])) {
      const keyId = Number(row['key_id']);
      const { requests = 0, refused = 0 } = counts.get(keyId) ?? {};
      counts.set(keyId, {
        requests: requests + Number(row['requests']),
        refused: refused + Number(row['refused']),
      });
    }
  }
  return counts;
}

export async function findRequest(
  database: Queryable,
  accountId: number,
  number: number,
  since: EpochSeconds,
): Promise<LoggedRequest | null> {
  const [row] = await database.ofAccount(accountId).query(findLine, [accountId, number, since]);
  return row === undefined ? null : apiRequests.parse(row);
}
