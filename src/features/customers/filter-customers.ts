// Customers that fit a filter of the API, page by page. Which index a page reads: what customers are found by, where a
// text or an id is looked for; the ends of plans, where few are in the time that is asked for; those who are suspended;
// otherwise the customers, newest first. A page reads a bounded range of its index: it may hold less than a page, and then says where to go on.
// Always true: no page is in the order of anything that an order changes. Whoever renews what a list shows, page after
// page, would otherwise see the renewed ones again, and renew them again.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type Customer, shownCustomers } from '../order-engine/records/customer-table.ts';
import { type CustomerStatus, mayUsePlan } from '../order-engine/records/plan-life.ts';
import {
  externalRefTerm,
  folded,
  indexedCustomers,
  searchTerm,
  searchTerms,
} from './customer-search-terms.ts';

export interface CustomerFilter {
  /** The start of a reference, a name or an external_ref; null: any. */
  readonly start: string | null;
  readonly externalRef: string | null;
  readonly status: CustomerStatus | null;
  readonly packageId: number | null;
  /** As `plan.active` is at `now`: the plan runs, and the account has not suspended it. */
  readonly isActive: boolean | null;
  readonly now: EpochSeconds;
  /** When the plan ends: from `since` up to, not including, `until`; null: at any time. */
  readonly expires: { readonly since: EpochSeconds; readonly until: EpochSeconds } | null;
}

export interface FilteredCustomers {
  readonly items: readonly Customer[];
  /** Where to go on; null: there is no more. */
  readonly next: string | null;
}

/** Rows of one statement: few at first, for filters that most customers fit, and soon many. */
const pagesAtFirst = 2;
const growth = 4;
const rowsAtOnceMax = 2_000;
const rowsOfPageMax = 20_000;

const numberMax = 2_147_483_647;
/** Above every moment that a row can have: the year 10000. */
const endOfTime = 253_402_300_800;
const afterEveryText = '\u{10ffff}';
const afterNoText = '\u0001';

/** So many ends of plans are read for a page; more of them are found among the customers soon enough. */
const endsAtOnceMax = 2_000;

/** Where a page goes on, and in which index. */
type FilterCursor =
  | { readonly by: 'number'; readonly below: number }
  /** Those whose terms are not there yet: numbers above `mark`. They come first; then the terms of those up to it. */
  | { readonly by: 'tail'; readonly mark: number; readonly below: number }
  | { readonly by: 'term'; readonly mark: number; readonly number: number; readonly term: string };

const fitsInSql = `($4::text is null or c.status = $4::text) and ($5::int is null or c.package_id = $5::int)
      and c.expires_at >= to_timestamp($6::bigint) and c.expires_at < to_timestamp($7::bigint)
      and ($9::boolean is null
        or $9::boolean = (c.expires_at > to_timestamp($10::bigint) and not c.cancelled and not c.suspended))`;

// The range's last row comes too, whatever it holds: it says where the next one begins.
const listDown = (name: string, only: string): SqlStatement => ({
  name,
  text: `select *, ${fitsInSql} as fits from (
      select ${shownCustomers.list('c')}, row_number() over (order by c.number desc) as place
      from (select * from customers c
        where c.account_id = $1::int and c.number > $2::int and c.number < $3::int ${only}
        order by c.number desc limit $8::int) c) c
    where (${fitsInSql}) or place = $8::int order by place`,
});

const listByNumber = listDown('filter_customers_by_number', '');

// Of these there is an index: a word of ours, not a value, so that it is taken whatever the plan was made for.
const listSuspended = listDown('filter_customers_suspended', `and c.status = 'suspended'`);

const inTime = `c.account_id = $1::int and c.expires_at >= to_timestamp($6::bigint)
      and c.expires_at < to_timestamp($7::bigint)`;

const countEnds: SqlStatement = {
  name: 'count_customers_by_expiry',
  text: `select count(*) as count from (select 1 from customers c
      where c.account_id = $1::int and c.expires_at >= to_timestamp($2::bigint) and c.expires_at < to_timestamp($3::bigint)
      order by c.expires_at limit ${endsAtOnceMax + 1}) c`,
};

// The offset keeps the other conditions out: while the table is young, another index would seem as good, for ever.
const listByExpiry: SqlStatement = {
  name: 'filter_customers_by_expiry',
  text: `select ${shownCustomers.list('c')}, null as place, true as fits
    from (select * from customers c where ${inTime} offset 0) c
    where c.number > $2::int and c.number < $3::int and ${fitsInSql} order by c.number desc limit $8::int`,
};

const countInactive: SqlStatement = {
  name: 'count_inactive_customers',
  text: `select (select count(*) from (select 1 from customers c
        where c.account_id = $1::int and c.expires_at >= to_timestamp($2::bigint) and c.expires_at < to_timestamp($3::bigint)
        order by c.expires_at limit ${endsAtOnceMax + 1}) ended)
      + (select count(*) from (select 1 from customers c where c.account_id = $1::int and c.suspended
        order by c.number limit ${endsAtOnceMax + 1}) held) as count`,
};

/** $11: the ended plans end before, those that are only suspended later. */
const listInactive: SqlStatement = {
  name: 'filter_customers_inactive',
  text: `select ${shownCustomers.list('c')}, null as place, true as fits
    from (select * from customers c where c.account_id = $1::int and c.expires_at >= to_timestamp($6::bigint)
        and c.expires_at < to_timestamp($11::bigint)
      union all select * from customers c where c.account_id = $1::int and c.suspended
        and c.expires_at >= to_timestamp($11::bigint) offset 0) c
    where c.number > $2::int and c.number < $3::int and ${fitsInSql} order by c.number desc limit $8::int`,
};

const listByTerm: SqlStatement = {
  name: 'filter_customers_by_term',
  text: `select t.term, ${shownCustomers.list('c')} from (
      select account_id, term, customer_number from customer_terms
      where account_id = $1::int and term >= $2::text and term < $3::text
        and (term > $2::text or customer_number > $4::int)
      order by term, customer_number limit $5::int) t
    join customers c on c.account_id = t.account_id and c.number = t.customer_number
    order by t.term, t.customer_number`,
};

/** @throws Error for a position that is none of ours */
export async function filterCustomers(
  database: Queryable,
  accountId: number,
  filter: CustomerFilter,
  position: string | null,
  limit: number,
): Promise<FilteredCustomers> {
  // No package has such an id.
  if ((filter.packageId ?? 0) > numberMax) return { items: [], next: null };
  const found: Found[] = [];
  let cursor: FilterCursor | null =
    position === null ? await firstCursor(database, accountId, filter) : parseCursor(position);
  const isRare = await areEndsFew(database, accountId, filter);
  // Of rare ones, all that a page can hold are there at once.
  const first = (limit + 1) * (isRare ? 1 : pagesAtFirst);
  let read = 0;
  for (let rows = first; cursor !== null && found.length <= limit && read < rowsOfPageMax; ) {
    const range: RowRange = await readRange(database, accountId, filter, cursor, rows, isRare);
    found.push(...range.found);
    cursor = range.next;
    read += rows;
    rows = Math.min(rowsAtOnceMax, rows * growth);
  }
  const page = found.slice(0, limit);
  const next = found.length > limit ? (page.at(-1)?.after ?? null) : cursor;
  return { items: page.map(({ customer }) => customer), next: next && formatCursor(next) };
}

interface Found {
  readonly customer: Customer;
  readonly after: FilterCursor;
}

interface RowRange {
  readonly found: readonly Found[];
  readonly next: FilterCursor | null;
}

async function firstCursor(
  database: Queryable,
  accountId: number,
  filter: CustomerFilter,
): Promise<FilterCursor> {
  if (filter.start !== null || filter.externalRef !== null) {
    return { by: 'tail', mark: await indexedCustomers(database, accountId), below: numberMax };
  }
  return { by: 'number', below: numberMax };
}

/** When the plans end that are looked for. */
function endsOf({ isActive, now, expires }: CustomerFilter): { since: EpochSeconds; until: EpochSeconds } {
  const { since, until } = expires ?? { since: 0, until: endOfTime };
  return { since: isActive === true ? Math.max(since, now + 1) : since, until };
}

/** Up to here the end alone makes a plan inactive. */
function endedUntil({ now }: CustomerFilter, until: EpochSeconds): EpochSeconds {
  return Math.min(until, now + 1);
}

async function areEndsFew(database: Queryable, accountId: number, filter: CustomerFilter): Promise<boolean> {
  const { since, until } = endsOf(filter);
  const isInactive = filter.isActive === false;
  if (since === 0 && until === endOfTime && !isInactive) return false;
  const statement = isInactive ? countInactive : countEnds;
  const values = [accountId, since, isInactive ? endedUntil(filter, until) : until];
  const [row] = await database.ofAccount(accountId).query(statement, values);
  return Number(row?.['count']) <= endsAtOnceMax;
}

async function readRange(
  database: Queryable,
  accountId: number,
  filter: CustomerFilter,
  cursor: FilterCursor,
  rows: number,
  isRare: boolean,
): Promise<RowRange> {
  switch (cursor.by) {
    case 'number':
    case 'tail': {
      const isTail = cursor.by === 'tail';
      const { since, until } = endsOf(filter);
      const { status, packageId, isActive, now } = filter;
      const mark = isTail ? cursor.mark : 0;
      const span = [status, packageId, since, until, rows, isActive, now];
      const byNumber = status === 'suspended' ? listSuspended : listByNumber;
      const statement = isActive === false ? listInactive : listByExpiry;
      const isByEnd = isRare && !isTail;
      const more = isByEnd && isActive === false ? [endedUntil(filter, until)] : [];
      const values = [accountId, mark, cursor.below, ...span, ...more];
      const list = await database.ofAccount(accountId).query(isByEnd ? statement : byNumber, values);
      const then = isTail ? firstTerm(filter, cursor.mark) : null;
      return rangeOf(list, rows, filter, then, ({ number }) => ({ ...cursor, below: number }));
    }
    case 'term':
      return readTerms(database, accountId, filter, cursor, rows);
    default:
      return cursor satisfies never;
  }
}

function rangeOf(
  list: readonly Row[],
  rows: number,
  filter: CustomerFilter,
  then: FilterCursor | null,
  after: (customer: Customer) => FilterCursor,
): RowRange {
  const found: Found[] = [];
  let next = then;
  for (const row of list) {
    const customer = shownCustomers.parse(row);
    if (row['fits'] === true && fits(customer, filter)) found.push({ customer, after: after(customer) });
    if (Number(row['place']) === rows) next = after(customer);
  }
  return { found, next };
}

async function readTerms(
  database: Queryable,
  accountId: number,
  filter: CustomerFilter,
  cursor: FilterCursor & { readonly by: 'term' },
  rows: number,
): Promise<RowRange> {
  const { from, to } = termSpan(filter);
  const values = [accountId, cursor.term, to, cursor.number, rows];
  const list = await database.ofAccount(accountId).query(listByTerm, values);
  const found: Found[] = [];
  let next: FilterCursor | null = null;
  for (const row of list) {
    const customer = shownCustomers.parse(row);
    const term = String(row['term']);
    next = { ...cursor, number: customer.number, term };
    if (customer.number > cursor.mark || !fits(customer, filter)) continue;
    if (filter.externalRef === null && term !== firstTermOf(customer, from)) continue;
    found.push({ customer, after: next });
  }
  return { found, next: list.length < rows ? null : next };
}

function firstTerm(filter: CustomerFilter, mark: number): FilterCursor | null {
  return mark === 0 ? null : { by: 'term', mark, number: 0, term: termSpan(filter).from };
}

/** The terms that a search reads: from, included, and to, not included. */
function termSpan({ start, externalRef }: CustomerFilter): { from: string; to: string } {
  if (externalRef !== null) {
    const from = externalRefTerm(externalRef);
    return { from, to: `${from}${afterNoText}` };
  }
  const from = searchTerm(folded(start ?? ''));
  return { from, to: `${from}${afterEveryText}` };
}

/** Of a customer whom several texts find, the one that shows them: each is shown once. */
function firstTermOf(customer: Customer, from: string): string | undefined {
  return searchTerms(customer)
    .filter((term) => term.startsWith(from))
    .sort()[0];
}

/** What every row is held to, whichever index it came from. */
function fits(customer: Customer, { start, externalRef, ...filter }: CustomerFilter): boolean {
  const { status, packageId, isActive, now, expires } = filter;
  return (
    (status === null || customer.status === status) &&
    (packageId === null || customer.packageId === packageId) &&
    (isActive === null || mayUsePlan(customer, now) === isActive) &&
    (expires === null || (customer.expiresAt >= expires.since && customer.expiresAt < expires.until)) &&
    (externalRef === null || customer.externalRef === externalRef) &&
    (start === null || firstTermOf(customer, searchTerm(folded(start))) !== undefined)
  );
}

function formatCursor(cursor: FilterCursor): string {
  switch (cursor.by) {
    case 'number':
      return `n${cursor.below}`;
    case 'tail':
      return `u${cursor.mark}.${cursor.below}`;
    case 'term':
      return `t${cursor.mark}.${cursor.number}.${cursor.term}`;
    default:
      return cursor satisfies never;
  }
}

function parseCursor(text: string): FilterCursor {
  const [, by, first, second, term = ''] = /^([nut])(\d+)(?:\.(\d+))?(?:\.(.*))?$/su.exec(text) ?? [];
  const [one, two] = [Number(first), Number(second)];
  if (by === 'n') return { by: 'number', below: one };
  if (by === 'u') return { by: 'tail', mark: one, below: two };
  if (by === 't') return { by: 'term', mark: one, number: two, term };
  throw new Error('A position in the list of customers cannot be read.');
}
