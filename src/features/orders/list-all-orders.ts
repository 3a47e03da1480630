// The orders of all real accounts, newest first. A page reads a bounded range of order_times, so it may be short and then says
// where to continue.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { HandoffStatus } from '../order-engine/records/order-handoff.ts';
import {
  type OrderKind,
  type OrderRecord,
  orderColumns,
  parseOrder,
} from '../order-engine/records/order-table.ts';

export interface AllOrdersFilter {
  readonly kind: OrderKind | null;
  readonly packageId: number | null;
  readonly status: HandoffStatus | null;
  readonly since: EpochSeconds;
  readonly until: EpochSeconds;
}

/** The place of an order in the list. */
export interface OrderPlace {
  readonly createdAt: EpochSeconds;
  readonly accountId: number;
  readonly number: number;
}

export interface FoundOrders {
  readonly orders: readonly OrderRecord[];
  readonly next: OrderPlace | null;
}

/** The first statement reads few rows, because most orders may match. Later ones read more. */
const pagesAtFirst = 2;
const growth = 4;
// On the embedded database's single session, orders wait for each statement (`Rank` in database.ts).
const rowsAtOnceMax = 2_000;
const rowsOfPageMax = 10_000;
/** Up to this many pending or failed orders are read all at once. If there are more, a page soon finds some. */
const unsettledMax = 2_000;

const numberMax = 2_147_483_647;

const fits = `($1::text is null or o.kind = $1::text) and ($2::int is null or o.package_id = $2::int)
        and ($3::text is null or $3::text = coalesce((select status from order_handoffs s
          where s.account_id = o.account_id and s.order_number = o.number), 'completed'))`;
const below = (row: string) =>
  `(${row}.created_at, ${row}.account_id, ${row}.number) < (to_timestamp($5::bigint), $6::int, $7::int)`;
const descending = (row: string) => `${row}.created_at desc, ${row}.account_id desc, ${row}.number desc`;
const inOrder = { columns: ['created_at', 'account_id', 'number'], descending: true };

// The range of one number, and `offset 0`, make the planner look up each row by its key. It cannot know how few rows a page
// has, and on a young table other indexes would seem as good.
const orderOf = (accountId: string, number: string, columns: string) => `cross join lateral (
        select ${columns} from orders o
        where o.account_id = ${accountId} and o.number between ${number} and ${number}
        order by o.number desc limit 1)`;
const lookUps = `cross join lateral (
      select reference from customers where account_id = o.account_id and number = o.customer_number offset 0) c
    left join lateral (
      select * from order_handoffs where account_id = o.account_id and order_number = o.number offset 0) h on true`;

const listByTime: SqlStatement = {
  name: 'list_orders_by_time',
  text: `select ${orderColumns}, o.fits, o.place from (
      select o.*, t.place from (
        select t.*, row_number() over (order by ${descending('t')}) as place from (
          select * from order_times t where ${below('t')} and t.created_at >= to_timestamp($4::bigint)
          order by ${descending('t')} limit $8::int) t) t
      ${orderOf('t.account_id', 't.number', `o.*, ${fits} as fits`)} o
      where o.fits or t.place = $8::int offset 0) o
    ${lookUps} order by o.place`,
};

const unsettled = `accounts a cross join lateral (
      select account_id, order_number from order_handoffs
      where account_id = a.id and status = $1::text and status <> 'completed'
      order by account_id desc, status desc, order_number desc limit ${unsettledMax + 1}) u`;

const countUnsettled: SqlStatement = {
  name: 'count_unsettled_orders_of_all',
  text: `select count(*)::int as count from (
      select 1 from ${unsettled} where a.id <= ${realAccountIdMax} limit ${unsettledMax + 1}) counted`,
};

const listUnsettled: SqlStatement = {
  name: 'list_unsettled_orders_of_all',
  text: `select ${orderColumns} from (
      select o.* from ${unsettled.replace('$1', '$3')}
      ${orderOf('u.account_id', 'u.order_number', '*')} o
      where a.id <= ${realAccountIdMax} and ${fits} and ${below('o')} and o.created_at >= to_timestamp($4::bigint)
      order by ${descending('o')} limit $8::int) o
    ${lookUps} order by ${descending('o')}`,
};

export async function findAllOrders(
  database: Queryable,
  filter: AllOrdersFilter,
  position: OrderPlace | null,
  limit: number,
): Promise<FoundOrders> {
  if ((filter.packageId ?? 0) > numberMax) return { orders: [], next: null };
  const { until, status } = filter;
  let place = position ?? { createdAt: until, accountId: 0, number: 0 };
  if ((status === 'pending' || status === 'failed') && (await areUnsettledFew(database, status))) {
    const first = { ...inOrder, limit: limit + 1 };
    const values = [...termsOf(filter), ...placeValues(place), limit + 1];
    const rows = await queryShards(database, listUnsettled, values, { first });
    return pageOf(rows.map(parseOrder), limit, null);
  }
  const found: OrderRecord[] = [];
  let next: OrderPlace | null = place;
  let read = 0;
  for (
    let rows = firstRows(filter, limit);
    next !== null && found.length <= limit && read < rowsOfPageMax;
  ) {
    const page = { ...inOrder, limit: rows, place: 'place' };
    const values: readonly unknown[] = [...termsOf(filter), ...placeValues(place), rows];
    const range = await queryShards(database, listByTime, values, { page });
    found.push(...range.rows.filter(isFitting).map(parseOrder));
    next = range.end === null ? null : placeOf(parseOrder(range.end));
    place = next ?? place;
    read += rows;
    rows = Math.min(rowsAtOnceMax, rows * growth);
  }
  return pageOf(found, limit, next);
}

function pageOf(found: readonly OrderRecord[], limit: number, otherwise: OrderPlace | null): FoundOrders {
  const orders = found.slice(0, limit);
  const last = orders.at(-1);
  return { orders, next: found.length > limit && last !== undefined ? placeOf(last) : otherwise };
}

function isFitting(row: Row): boolean {
  return row['fits'] === true;
}

function firstRows({ kind, packageId, status }: AllOrdersFilter, limit: number): number {
  const leavesOut = [kind, packageId, status].some((one) => one !== null);
  return Math.min(rowsAtOnceMax, (limit + 1) * (leavesOut ? pagesAtFirst : 1));
}

async function areUnsettledFew(database: Queryable, status: 'pending' | 'failed'): Promise<boolean> {
  const rows = await queryShards(database, countUnsettled, [status], 'every');
  return rows.reduce((sum, row) => sum + Number(row['count']), 0) <= unsettledMax;
}

function termsOf({ kind, packageId, status, since }: AllOrdersFilter): readonly unknown[] {
  return [kind, packageId, status, since];
}

function placeValues({ createdAt, accountId, number }: OrderPlace): readonly number[] {
  return [createdAt, accountId, number];
}

function placeOf({ createdAt, accountId, number }: OrderRecord): OrderPlace {
  return { createdAt, accountId, number };
}
