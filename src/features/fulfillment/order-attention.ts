// Lists orders that the product has not answered within the full period, so that an administrator must decide.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { bigint, nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import {
  type OrderRecord,
  orderColumns,
  orderJoins,
  parseOrder,
} from '../order-engine/records/order-table.ts';

export interface AttentionOrder {
  readonly order: OrderRecord;
  readonly username: string;
  readonly call: {
    readonly id: string;
    readonly type: string;
    readonly attempts: number;
    readonly firstAttemptAt: EpochSeconds | null;
    readonly lastStatus: number | null;
    readonly lastError: string | null;
  };
}

export interface AttentionOrders {
  readonly items: readonly AttentionOrder[];
  readonly next: string | null;
}

const listAttention: SqlStatement = {
  name: 'list_orders_needing_attention',
  text: `select p.id as place, p.call_id, p.type, p.attempts, p.first_attempt_at, p.last_status, p.last_error, a.username,
      ${orderColumns}
    from (select * from product_calls where status = 'attention' and confirms and id > $1::bigint
      and account_id <= ${realAccountIdMax} order by id limit $2::int) p
    join accounts a on a.id = p.account_id
    join orders o on o.account_id = p.account_id and o.number = p.order_number
    ${orderJoins}
    order by p.id`,
};

export async function listOrdersNeedingAttention(
  database: Queryable,
  after: string | null,
  limit: number,
): Promise<AttentionOrders> {
  const first = { columns: ['place'], limit: limit + 1 };
  const rows = await queryShards(database, listAttention, [after ?? '0', limit + 1], { first });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((row) => ({
      order: parseOrder(row),
      username: String(row['username']),
      call: {
        id: String(row['call_id']),
        type: String(row['type']),
        attempts: Number(row['attempts']),
        firstAttemptAt: nullable(Number, row['first_attempt_at']),
        lastStatus: nullable(Number, row['last_status']),
        lastError: nullable(String, row['last_error']),
      },
    })),
    next: rows.length > limit && last !== undefined ? bigint(last['place']).toString() : null,
  };
}
