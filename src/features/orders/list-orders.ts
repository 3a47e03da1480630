// Filtered orders, newest first, and a customer's orders. A page reads a bounded range of the account's order numbers, so it
// may be short and then says where to continue. Pending and failed orders are rare and have their own index.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { holdsWords, mayHoldWords, wordPatterns } from '../customers/search-words.ts';
import type { NumberSpan } from '../ledger/daily-totals.ts';
import { orderFacet, rowsInSpans, scanDown } from '../ledger/facet-index.ts';
import type { HandoffStatus } from '../order-engine/records/order-handoff.ts';
import {
  type OrderKind,
  type OrderRecord,
  orderColumns,
  orderJoins,
  parseOrder,
} from '../order-engine/records/order-table.ts';

export interface OrderFilter {
  readonly from: number;
  readonly to: number;
  readonly customerNumber: number | null;
  /** The search as resolved by parse-order-query.ts, or null. It is never combined with a customer or a key. */
  readonly search?: OrderSearch | null;
  readonly kind: OrderKind | null;
  readonly packageId: number | null;
  readonly idempotencyKey?: string | null;
  readonly status?: HandoffStatus | null;
  readonly since: EpochSeconds;
  readonly until: EpochSeconds;
  readonly limit: number;
}

export type OrderSearch =
  | {
      readonly by: 'numbers';
      readonly customerNumbers: readonly number[];
      readonly orderNumbers: readonly number[];
    }
  /** Orders are checked one by one, because too many customers match or would have to be read. */
  | { readonly by: 'words'; readonly words: readonly string[] };

export interface FoundOrders {
  readonly orders: readonly OrderRecord[];
  readonly nextBefore: number | null;
}

const fits = `($5::text is null or t.kind = $5::text) and ($6::int is null or t.package_id = $6::int)
      and t.created_at >= to_timestamp($7::bigint) and t.created_at < to_timestamp($8::bigint)
      and ($9::text is null or $9::text = coalesce((select status from order_handoffs s
        where s.account_id = t.account_id and s.order_number = t.number), 'completed'))`;

const joined = (rows: string, ordered: string) => `select ${orderColumns}
    from ${rows} o ${orderJoins}
    order by ${ordered} limit $4::int`;

const findInSpans: SqlStatement = {
  name: 'find_orders_down',
  text: joined(rowsInSpans('orders', fits), 'o.number desc'),
};

const findOfCustomer: SqlStatement = {
  name: 'find_orders_of_customer',
  text: joined(
    `(select * from orders t where t.account_id = $1::int and t.customer_number = $10::int
      and t.number between $2::int and $3::int and ${fits})`,
    'o.customer_number desc, o.number desc',
  ),
};

// `offset 0` makes the planner use the index for the key. On a young table another one would seem as good.
const findOfKey: SqlStatement = {
  name: 'find_order_of_key',
  text: joined(
    `(select * from (
        select * from orders where account_id = $1::int and idempotency_key = $10::text offset 0) t
      where t.number between $2::int and $3::int and ($11::int is null or t.customer_number = $11::int) and ${fits})`,
    'o.number desc',
  ),
};

const listed = `t.account_id = $1::int and t.number between $2::int and $3::int and ${fits}`;

const findOfNumbers: SqlStatement = {
  name: 'find_orders_of_numbers',
  text: joined(
    `(select o.* from unnest($10::int[]) wanted (customer_number) cross join lateral (
        select * from orders t where t.customer_number = wanted.customer_number and ${listed}
        order by t.customer_number desc, t.number desc limit $4::int) o
      union all
      select * from orders t
      where t.number = any($11::int[]) and t.customer_number <> all($10::int[]) and ${listed})`,
    'o.number desc',
  ),
};

// `offset 0` keeps the planner from reading all customers to join them.
const findOfWords: SqlStatement = {
  name: 'find_orders_of_words',
  text: `select ${orderColumns}, c.name, c.external_ref
    from ${rowsInSpans(
      'orders',
      `${fits} and exists (select 1 from customers s where s.account_id = t.account_id
        and s.number = t.customer_number and ${mayHoldWords('s', '$10::text[]')} offset 0)`,
    )} o ${orderJoins}
    order by o.number desc limit $4::int`,
};

/** The most orders that are read to count those that fit. */
const countedMax = 20_000;

const countInSpan: SqlStatement = {
  name: 'count_orders_down',
  text: `select count(*)::int as count from (
      select 1 from orders t where t.account_id = $1::int and t.number between $2::int and $3::int and ${fits}
      order by t.number desc limit $4::int) counted`,
};

/** Rows per statement. The program itself checks their names, because the database does not know all letters. */
const judgedAtOnce = 500;

const handoffsAtOnce = 1_000;
/** The most statements per page. A page that needs more ends early, as with scanDown. */
const roundsMax = 20;

const listHandoffs: SqlStatement = {
  name: 'list_handoffs_down',
  text: `select order_number from order_handoffs where account_id = $1::int and status = $2::text and status <> 'completed'
      and order_number between $3::int and $4::int
    order by account_id desc, status desc, order_number desc limit ${handoffsAtOnce}`,
};

export async function findOrders(
  database: Queryable,
  accountId: number,
  filter: OrderFilter,
): Promise<FoundOrders> {
  const { from, to, customerNumber, kind, packageId, since, until, limit } = filter;
  const { idempotencyKey = null, status = null, search = null } = filter;
  const terms = [kind, packageId, since, until, status];
  // The order of a key and the orders of a customer have their own ranges of an index.
  if (idempotencyKey !== null) {
    const values = [accountId, from, to, 1, ...terms, idempotencyKey, customerNumber];
    const found = await database.ofAccount(accountId).query(findOfKey, values);
    return { orders: found.map(parseOrder), nextBefore: null };
  }
  if (customerNumber !== null) {
    const values = [accountId, from, to, limit + 1, ...terms, customerNumber];
    return pageOf(await database.ofAccount(accountId).query(findOfCustomer, values), limit);
  }
  if (search?.by === 'numbers') {
    const numbers = [numberArray(search.customerNumbers), numberArray(search.orderNumbers)];
    const values = [accountId, from, to, limit + 1, ...terms, ...numbers];
    return pageOf(await database.ofAccount(accountId).query(findOfNumbers, values), limit);
  }
  const read =
    search === null
      ? async (spans: readonly NumberSpan[], rows: number) =>
          (
            await database
              .ofAccount(accountId)
              .query(findInSpans, [accountId, ...spanValues(spans), rows, ...terms])
          ).map(parseOrder)
      : (spans: readonly NumberSpan[], rows: number) =>
          readWithWords(database, accountId, search.words, { spans, rows, terms });
  if (status === 'pending' || status === 'failed') {
    return walkHandoffs(database, accountId, { status, from, to, limit }, read);
  }
  const { items, nextBefore } = await scanDown(database, {
    list: 'orders',
    accountId,
    facet: orderFacet(kind, packageId),
    span: { from, to },
    limit,
    numberOf: ({ number }: OrderRecord) => number,
    read,
  });
  return { orders: items, nextBefore };
}

/** null if too many orders would have to be read. */
export async function countFittingOrders(
  database: Queryable,
  accountId: number,
  { from, to, kind, packageId, since, until, status = null }: Omit<OrderFilter, 'customerNumber' | 'limit'>,
): Promise<number | null> {
  if (to - from >= countedMax) return null;
  const values = [accountId, from, to, countedMax, kind, packageId, since, until, status];
  const [row] = await database.ofAccount(accountId).query(countInSpan, values);
  return Number(row?.['count'] ?? 0);
}

async function readWithWords(
  database: Queryable,
  accountId: number,
  words: readonly string[],
  wanted: {
    readonly spans: readonly NumberSpan[];
    readonly rows: number;
    readonly terms: readonly unknown[];
  },
): Promise<readonly OrderRecord[]> {
  const { rows, terms } = wanted;
  const patterns = textArray(wordPatterns(words));
  const atOnce = Math.max(rows, judgedAtOnce);
  const found: OrderRecord[] = [];
  for (let { spans } = wanted; spans.length > 0 && found.length < rows; ) {
    const values = [accountId, ...spanValues(spans), atOnce, ...terms, patterns];
    const list = await database.ofAccount(accountId).query(findOfWords, values);
    for (const row of list) {
      const order = parseOrder(row);
      const names = {
        reference: order.customerReference,
        name: String(row['name']),
        externalRef: nullable(String, row['external_ref']),
      };
      if (holdsWords(names, words)) found.push(order);
    }
    const last = list.at(-1);
    spans = list.length < atOnce || last === undefined ? [] : below(spans, Number(last['number']));
  }
  return found.slice(0, rows);
}

function below(spans: readonly NumberSpan[], number: number): readonly NumberSpan[] {
  return spans
    .map(({ from, to }) => ({ from, to: Math.min(to, number - 1) }))
    .filter(({ from, to }) => to >= from);
}

async function walkHandoffs(
  database: Queryable,
  accountId: number,
  {
    status,
    from,
    to,
    limit,
  }: Pick<OrderFilter, 'from' | 'to' | 'limit'> & { readonly status: HandoffStatus },
  read: (spans: readonly NumberSpan[], rows: number) => Promise<readonly OrderRecord[]>,
): Promise<FoundOrders> {
  const found: OrderRecord[] = [];
  let below = to;
  for (let rounds = 0; rounds < roundsMax && below >= from && found.length <= limit; rounds += 1) {
    const rows = await database.ofAccount(accountId).query(listHandoffs, [accountId, status, from, below]);
    const numbers = rows.map((row) => Number(row['order_number']));
    const spans = numbers.map((number) => ({ from: number, to: number }));
    if (spans.length > 0) found.push(...(await read(spans, limit + 1 - found.length)));
    below = numbers.length < handoffsAtOnce ? from - 1 : (numbers.at(-1) ?? from) - 1;
  }
  const orders = found.slice(0, limit);
  const last = orders.at(-1);
  if (found.length > limit && last !== undefined) return { orders, nextBefore: last.number };
  return { orders, nextBefore: below >= from ? below + 1 : null };
}

function spanValues(spans: readonly NumberSpan[]): readonly unknown[] {
  return [numberArray(spans.map((span) => span.from)), numberArray(spans.map((span) => span.to))];
}

function pageOf(rows: readonly Row[], limit: number): FoundOrders {
  const orders = rows.slice(0, limit).map(parseOrder);
  return { orders, nextBefore: rows.length > limit ? (orders.at(-1)?.number ?? null) : null };
}
