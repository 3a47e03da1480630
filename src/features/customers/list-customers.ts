// Filtered customers by page, of one account or all. A page reads a bounded range of one index, so it may be short and then
// says where to continue.
// Invariant: for API keys, the order of pages never depends on anything that orders change. Otherwise a program that renews
// page after page would see renewed customers again and renew them twice.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import { type OwnedId, realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type Customer, lifeOf, shownCustomers } from '../order-engine/records/customer-table.ts';
import {
  type CustomerStatus,
  isSuspended,
  mayUsePlan,
  type PlanStatus,
  planStatus,
} from '../order-engine/records/plan-life.ts';
import {
  externalRefTerm,
  folded,
  indexedCustomers,
  searchTerm,
  searchTerms,
} from './customer-search-terms.ts';
import { holdsWords, mayHoldWords, wordPatterns } from './search-words.ts';

export interface CustomerFilter {
  /** The beginning of a reference, name or external_ref; null matches any. */
  readonly start: string | null;
  readonly externalRef: string | null;
  readonly status: CustomerStatus | null;
  readonly packageId: number | null;
  /** Whether the plan runs at `now` and the account has not suspended it; null matches both. */
  readonly isActive: boolean | null;
  /** The plan's end, from `since` (inclusive) to `until` (exclusive); null matches any. */
  readonly expires: { readonly since: EpochSeconds; readonly until: EpochSeconds } | null;
  readonly planStatus: PlanStatus | null;
  /** Whether the plan renews itself. The SQL does not filter by it: rows are checked after they are read. */
  readonly autoRenew: 'on' | 'off' | null;
  /** Words as folded by search-words.ts. An empty list matches any customer. */
  readonly words: readonly string[];
  /** If an id was typed: the customer with this id, or of the order with this id, is added to the matches. */
  readonly id: OwnedId | null;
  /** With `expiry` the plan that ends first comes first, with `last_expiry` the one that ends last. */
  readonly order: 'newest' | 'expiry' | 'last_expiry';
  readonly now: EpochSeconds;
}

export const everyCustomer: Omit<CustomerFilter, 'now'> = {
  start: null,
  externalRef: null,
  status: null,
  packageId: null,
  isActive: null,
  expires: null,
  planStatus: null,
  autoRenew: null,
  words: [],
  id: null,
  order: 'newest',
};

export interface FoundCustomers {
  readonly items: readonly Customer[];
  readonly next: string | null;
}

/** The first statement reads few rows, because most customers may match. Later ones read more. */
const pagesAtFirst = 2;
const growth = 4;
// On the embedded database's single session, orders wait for each statement (`Rank` in database.ts).
const rowsAtOnceMax = 2_000;
const rowsOfPageMax = 20_000;
/** The limit for searches by words and for conditions without an index. */
const rowsOfSearchMax = 100_000;
/** How many plan ends a page reads. If there are more, the other indexes find matches soon enough. */
const endsAtOnceMax = 2_000;

/** Sorted by end over all accounts: the most index rows that a statement reads per account, and that a page reads in all. */
const endsOfEachMax = 200;
const endsOfPageMax = 2_000;

const numberMax = 2_147_483_647;
const endOfTime = 253_402_300_800;
const afterEveryText = '\u{10ffff}';
const afterNoText = '\u0001';

type ListCursor =
  | { readonly by: 'number'; readonly below: number }
  /** Customers above `mark` have no terms yet. They come first, then the terms up to `mark`. */
  | { readonly by: 'tail'; readonly mark: number; readonly below: number }
  | { readonly by: 'term'; readonly mark: number; readonly number: number; readonly term: string }
  /** The plan's end when the page was read. It may have changed since. */
  | { readonly by: 'end'; readonly expiresAt: EpochSeconds; readonly number: number }
  | { readonly by: 'account'; readonly accountId: number; readonly below: number }
  /** As `end`, of all accounts. */
  | {
      readonly by: 'end-of-all';
      readonly expiresAt: EpochSeconds;
      readonly accountId: number;
      readonly number: number;
    };

const statusInSql = `case when c.cancelled then 'cancelled' when c.expires_at <= to_timestamp($7::bigint) then 'expired'
      when c.suspended or c.status = 'suspended' then 'suspended' else 'active' end`;

const fitsInSql = `($2::text is null or c.status = $2::text) and ($3::int is null or c.package_id = $3::int)
      and c.expires_at >= to_timestamp($4::bigint) and c.expires_at < to_timestamp($5::bigint)
      and ($6::boolean is null
        or $6::boolean = (c.expires_at > to_timestamp($7::bigint) and not c.cancelled and not c.suspended))
      and ($8::text is null or $8::text = ${statusInSql}) and ${mayHoldWords('c', '$9::text[]')}`;

// Always returns the range's last row, matching or not, because the next range starts there.
const rangeOf = (name: string, from: string, order: string): SqlStatement => ({
  name,
  text: `select *, ${fitsInSql} as fits from (
      select ${shownCustomers.list('c')}, row_number() over (order by ${order}) as place
      from (${from} order by ${order} limit $10::int) c) c
    where (${fitsInSql}) or place = $10::int order by place`,
});

const betweenNumbers = 'c.account_id = $1::int and c.number > $11::int and c.number < $12::int';

const listByNumber = rangeOf(
  'list_customers_by_number',
  `select * from customers c where ${betweenNumbers}`,
  'c.number desc',
);

// This is a literal instead of a parameter, so that every plan can use the partial index.
const listSuspended = rangeOf(
  'list_suspended_customers',
  `select * from customers c where ${betweenNumbers} and c.status = 'suspended'`,
  'c.number desc',
);

const listOfAll = rangeOf(
  'list_customers_of_all',
  'select * from customers c where (c.account_id, c.number) < ($1::int, $12::int) and c.number > $11::int',
  'c.account_id desc, c.number desc',
);

const inTime = `c.account_id = $1::int and c.expires_at >= to_timestamp($4::bigint)
      and c.expires_at < to_timestamp($5::bigint)`;

const listByExpiry = rangeOf(
  'list_customers_by_expiry',
  `select * from customers c where ${inTime} and c.number > $11::int
        and c.expires_at >= to_timestamp($13::bigint)
        and (c.expires_at, c.number) > (to_timestamp($13::bigint), $12::int)`,
  'c.expires_at, c.number',
);

const listByLastExpiry = rangeOf(
  'list_customers_by_last_expiry',
  `select * from customers c where ${inTime} and c.number > $11::int
        and c.expires_at <= to_timestamp($13::bigint)
        and (c.expires_at, c.number) < (to_timestamp($13::bigint), $12::int)`,
  'c.expires_at desc, c.number desc',
);

const endsOfAll = (
  name: string,
  [behind, from]: readonly [string, string],
  direction: string,
): SqlStatement => ({
  name,
  text: `select ${shownCustomers.list('c')}, ${fitsInSql} as fits from (
      select k.* from accounts a cross join lateral (
        select c.account_id, c.number, c.expires_at from customers c
        where c.account_id = a.id and c.number > $11::int
          and c.expires_at >= to_timestamp($4::bigint) and c.expires_at < to_timestamp($5::bigint)
          and c.expires_at ${from} to_timestamp($13::bigint)
          and (c.expires_at, c.account_id, c.number) ${behind} (to_timestamp($13::bigint), $1::int, $12::int)
        order by c.expires_at ${direction}, c.number ${direction} limit $10::int) k
      where a.id <= ${realAccountIdMax}
      order by k.expires_at ${direction}, k.account_id ${direction}, k.number ${direction} limit $10::int) k
    join customers c on c.account_id = k.account_id and c.number = k.number
    order by k.expires_at ${direction}, k.account_id ${direction}, k.number ${direction}`,
});

const listAllByExpiry = endsOfAll('list_customers_of_all_by_expiry', ['>', '>='], 'asc');
const listAllByLastExpiry = endsOfAll('list_customers_of_all_by_last_expiry', ['<', '<='], 'desc');

// `offset 0` makes the planner use the index for the time. On a young table another index would seem as good, and a cached
// plan would keep it.
const listInTime: SqlStatement = {
  name: 'list_customers_in_time',
  text: `select ${shownCustomers.list('c')}, null as place, true as fits
    from (select * from customers c where ${inTime} offset 0) c
    where c.number > $11::int and c.number < $12::int and ${fitsInSql} order by c.number desc limit $10::int`,
};

/** Plans that ended before $13, and later ones that are suspended. */
const listInactive: SqlStatement = {
  name: 'list_inactive_customers',
  text: `select ${shownCustomers.list('c')}, null as place, true as fits
    from (select * from customers c where c.account_id = $1::int and c.expires_at >= to_timestamp($4::bigint)
        and c.expires_at < to_timestamp($13::bigint)
      union all select * from customers c where c.account_id = $1::int and c.suspended
        and c.expires_at >= to_timestamp($13::bigint) offset 0) c
    where c.number > $11::int and c.number < $12::int and ${fitsInSql} order by c.number desc limit $10::int`,
};

const listByTerm: SqlStatement = {
  name: 'list_customers_by_term',
  text: `select t.term, ${shownCustomers.list('c')} from (
      select account_id, term, customer_number from customer_terms
      where account_id = $1::int and term >= $2::text and term < $3::text
        and (term > $2::text or customer_number > $4::int)
      order by term, customer_number limit $5::int) t
    join customers c on c.account_id = t.account_id and c.number = t.customer_number
    order by t.term, t.customer_number`,
};

const countEnds: SqlStatement = {
  name: 'count_customers_by_expiry',
  text: `select count(*) as count from (select 1 from customers c
      where c.account_id = $1::int and c.expires_at >= to_timestamp($2::bigint) and c.expires_at < to_timestamp($3::bigint)
      order by c.expires_at limit ${endsAtOnceMax + 1}) c`,
};

const countInactive: SqlStatement = {
  name: 'count_inactive_customers',
  text: `select (select count(*) from (select 1 from customers c
        where c.account_id = $1::int and c.expires_at >= to_timestamp($2::bigint) and c.expires_at < to_timestamp($3::bigint)
        order by c.expires_at limit ${endsAtOnceMax + 1}) ended)
      + (select count(*) from (select 1 from customers c where c.account_id = $1::int and c.suspended
        order by c.number limit ${endsAtOnceMax + 1}) held) as count`,
};

const countFitting: SqlStatement = {
  name: 'count_customers_in_time',
  text: `select count(*) as within, count(*) filter (where ${fitsInSql}) as fitting
    from (select * from customers c where ${inTime} order by c.expires_at limit ${endsAtOnceMax + 1}) c`,
};

const findOfId: SqlStatement = {
  name: 'find_customers_of_id',
  text: `select ${shownCustomers.list('c')} from customers c
    where c.account_id = $1::int and c.number = any(array[$2::int,
      (select o.customer_number from orders o where o.account_id = $1::int and o.number = $2::int)])
    order by c.number desc`,
};

/** `accountId` null lists all accounts: the newest account first, or by the end of the plans. @throws Error for an invalid cursor */
export async function findCustomers(
  database: Queryable,
  accountId: number | null,
  filter: CustomerFilter,
  position: string | null,
  limit: number,
): Promise<FoundCustomers> {
  if ((filter.packageId ?? 0) > numberMax) return { items: [], next: null };
  const named = await findNamed(database, filter);
  const shown = position === null ? named.filter((customer) => fitsPlan(customer, filter)) : [];
  const isNew = ({ customer }: Found) => !named.some((one) => isSame(one, customer));
  const wanted = limit - shown.length;
  const start = position === null ? await firstCursor(database, accountId, filter) : parseCursor(position);
  const isRare = await areEndsFew(database, accountId, filter);
  const isByEndOfAll = start.by === 'end-of-all';
  const rowsMax = isByEndOfAll ? endsOfPageMax : isSearch(filter) ? rowsOfSearchMax : rowsOfPageMax;
  const atOnceMax = isByEndOfAll ? endsOfEachMax : rowsAtOnceMax;
  const found: Found[] = [];
  let cursor: ListCursor | null = start;
  let read = 0;
  for (
    let rows = Math.min(atOnceMax, firstRows(filter, wanted, isRare));
    cursor !== null && found.length <= wanted && read < rowsMax;
  ) {
    const range: RowRange = await readRange(database, accountId, filter, cursor, rows, isRare);
    found.push(...range.found.filter(isNew));
    cursor = range.next;
    read += rows;
    rows = Math.min(atOnceMax, rows * growth);
  }
  const page = found.slice(0, Math.max(0, wanted));
  const next = found.length > wanted ? (page.at(-1)?.after ?? start) : cursor;
  return {
    items: [...shown, ...page.map(({ customer }) => customer)],
    next: next === null ? null : formatCursor(next),
  };
}

/** Returns null if there are too many, or if names would have to be read. */
export async function countCustomers(
  database: Queryable,
  accountId: number,
  filter: CustomerFilter,
): Promise<number | null> {
  const { words, start, externalRef, autoRenew } = filter;
  const { since, until } = endsOf(filter);
  const isOpen = since === 0 && until === endOfTime;
  if (words.length > 0 || start !== null || externalRef !== null || autoRenew !== null || isOpen) return null;
  const [row] = await database.ofAccount(accountId).query(countFitting, [accountId, ...termsOf(filter)]);
  return Number(row?.['within']) <= endsAtOnceMax ? Number(row?.['fitting']) : null;
}

interface Found {
  readonly customer: Customer;
  readonly after: ListCursor;
}

interface RowRange {
  readonly found: readonly Found[];
  readonly next: ListCursor | null;
}

function isSearch({ words, planStatus: wanted, autoRenew, order }: CustomerFilter): boolean {
  return words.length > 0 || wanted !== null || autoRenew !== null || order !== 'newest';
}

/** Without a filter, every row of the range is shown. With a filter that rarely matches, all its rows are read at once. */
function firstRows(filter: CustomerFilter, wanted: number, isRare: boolean): number {
  if (filter.words.length > 0) return rowsAtOnceMax;
  const { status, packageId, isActive, expires, planStatus: wantedStatus, autoRenew } = filter;
  const { start, externalRef } = filter;
  const leavesOut = [status, packageId, isActive, expires, wantedStatus, autoRenew, start, externalRef].some(
    (one) => one !== null,
  );
  return Math.min(rowsAtOnceMax, (Math.max(0, wanted) + 1) * (isRare || !leavesOut ? 1 : pagesAtFirst));
}

async function firstCursor(
  database: Queryable,
  accountId: number | null,
  { order, start, externalRef }: CustomerFilter,
): Promise<ListCursor> {
  if (accountId === null && order === 'expiry') {
    return { by: 'end-of-all', expiresAt: 0, accountId: 0, number: 0 };
  }
  if (accountId === null && order === 'last_expiry') {
    return { by: 'end-of-all', expiresAt: endOfTime, accountId: numberMax, number: numberMax };
  }
  if (accountId === null) return { by: 'account', accountId: realAccountIdMax + 1, below: 0 };
  if (order === 'expiry') return { by: 'end', expiresAt: 0, number: 0 };
  if (order === 'last_expiry') return { by: 'end', expiresAt: endOfTime, number: numberMax };
  if (start !== null || externalRef !== null) {
    return { by: 'tail', mark: await indexedCustomers(database, accountId), below: numberMax };
  }
  return { by: 'number', below: numberMax };
}

function endsOf({ isActive, planStatus: wanted, now, expires }: CustomerFilter): {
  since: EpochSeconds;
  until: EpochSeconds;
} {
  const { since, until } = expires ?? { since: 0, until: endOfTime };
  if (wanted === 'expired') return { since, until: Math.min(until, now + 1) };
  const isRunning = isActive === true || wanted === 'active' || wanted === 'suspended';
  return { since: isRunning ? Math.max(since, now + 1) : since, until };
}

/** Up to this time, a plan can only be inactive because it ended. */
function endedUntil({ now }: CustomerFilter, until: EpochSeconds): EpochSeconds {
  return Math.min(until, now + 1);
}

async function areEndsFew(
  database: Queryable,
  accountId: number | null,
  filter: CustomerFilter,
): Promise<boolean> {
  if (accountId === null || filter.order !== 'newest') return false;
  const { since, until } = endsOf(filter);
  const isInactive = filter.isActive === false;
  if (since === 0 && until === endOfTime && !isInactive) return false;
  const statement = isInactive ? countInactive : countEnds;
  const values = [accountId, since, isInactive ? endedUntil(filter, until) : until];
  const [row] = await database.ofAccount(accountId).query(statement, values);
  return Number(row?.['count']) <= endsAtOnceMax;
}

function termsOf(filter: CustomerFilter): readonly unknown[] {
  const { status, packageId, isActive, now, planStatus: wanted, words } = filter;
  const { since, until } = endsOf(filter);
  return [status, packageId, since, until, isActive, now, wanted, textArray(wordPatterns(words))];
}

async function readRange(
  database: Queryable,
  accountId: number | null,
  filter: CustomerFilter,
  cursor: ListCursor,
  rows: number,
  isRare: boolean,
): Promise<RowRange> {
  const terms = [...termsOf(filter), rows];
  const ofAccount = (statement: SqlStatement, ...more: readonly number[]) =>
    database.ofAccount(accountId ?? 0).query(statement, [accountId, ...terms, ...more]);
  switch (cursor.by) {
    case 'number': {
      const after = ({ number }: Customer) => ({ by: 'number', below: number }) as const;
      const list = await (!isRare
        ? ofAccount(filter.status === 'suspended' ? listSuspended : listByNumber, 0, cursor.below)
        : filter.isActive === false
          ? ofAccount(listInactive, 0, cursor.below, endedUntil(filter, endsOf(filter).until))
          : ofAccount(listInTime, 0, cursor.below));
      return rangeFrom(list, rows, filter, after);
    }
    case 'tail': {
      const { mark, below } = cursor;
      const statement = filter.status === 'suspended' ? listSuspended : listByNumber;
      const list = await ofAccount(statement, mark, below);
      const range = rangeFrom(list, rows, filter, ({ number }) => ({ ...cursor, below: number }));
      return { ...range, next: range.next ?? firstTerm(filter, mark) };
    }
    case 'term':
      return readTerms(database, accountId ?? 0, filter, cursor, rows);
    case 'end': {
      const statement = filter.order === 'expiry' ? listByExpiry : listByLastExpiry;
      const list = await ofAccount(statement, 0, cursor.number, cursor.expiresAt);
      return rangeFrom(list, rows, filter, ({ number, expiresAt }) => ({ by: 'end', expiresAt, number }));
    }
    case 'account': {
      const columns = ['account_id', 'number'];
      const page = { columns, descending: true, limit: rows, place: 'place' };
      const values = [cursor.accountId, ...terms, 0, cursor.below];
      const range = await queryShards(database, listOfAll, values, { page });
      const after = ({ accountId: of, number }: Customer) =>
        ({ by: 'account', accountId: of, below: number }) as const;
      const { found } = rangeFrom(range.rows, rows, filter, after);
      return { found, next: range.end === null ? null : after(shownCustomers.parse(range.end)) };
    }
    case 'end-of-all': {
      const descending = filter.order === 'last_expiry';
      const statement = descending ? listAllByLastExpiry : listAllByExpiry;
      const values = [cursor.accountId, ...terms, 0, cursor.number, cursor.expiresAt];
      const first = { columns: ['expires_at', 'account_id', 'number'], descending, limit: rows };
      const list = await queryShards(database, statement, values, { first });
      const after = ({ accountId: of, number, expiresAt }: Customer) =>
        ({ by: 'end-of-all', expiresAt, accountId: of, number }) as const;
      const placed = list.map((row, index) => ({ ...row, place: index + 1 }));
      return rangeFrom(placed, rows, filter, after);
    }
    default:
      return cursor satisfies never;
  }
}

function rangeFrom(
  list: readonly Row[],
  rows: number,
  filter: CustomerFilter,
  after: (customer: Customer) => ListCursor,
): RowRange {
  const found: Found[] = [];
  let next: ListCursor | null = null;
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
  cursor: ListCursor & { readonly by: 'term' },
  rows: number,
): Promise<RowRange> {
  const { from, to } = termSpan(filter);
  const values = [accountId, cursor.term, to, cursor.number, rows];
  const list = await database.ofAccount(accountId).query(listByTerm, values);
  const found: Found[] = [];
  let next: ListCursor | null = null;
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

function firstTerm(filter: CustomerFilter, mark: number): ListCursor | null {
  return mark === 0 ? null : { by: 'term', mark, number: 0, term: termSpan(filter).from };
}

function termSpan({ start, externalRef }: CustomerFilter): { from: string; to: string } {
  if (externalRef !== null) {
    const from = externalRefTerm(externalRef);
    return { from, to: `${from}${afterNoText}` };
  }
  const from = searchTerm(folded(start ?? ''));
  return { from, to: `${from}${afterEveryText}` };
}

/** The first matching term. A customer is shown only for this one, so that they appear once. */
function firstTermOf(customer: Customer, from: string): string | undefined {
  return searchTerms(customer)
    .filter((term) => term.startsWith(from))
    .sort()[0];
}

async function findNamed(database: Queryable, { id }: CustomerFilter): Promise<readonly Customer[]> {
  if (id === null) return [];
  const rows = await database.ofAccount(id.accountId).query(findOfId, [id.accountId, id.number]);
  return rows.map((row) => shownCustomers.parse(row));
}

function isSame(one: Customer, other: Customer): boolean {
  return one.accountId === other.accountId && one.number === other.number;
}

function fits(customer: Customer, filter: CustomerFilter): boolean {
  const { start, externalRef, words } = filter;
  return (
    fitsPlan(customer, filter) &&
    holdsWords(customer, words) &&
    (externalRef === null || customer.externalRef === externalRef) &&
    (start === null || firstTermOf(customer, searchTerm(folded(start))) !== undefined)
  );
}

function fitsPlan(customer: Customer, filter: CustomerFilter): boolean {
  const { status, packageId, isActive, planStatus: wanted, autoRenew, now, expires } = filter;
  const { expiresAt, cancelled } = customer;
  return (
    (status === null || customer.status === status) &&
    (packageId === null || customer.packageId === packageId) &&
    (isActive === null || mayUsePlan(customer, now) === isActive) &&
    (autoRenew === null || (autoRenew === 'on') === renewsItself(customer)) &&
    (wanted === null || planStatus(expiresAt, isSuspended(customer), cancelled, now) === wanted) &&
    (expires === null || (expiresAt >= expires.since && expiresAt < expires.until))
  );
}

function renewsItself(customer: Customer): boolean {
  const { autoRenew, endsAtPeriodEnd } = lifeOf(customer);
  return autoRenew !== null && !endsAtPeriodEnd;
}

function formatCursor(cursor: ListCursor): string {
  switch (cursor.by) {
    case 'number':
      return `n${cursor.below}`;
    case 'tail':
      return `u${cursor.mark}.${cursor.below}`;
    case 'term':
      return `t${cursor.mark}.${cursor.number}.${cursor.term}`;
    case 'end':
      return `e${cursor.expiresAt}.${cursor.number}`;
    case 'account':
      return `a${cursor.accountId}.${cursor.below}`;
    case 'end-of-all':
      return `x${cursor.expiresAt}.${cursor.accountId}.${cursor.number}`;
    default:
      return cursor satisfies never;
  }
}

function parseCursor(text: string): ListCursor {
  const [, letter, first, second, term = ''] = /^([nuteax])(\d+)(?:\.(\d+))?(?:\.(.*))?$/su.exec(text) ?? [];
  const [one, two] = [Number(first), Number(second)];
  switch (letter) {
    case 'n':
      return { by: 'number', below: one };
    case 'u':
      return { by: 'tail', mark: one, below: two };
    case 't':
      return { by: 'term', mark: one, number: two, term };
    case 'e':
      return { by: 'end', expiresAt: one, number: two };
    case 'a':
      return { by: 'account', accountId: one, below: two };
    case 'x':
      return { by: 'end-of-all', expiresAt: one, accountId: two, number: Number(term) };
    default:
      throw new Error('A position in the list of customers cannot be read.');
  }
}
