// Customers as the pages look for them: by words, state, package and the end of their plan, newest first or those that end
// first or last; of one account or of all. A page reads a bounded range of an index: what it finds may be less than a page, and
// then says where to go on. Called by the panel's lists and by whoever looks for orders by their customer
// (orders/parse-order-query.ts); the API's own filter is filter-customers.ts.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { queryShards, type ShardPage } from '../../platform/database/shards/query-shards.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import { type OwnedId, realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type Customer, shownCustomers } from '../order-engine/records/customer-table.ts';
import { isSuspended, type PlanStatus, planStatus } from '../order-engine/records/plan-life.ts';
import { holdsWords, mayHoldWords, wordPatterns } from './search-words.ts';

export interface CustomerQuery {
  /** Folded, as search-words.ts makes them; none: any. */
  readonly words: readonly string[];
  /** What was typed is an id: of the customer, or of an order of theirs. They are found besides those with the words. */
  readonly id: OwnedId | null;
  readonly state: PlanStatus | null;
  readonly packageId: number | null;
  /** When the plan ends: from `since` up to, not including, `until`; null: at any time. */
  readonly expires: { readonly since: EpochSeconds; readonly until: EpochSeconds } | null;
  readonly now: EpochSeconds;
  /** Of one account only: `expiry`, whoever ends first comes first; `last_expiry`, whoever ends last. */
  readonly order: 'newest' | 'expiry' | 'last_expiry';
}

/** A customer, and in the order of ends the end of the plan as it was then: it may have moved since. */
export interface CustomerCursor {
  readonly accountId: number;
  readonly number: number;
  readonly expiresAt: EpochSeconds;
}

export interface FoundCustomers {
  readonly customers: readonly Customer[];
  /** Go on behind this place; null: there is no more. */
  readonly next: CustomerCursor | null;
}

// One statement of the embedded database's one session: orders wait for it (`Rank` in database.ts).
const rowsAtOnceMax = 2_000;
const rowsOfPageMax = 100_000;
/** Where most rows fit a filter, a page and a bit of them will do; more each time. */
const pagesAtFirst = 2;
const growth = 4;
/** So many ends of plans are read for a page; more of them are found among the customers soon enough. */
const endsAtOnceMax = 2_000;

const numberMax = 2_147_483_647;
/** Above every moment that a row can have: the year 10000. */
const endOfTime = 253_402_300_800;

const state = `case when c.cancelled then 'cancelled' when c.expires_at <= to_timestamp($7::bigint) then 'expired'
      when c.suspended or c.status = 'suspended' then 'suspended' else 'active' end`;

const fitsPlan = `($3::text is null or $3::text = ${state}) and ($4::int is null or c.package_id = $4::int)
      and c.expires_at >= to_timestamp($5::bigint) and c.expires_at < to_timestamp($6::bigint)`;

const mayFit = `(${mayHoldWords('c', '$2::text[]')} and ${fitsPlan})`;

// The range's last row comes too, whatever it holds: it says where the next one begins.
const rangeOf = (name: string, from: string, order: string): SqlStatement => ({
  name,
  text: `select *, ${mayFit} as may_fit from (
      select ${shownCustomers.list('c')}, row_number() over (order by ${order}) as place
      from (${from} order by ${order} limit $8::int) c) c
    where ${mayFit} or place = $8::int order by place`,
});

const downwards = 'c.account_id desc, c.number desc';

const findDown = rangeOf(
  'find_customers_down',
  'select * from customers c where c.account_id = $1::int and c.number < $9::int',
  downwards,
);

const findOfAllDown = rangeOf(
  'find_customers_of_all_down',
  'select * from customers c where (c.account_id, c.number) < ($1::int, $9::int)',
  downwards,
);

const inWindow = `c.account_id = $1::int and c.expires_at >= to_timestamp($5::bigint)
      and c.expires_at < to_timestamp($6::bigint)`;

// The offset keeps the other conditions out: while the table is young, another index would seem as good, for ever.
const findInWindow = rangeOf(
  'find_customers_in_window',
  `select * from (select * from customers c where ${inWindow} offset 0) c where c.number < $9::int`,
  downwards,
);

const findByExpiry = rangeOf(
  'find_customers_by_expiry',
  `select * from customers c where ${inWindow}
        and c.expires_at >= to_timestamp($10::bigint)
        and (c.expires_at, c.number) > (to_timestamp($10::bigint), $9::int)`,
  'c.expires_at, c.number',
);

const findByLastExpiry = rangeOf(
  'find_customers_by_last_expiry',
  `select * from customers c where ${inWindow}
        and c.expires_at <= to_timestamp($10::bigint)
        and (c.expires_at, c.number) < (to_timestamp($10::bigint), $9::int)`,
  'c.expires_at desc, c.number desc',
);

const countInWindow: SqlStatement = {
  name: 'count_customers_in_window',
  text: `select count(*) as within, count(*) filter (where ${fitsPlan} and cardinality($2::text[]) = 0) as fitting
    from (select * from customers c where ${inWindow} order by c.expires_at limit ${endsAtOnceMax + 1}) c`,
};

const findOfId: SqlStatement = {
  name: 'find_customers_of_id',
  text: `select ${shownCustomers.list('c')} from customers c
    where c.account_id = $1::int and c.number = any(array[$2::int,
      (select o.customer_number from orders o where o.account_id = $1::int and o.number = $2::int)])
    order by c.number desc`,
};

/** Whose place the first page of all accounts begins behind. */
const aboveAll = { accountId: realAccountIdMax + 1, number: 0 };

/** `accountId` null: customers of every account. `before` null: the first page. */
export async function findCustomers(
  database: Queryable,
  accountId: number | null,
  query: CustomerQuery,
  before: CustomerCursor | null,
  limit: number,
): Promise<FoundCustomers> {
  const named = await findNamed(database, query);
  const shown = before === null ? named.filter((customer) => fitsPlanOf(customer, query)) : [];
  const isNew = (customer: Customer) => !named.some((one) => isSame(one, customer));
  const found: Customer[] = [];
  const wanted = limit - shown.length;
  const read = await readerOf(database, accountId, query);
  const start: CustomerCursor = before ?? {
    ...(accountId === null ? aboveAll : { accountId, number: query.order === 'expiry' ? 0 : numberMax }),
    expiresAt: query.order === 'last_expiry' ? endOfTime : 0,
  };
  let cursor: CustomerCursor | null = start;
  let rows = firstRows(query, wanted);
  for (let left = rowsOfPageMax; left > 0 && cursor !== null && found.length <= wanted; ) {
    const length: number = Math.min(rows, left);
    const range: ShardPage = await read(cursor, length);
    for (const row of range.rows) {
      if (row['may_fit'] !== true) continue;
      const customer = shownCustomers.parse(row);
      if (holdsWords(customer, query.words) && fitsPlanOf(customer, query) && isNew(customer))
        found.push(customer);
    }
    cursor = range.end === null ? null : cursorOf(range.end);
    left -= length;
    rows = Math.min(rowsAtOnceMax, rows * growth);
  }
  const page = found.slice(0, wanted);
  const last = page.at(-1);
  const next = found.length > wanted ? (last ?? start) : cursor;
  return { customers: [...shown, ...page], next };
}

/** How many fit; null: more than are counted, or not without reading their names. */
export async function countCustomers(
  database: Queryable,
  accountId: number,
  query: CustomerQuery,
): Promise<number | null> {
  if (query.words.length > 0) return null;
  const counted = await countWindow(database, accountId, query);
  return counted !== null && counted.within <= endsAtOnceMax ? counted.fitting : null;
}

type ReadRange = (cursor: CustomerCursor, length: number) => Promise<ShardPage>;

/** From the index in which the fewest rows have to be looked at. */
async function readerOf(
  database: Queryable,
  accountId: number | null,
  query: CustomerQuery,
): Promise<ReadRange> {
  const terms = termsOf(query);
  if (accountId === null) {
    return async (cursor, length) => {
      const values = [cursor.accountId, ...terms, length, cursor.number];
      const columns = ['account_id', 'number'];
      const page = { columns, descending: true, limit: length, place: 'place' };
      return queryShards(database, findOfAllDown, values, { page });
    };
  }
  const own = database.ofAccount(accountId);
  if (query.order !== 'newest') {
    const byEnd = query.order === 'expiry' ? findByExpiry : findByLastExpiry;
    return async ({ number, expiresAt }, length) =>
      cutOff(await own.query(byEnd, [accountId, ...terms, length, number, expiresAt]), length);
  }
  const counted = await countWindow(database, accountId, query);
  const statement = counted !== null && counted.within <= endsAtOnceMax ? findInWindow : findDown;
  return async ({ number }, length) =>
    cutOff(await own.query(statement, [accountId, ...terms, length, number]), length);
}

/** $2 to $7. */
function termsOf(query: CustomerQuery): readonly unknown[] {
  const { since, until } = windowOf(query);
  return [textArray(wordPatterns(query.words)), query.state, query.packageId, since, until, query.now];
}

function cutOff(rows: readonly Row[], length: number): ShardPage {
  const last = rows.at(-1);
  return { rows, end: last !== undefined && Number(last['place']) === length ? last : null };
}

function cursorOf(row: Row): CustomerCursor {
  const { accountId, number, expiresAt } = shownCustomers.parse(row);
  return { accountId, number, expiresAt };
}

/** Without a condition that leaves rows out, a page is the range. */
function firstRows({ words, state: wantedState, packageId, expires }: CustomerQuery, wanted: number): number {
  if (words.length > 0) return rowsAtOnceMax;
  const leavesOut = wantedState !== null || packageId !== null || expires !== null;
  return Math.min(rowsAtOnceMax, (wanted + 1) * (leavesOut ? pagesAtFirst : 1));
}

/** When the plans end that are looked for: of the window, and as the state has it. */
function windowOf({ expires, state: wanted, now }: CustomerQuery): { since: number; until: number } {
  const { since, until } = expires ?? { since: 0, until: endOfTime };
  if (wanted === 'expired') return { since, until: Math.min(until, now + 1) };
  const isRunning = wanted === 'active' || wanted === 'suspended';
  return { since: isRunning ? Math.max(since, now + 1) : since, until };
}

/** null: the window leaves nothing out. */
async function countWindow(
  database: Queryable,
  accountId: number,
  query: CustomerQuery,
): Promise<{ within: number; fitting: number } | null> {
  const { since, until } = windowOf(query);
  if (since === 0 && until === endOfTime) return null;
  const [row] = await database.ofAccount(accountId).query(countInWindow, [accountId, ...termsOf(query)]);
  return { within: Number(row?.['within']), fitting: Number(row?.['fitting']) };
}

/** The customer whose id it is, and the one whose order has it. */
async function findNamed(database: Queryable, { id }: CustomerQuery): Promise<readonly Customer[]> {
  if (id === null) return [];
  const rows = await database.ofAccount(id.accountId).query(findOfId, [id.accountId, id.number]);
  return rows.map((row) => shownCustomers.parse(row));
}

function isSame(one: Customer, other: Customer): boolean {
  return one.accountId === other.accountId && one.number === other.number;
}

function fitsPlanOf(customer: Customer, { state: wanted, packageId, expires, now }: CustomerQuery): boolean {
  const { expiresAt, cancelled } = customer;
  return (
    (wanted === null || wanted === planStatus(expiresAt, isSuspended(customer), cancelled, now)) &&
    (packageId === null || customer.packageId === packageId) &&
    (expires === null || (expiresAt >= expires.since && expiresAt < expires.until))
  );
}
