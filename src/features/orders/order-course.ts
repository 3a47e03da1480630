// How an order came about and how it ended, for its page in the panel.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { formatTime } from '../../shared/times.ts';
import { orderEnds } from '../order-engine/records/order-handoff.ts';
import { type OrderRecord, orderedBy } from '../order-engine/records/order-table.ts';
import type { OrderCourseView } from './order-panel-schemas.ts';

const findEnd: SqlStatement = {
  name: 'find_order_end',
  text: `select ${orderEnds.list('h')} from order_handoffs h
    where h.account_id = $1::int and h.order_number = $2::int`,
};

export async function readOrderCourse(database: Database, order: OrderRecord): Promise<OrderCourseView> {
  const placedBy = orderedBy(order);
  if (order.handoff === null) return { placed_by: placedBy, handoff: null };
  const [row] = await database.ofAccount(order.accountId).query(findEnd, [order.accountId, order.number]);
  const end = row === undefined ? null : orderEnds.parse(row);
  const settledAt = end?.settledAt ?? null;
  return {
    placed_by: placedBy,
    handoff: {
      settled_at: settledAt === null ? null : formatTime(settledAt),
      settled_by: settledAt === null ? null : end?.settledBy == null ? 'product' : 'operator',
    },
  };
}
