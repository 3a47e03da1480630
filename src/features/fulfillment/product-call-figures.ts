// How the product answered lately, and what pending orders hold, for the console. Both read a bounded number of rows.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { bigint, nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { publicId, realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';

const summedMax = 20_000;
const timedMax = 1_000;

const sumRecent: SqlStatement = {
  name: 'sum_recent_product_calls',
  text: `with recent as (
      select status, confirms, last_status, last_attempt_at, (attempt_log -> -1 ->> 'milliseconds')::int as milliseconds,
        status = 'done' and last_status between 200 and 299 as is_accepted
      from product_calls
      where status in ('done', 'failed', 'superseded') and created_at >= to_timestamp($1::bigint)
        and account_id <= ${realAccountIdMax}
      order by created_at desc limit ${summedMax})
    select count(*) >= ${summedMax} as is_cut, count(*) filter (where is_accepted) as accepted,
      count(*) filter (where status = 'done' and confirms and last_status = 422) as refused,
      count(*) filter (where status = 'failed') as failed,
      extract(epoch from max(last_attempt_at) filter (where is_accepted))::bigint as accepted_at,
      array(select milliseconds from recent where is_accepted and milliseconds is not null
        order by last_attempt_at desc limit ${timedMax}) as times
    from recent`,
};

export interface ProductCallFigures {
  readonly accepted: number;
  readonly refused: number;
  /** Ran out of attempts. */
  readonly failed: number;
  /** Of the latest thousand that were accepted; null if none was. */
  readonly medianMilliseconds: number | null;
  readonly acceptedAt: EpochSeconds | null;
  /** Only the newest 20,000 calls are counted. */
  readonly isCut: boolean;
}

export async function sumProductCalls(database: Queryable, since: EpochSeconds): Promise<ProductCallFigures> {
  const rows = await queryShards(database, sumRecent, [since], 'every');
  const sum = (name: string) => rows.reduce((all, row) => all + Number(row[name]), 0);
  const times = rows.flatMap(({ times: ofShard }) => (Array.isArray(ofShard) ? ofShard.map(Number) : []));
  const sorted = times.toSorted((one, other) => one - other);
  const acceptedAt = rows.flatMap((row) => nullable(Number, row['accepted_at']) ?? []);
  return {
    accepted: sum('accepted'),
    refused: sum('refused'),
    failed: sum('failed'),
    medianMilliseconds: sorted[Math.floor(sorted.length / 2)] ?? null,
    acceptedAt: acceptedAt.length === 0 ? null : Math.max(...acceptedAt),
    isCut: rows.some((row) => row['is_cut'] === true),
  };
}

const heldMax = 1_000;

const listHeld: SqlStatement = {
  name: 'list_held_orders',
  text: `select o.account_id, o.number, o.price_cents, p.id from (
      select id, account_id, order_number from product_calls
      where status = 'attention' and id > 0 and confirms and account_id <= ${realAccountIdMax}
      order by id limit ${heldMax + 1}) p
    cross join lateral (
      select account_id, number, price_cents from orders
      where account_id = p.account_id and number between p.order_number and p.order_number
      order by number limit 1) o
    order by p.id`,
};

export interface HeldOrders {
  readonly orders: readonly { readonly id: number; readonly priceCents: bigint }[];
  readonly isCut: boolean;
}

/** Pending orders whose calls need attention, and what their accounts were charged. */
export async function listHeldOrders(database: Queryable): Promise<HeldOrders> {
  const rows = await queryShards(database, listHeld, [], 'every');
  return {
    orders: rows.slice(0, heldMax).map((row) => ({
      id: publicId(Number(row['account_id']), Number(row['number'])),
      priceCents: bigint(row['price_cents']),
    })),
    isCut: rows.length > heldMax,
  };
}
