// Plan changes of a whole account, oldest first, for exports. plan-history.ts has those of one customer.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { publicId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import { type PlanChange, planChanges } from '../order-engine/records/plan-change.ts';
import { changeTypes } from './plan-history-page.ts';

const listChanges: SqlStatement = {
  name: 'list_plan_changes_of_account',
  text: `select ${planChanges.list('p')} from plan_changes p
    where p.account_id = $1::int and p.number > $2::int and not p.is_empty order by p.number limit $3::int`,
};

export async function listPlanChanges(
  database: Queryable,
  accountId: number,
  after: number,
  limit: number,
): Promise<readonly PlanChange[]> {
  const rows = await database.ofAccount(accountId).query(listChanges, [accountId, after, limit]);
  return rows.map((row) => planChanges.parse(row));
}

/** One flat row: the plan right after the change. */
export function planChangeRowView(change: PlanChange) {
  const { accountId, number, orderNumber, entryNumber, expiresAt, refundCents, renewMaxCents } = change;
  const idOf = (one: number | null) => (one === null ? null : publicId(accountId, one));
  return {
    id: publicId(accountId, number),
    at: formatTime(change.createdAt),
    type: changeTypes[change.kind],
    by: change.byParty,
    customer_id: publicId(accountId, change.customerNumber),
    order_id: idOf(orderNumber),
    package_id: change.packageId,
    status: change.planStatus,
    expires_at: expiresAt === null ? null : formatTime(expiresAt),
    refund: refundCents === null ? null : formatAmount(refundCents),
    ledger_entry_id: idOf(entryNumber),
    renew_months: change.renewMonths,
    renew_max_charge: renewMaxCents === null ? null : formatAmount(renewMaxCents),
    renew_hours_before: change.renewHoursBefore,
    reason: change.reason,
    code: change.code,
    idempotency_key: change.idempotencyKey,
  };
}
