// POST /api/admin/v1/customers/{id}/change-package: the operator places an order that replaces the running plan, at the
// account's price and from its balance.

import { formatAmount } from '../../../shared/amounts.ts';
import { fieldRefusal } from '../../../shared/error-catalog.ts';
import { publicId } from '../../../shared/identifiers.ts';
import { type EpochSeconds, formatTime } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { canBeOrdered } from '../../packages/package-catalog.ts';
import { operatorMark } from '../records/order-table.ts';
import { runningPlan } from '../records/plan-life.ts';
import { mustAskAgain, refused, refusedAsUnsold } from './command-checks.ts';
import { executeOrder, replay } from './execute-order.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { ChangePackage, OrderOutcome } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';

export function changePackage(
  working: WorkingState,
  account: AccountState,
  command: ChangePackage,
  now: EpochSeconds,
): OrderOutcome {
  const { customerNumber, packageId, months, actorId, by = null } = command;
  const earlier = working.orderByKey(account.id, command.idempotencyKey);
  if (mustAskAgain(account, command, earlier)) return { type: 'access_changed' };
  const fingerprint = `${operatorMark}${fingerprintOf('change_package', customerNumber, packageId, months)}`;
  if (earlier !== null) return replay(working, earlier, fingerprint, null);

  const customer = working.customerByNumber(account.id, customerNumber);
  if (customer === null) return refused('customer_not_found');
  const wanted = working.packages.get(packageId);
  if (wanted === undefined) {
    return { type: 'refused', refusal: fieldRefusal('invalid_package', 'package_id', 'unknown') };
  }
  if (!canBeOrdered(wanted)) {
    const reason = wanted.isTrial ? 'free_trial' : 'retired';
    return { type: 'refused', refusal: fieldRefusal('package_unavailable', 'package_id', reason) };
  }
  const unsold = refusedAsUnsold(wanted, months);
  if (unsold !== null) return unsold;
  const running = runningPlan(customer, now);
  if (running === null) return refused('order_failed', { reason: 'plan_not_running' });
  if (running.packageId === packageId) return refused('order_failed', { reason: 'same_package' });

  const intent = { command, months, fingerprint, wanted, kind: 'change', running, customer } as const;
  const outcome = executeOrder(working, account, intent, now);
  if (outcome.type === 'ordered') {
    const { number, priceCents, refundCents, expiresAt } = outcome.order;
    working.addAudit({
      actorId,
      by,
      action: 'customer.change_package',
      subject: `customer ${publicId(account.id, customerNumber)}`,
      before: { package_id: running.packageId, expires_at: formatTime(running.expiresAt) },
      after: {
        package_id: packageId,
        expires_at: formatTime(expiresAt),
        order_id: publicId(account.id, number),
        price: formatAmount(priceCents),
        refund: formatAmount(refundCents),
      },
    });
  }
  return outcome;
}
