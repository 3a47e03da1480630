// How an order came about and how it ended, for its page in the panel.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { formatTime } from '../../shared/times.ts';
import { orderEnds } from '../order-engine/records/order-handoff.ts';
import { type OrderRecord, orderedBy } from '../order-engine/records/order-table.ts';
import type { OrderPlace } from './list-all-orders.ts';
import type { OrderCourseView, PlacingRequestView } from './order-panel-schemas.ts';

const findEnd: SqlStatement = {
  name: 'find_order_end',
  text: `select ${orderEnds.list('h')} from order_handoffs h
    where h.account_id = $1::int and h.order_number = $2::int`,
};

export type FindPlacingRequest = (order: OrderPlace) => Promise<PlacingRequestView | null>;

interface OrderCourseDependencies {
  readonly database: Database;
  /** Passed in by the service, because the request log imports orders. null if the person may not see requests. */
  readonly findPlacingRequest: FindPlacingRequest | null;
}

export async function readOrderCourse(
  { database, findPlacingRequest }: OrderCourseDependencies,
  order: OrderRecord,
): Promise<OrderCourseView> {
  const placedBy = orderedBy(order);
  const request = placedBy === 'account' ? await findPlacingRequest?.(order) : null;
  const placed = { placed_by: placedBy, request: request ?? null };
  if (order.handoff === null) return { ...placed, handoff: null };
  const [row] = await database.ofAccount(order.accountId).query(findEnd, [order.accountId, order.number]);
  const end = row === undefined ? null : orderEnds.parse(row);
  const settledAt = end?.settledAt ?? null;
  return {
    ...placed,
    handoff: {
      settled_at: settledAt === null ? null : formatTime(settledAt),
      settled_by: settledAt === null ? null : end?.settledBy == null ? 'product' : 'operator',
    },
  };
}
