// Orders that fit a filter, newest first, and a customer's orders. A page reads a bounded stretch of the account's
// numbers: what it finds may be less than a page, and then says where to go on. Used by the API and by the panel.

import type { EpochSeconds } from '../contract/times.ts';
import type { Queryable, Row, Statement } from '../database/database.ts';
import { numberArray } from '../database/sql-arrays.ts';
import type { NumberSpan } from '../ledger/ledger-days.ts';
import { orderFacet, rowsInSpans, walkDown } from '../ledger/list-stretches.ts';
import { type OrderKind, type OrderRecord, orderColumns, parseOrder } from './order-table.ts';

export interface OrderFilter {
  /** Numbers from `from` to `to`, the ends included. */
  readonly from: number;
  readonly to: number;
  readonly customerNumber: number | null;
  readonly kind: OrderKind | null;
  readonly packageId: number | null;
  readonly idempotencyKey?: string | null;
  /** Moments from `since` up to, not including, `until`. */
  readonly since: EpochSeconds;
  readonly until: EpochSeconds;
  readonly limit: number;
}

export interface FoundOrders {
  readonly orders: readonly OrderRecord[];
  /** Go on below this number; null: there is no more. */
  readonly nextBefore: number | null;
}

const fits = `($5::text is null or t.kind = $5::text) and ($6::int is null or t.package_id = $6::int)
      and t.created_at >= to_timestamp($7::bigint) and t.created_at < to_timestamp($8::bigint)`;

const joined = (rows: string, ordered: string) => `select ${orderColumns}
    from ${rows} o join customers c on c.account_id = o.account_id and c.number = o.customer_number
    order by ${ordered} limit $4::int`;

const findInSpans: Statement = {
  name: 'find_orders_down',
  text: joined(rowsInSpans('orders', fits), 'o.number desc'),
};

const findOfCustomer: Statement = {
  name: 'find_orders_of_customer',
  text: joined(
    `(select * from orders t where t.account_id = $1::int and t.customer_number = $9::int
      and t.number between $2::int and $3::int and ${fits})`,
    'o.customer_number desc, o.number desc',
  ),
};

// The offset keeps the other conditions out: while the tables are young, another index would seem as good, for ever.
const findOfKey: Statement = {
  name: 'find_order_of_key',
  text: joined(
    `(select * from (
        select * from orders where account_id = $1::int and idempotency_key = $9::text offset 0) t
      where t.number between $2::int and $3::int and ($10::int is null or t.customer_number = $10::int) and ${fits})`,
    'o.number desc',
  ),
};

export async function findOrders(
  database: Queryable,
  accountId: number,
  filter: OrderFilter,
): Promise<FoundOrders> {
  const { from, to, customerNumber, kind, packageId, idempotencyKey = null, since, until, limit } = filter;
  const terms = [kind, packageId, since, until];
  // A key's order, and a customer's orders, are index ranges of their own.
  if (idempotencyKey !== null) {
    const values = [accountId, from, to, 1, ...terms, idempotencyKey, customerNumber];
    return { orders: (await database.query(findOfKey, values)).map(parseOrder), nextBefore: null };
  }
  if (customerNumber !== null) {
    const values = [accountId, from, to, limit + 1, ...terms, customerNumber];
    return pageOf(await database.query(findOfCustomer, values), limit);
  }
  const { items, nextBefore } = await walkDown(database, {
    list: 'orders',
    accountId,
    facet: orderFacet(kind, packageId),
    span: { from, to },
    limit,
    numberOf: ({ number }: OrderRecord) => number,
    async read(spans, rows) {
      return (await database.query(findInSpans, [accountId, ...spanValues(spans), rows, ...terms])).map(
        parseOrder,
      );
    },
  });
  return { orders: items, nextBefore };
}

function spanValues(spans: readonly NumberSpan[]): readonly unknown[] {
  return [numberArray(spans.map((span) => span.from)), numberArray(spans.map((span) => span.to))];
}

function pageOf(rows: readonly Row[], limit: number): FoundOrders {
  const orders = rows.slice(0, limit).map(parseOrder);
  return { orders, nextBefore: rows.length > limit ? (orders.at(-1)?.number ?? null) : null };
}
