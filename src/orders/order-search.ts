// Orders below a number that fit a filter, newest first, and a customer's orders. A page reads a bounded stretch
// of the account's numbers: what it finds may be less than a page, and then says where to go on.

import type { EpochSeconds } from '../contract/times.ts';
import type { Queryable, Statement } from '../database/database.ts';
import { type OrderKind, type OrderRecord, orderColumns, parseOrder } from './order-table.ts';

export interface OrderFilter {
  /** Numbers from `from` to `to`, the ends included. */
  readonly from: number;
  readonly to: number;
  readonly customerNumber: number | null;
  readonly kind: OrderKind | null;
  readonly packageId: number | null;
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

const stretch = 5_000;
const stretchesMax = 20;

const fits = `($4::text is null or o.kind = $4::text) and ($5::int is null or o.package_id = $5::int)
      and o.created_at >= to_timestamp($6::bigint) and o.created_at < to_timestamp($7::bigint)`;

const findInStretch: Statement = {
  name: 'find_orders_down',
  text: `select ${orderColumns}
    from orders o join customers c on c.account_id = o.account_id and c.number = o.customer_number
    where o.account_id = $1::int and o.number between $2::int and $3::int and ${fits}
    order by o.number desc limit $8::int`,
};

const findOfCustomer: Statement = {
  name: 'find_orders_of_customer',
  text: `select ${orderColumns}
    from orders o join customers c on c.account_id = o.account_id and c.number = o.customer_number
    where o.account_id = $1::int and o.customer_number = $9::int and o.number between $2::int and $3::int and ${fits}
    order by o.customer_number desc, o.number desc limit $8::int`,
};

export async function findOrders(
  database: Queryable,
  accountId: number,
  filter: OrderFilter,
): Promise<FoundOrders> {
  const { customerNumber, kind, packageId, since, until, limit } = filter;
  // One more than the page: whether there is more is then known.
  const wanted = limit + 1;
  const orders: OrderRecord[] = [];
  let { to } = filter;
  for (let count = 0; count < stretchesMax && to >= filter.from && orders.length < wanted; count += 1) {
    // A customer's orders are an index range of their own.
    const from = customerNumber === null ? Math.max(filter.from, to - stretch + 1) : filter.from;
    const values = [accountId, from, to, kind, packageId, since, until, wanted - orders.length];
    const rows =
      customerNumber === null
        ? await database.query(findInStretch, values)
        : await database.query(findOfCustomer, [...values, customerNumber]);
    orders.push(...rows.map(parseOrder));
    to = from - 1;
  }
  const page = orders.slice(0, limit);
  if (orders.length > limit) return { orders: page, nextBefore: page.at(-1)?.number ?? null };
  return { orders: page, nextBefore: to >= filter.from ? to + 1 : null };
}
