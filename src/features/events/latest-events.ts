// The event feed newest first, for people. Reading it does not start recording.

import type { Database, Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findExtent } from './account-feed.ts';
import { type AccountEvent, events } from './event-log.ts';
import type { EventType } from './event-schemas.ts';

const listDown: SqlStatement = {
  name: 'list_events_down',
  text: `select ${events.list('e')} from events e
    where e.account_id = $1::int and e.number between $4::int and $2::int - 1
    order by e.account_id desc, e.number desc limit $3::int`,
};

const listOfTypeDown: SqlStatement = {
  name: 'list_events_of_type_down',
  text: `select ${events.list('e')} from events e
    where e.account_id = $1::int and e.type = $5::text and e.number between $4::int and $2::int - 1
    order by e.account_id desc, e.type desc, e.number desc limit $3::int`,
};

const rowsAtOnce = 2_000;
/** Statements per page of a search. After that, the page ends even if it is not full. */
const roundsMax = 10;

// Event data has no index, so a search scans it, one bounded range of numbers per statement.
const search: SqlStatement = {
  name: 'search_events_down',
  text: `with looked as materialized (select * from events e
      where e.account_id = $1::int and e.number between $3::int and $2::int - 1
      order by e.account_id desc, e.number desc limit ${rowsAtOnce})
    select seen.reached, seen.rows as looked, ${events.list('e')}
    from (select min(number) as reached, count(*) as rows from looked) seen
    left join (select * from looked where ($5::text is null or type = $5::text)
      and strpos(lower(data::text), lower($4::text)) > 0) e on true
    order by e.number desc`,
};

const findAtNumber: SqlStatement = {
  name: 'find_event_from_number',
  text: `select number as place, extract(epoch from created_at)::bigint as at from events
    where account_id = $1::int and number >= $2::int order by account_id, number limit 1`,
};

export interface LatestQuestion {
  readonly accountId: number;
  readonly type: EventType | null;
  readonly words: string;
  readonly span: { readonly since: EpochSeconds; readonly until: EpochSeconds } | null;
  readonly before: number;
  readonly limit: number;
}

export interface LatestEvents {
  /** false if the account's events were never requested, so that none are recorded. */
  readonly areWritten: boolean;
  readonly events: readonly AccountEvent[];
  /** The next page starts below this number. null on the last page. */
  readonly next: number | null;
}

export async function readLatestEvents(database: Database, question: LatestQuestion): Promise<LatestEvents> {
  const { accountId, span, words, limit } = question;
  const group = database.ofAccount(accountId);
  const [extent] = await group.query(findExtent, [accountId, 0]);
  const total = Number(extent?.['event_count'] ?? 0);
  const areWritten = extent !== undefined && extent['event_count'] !== null;
  const from = span === null ? 1 : await findFirstAt(group, accountId, span.since, total);
  const end = span === null ? total + 1 : await findFirstAt(group, accountId, span.until, total);
  // Include events that were added after the count was read.
  const before = end > total ? question.before : Math.min(question.before, end);
  if (words !== '') return { areWritten, ...(await searchDown(group, { ...question, before }, from)) };
  const rows = await listRows(group, { ...question, before }, from);
  const found = rows.slice(0, limit).map((row) => events.parse(row));
  return { areWritten, events: found, next: rows.length > limit ? (found.at(-1)?.number ?? null) : null };
}

function listRows(
  group: Queryable,
  { accountId, type, before, limit }: LatestQuestion,
  from: number,
): Promise<readonly Row[]> {
  const values = [accountId, before, limit + 1, from];
  return type === null ? group.query(listDown, values) : group.query(listOfTypeDown, [...values, type]);
}

async function searchDown(
  group: Queryable,
  { accountId, type, words, before, limit }: LatestQuestion,
  from: number,
): Promise<Omit<LatestEvents, 'areWritten'>> {
  const written = JSON.stringify(words).slice(1, -1);
  const found: AccountEvent[] = [];
  let to = before;
  for (let round = 0; round < roundsMax; round += 1) {
    const rows = await group.query(search, [accountId, to, from, written, type]);
    found.push(
      ...rows
        .filter((row) => row['number'] !== null)
        .map((row) => events.parse(row))
        .filter(({ data }) => holds(JSON.parse(data), words.toLowerCase())),
    );
    if (found.length > limit) {
      const page = found.slice(0, limit);
      return { events: page, next: page.at(-1)?.number ?? null };
    }
    const reached = nullable(Number, rows[0]?.['reached']);
    if (reached === null || Number(rows[0]?.['looked']) < rowsAtOnce) return { events: found, next: null };
    to = reached;
  }
  return { events: found, next: to };
}

/** Searches the values of the data, not the names of its fields. */
function holds(value: unknown, words: string): boolean {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).some((one) => holds(one, words));
  return (
    (typeof value === 'string' || typeof value === 'number') && String(value).toLowerCase().includes(words)
  );
}

/** The number of the first event at or after `at`; total + 1 if all are earlier. */
async function findFirstAt(
  group: Queryable,
  accountId: number,
  at: EpochSeconds,
  total: number,
): Promise<number> {
  let first = total + 1;
  for (let [low, high] = [1, total]; low <= high; ) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await group.query(findAtNumber, [accountId, middle]);
    const place = row === undefined ? null : Number(row['place']);
    if (place !== null && Number(row?.['at']) < at) low = place + 1;
    else {
      if (place !== null) first = place;
      high = middle - 1;
    }
  }
  return first;
}
