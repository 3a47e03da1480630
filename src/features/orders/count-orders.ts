// Counts an account's pending or failed orders, for dashboards. Stops at what a page needs.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import type { BoundedCount } from '../../shared/list-schemas.ts';
import type { NumberSpan } from '../ledger/daily-totals.ts';
import type { HandoffStatus } from '../order-engine/records/order-handoff.ts';

const countedMax = 1_000;

const countHandoffs: SqlStatement = {
  name: 'count_handoffs',
  text: `select count(*)::int as count from (
      select 1 from order_handoffs where account_id = $1::int and status = $2::text and status <> 'completed'
        and order_number between $3::int and $4::int
      order by account_id desc, status desc, order_number desc limit ${countedMax + 1}) counted`,
};

export async function countOrders(
  database: Queryable,
  accountId: number,
  status: Exclude<HandoffStatus, 'completed'>,
  span: NumberSpan | null,
): Promise<BoundedCount> {
  if (span === null) return { count: 0, more: false };
  const values = [accountId, status, span.from, span.to];
  const [row] = await database.ofAccount(accountId).query(countHandoffs, values);
  const count = Number(row?.['count'] ?? 0);
  return { count: Math.min(count, countedMax), more: count > countedMax };
}
