// POST /orders/{id}/renew: always renews the package of the earlier order.

import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { runningPlan } from '../records/plan-life.ts';
import { mustAskAgain, refused, refusedAsUnsold, refusedWhilePending } from './command-checks.ts';
import { executeOrder, replay } from './execute-order.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { OrderOutcome, RenewOrder } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';

export function renewOrder(
  working: WorkingState,
  account: AccountState,
  command: RenewOrder,
  now: EpochSeconds,
): OrderOutcome {
  const earlier = working.orderByKey(account.id, command.idempotencyKey);
  if (mustAskAgain(account, command, earlier)) return { type: 'access_changed' };

  const renewed = working.orderByNumber(account.id, command.orderNumber);
  // Orders are never deleted, so a key that is in use cannot belong to the renewal of a missing order.
  if (renewed === null) return refused(earlier === null ? 'order_not_found' : 'idempotency_conflict');
  const months = command.months ?? renewed.months;
  const fingerprint = fingerprintOf('renew', renewed.number, months);
  if (earlier !== null) return replay(working, earlier, fingerprint, null);

  const wanted = working.packages.get(renewed.packageId);
  if (wanted === undefined || wanted.isTrial) return refused('package_unavailable');
  const unsold = refusedAsUnsold(wanted, months);
  if (unsold !== null) return unsold;
  const customer = working.customer(renewed.customerReference);
  if (customer === null) throw new Error(`Order ${renewed.number} of account ${account.id} has no customer.`);
  const pending = refusedWhilePending(customer);
  if (pending !== null) return pending;
  const running = runningPlan(customer, now);
  if (running !== null && running.packageId !== wanted.id)
    return refused('order_failed', { reason: 'plan_changed' });
  return executeOrder(
    working,
    account,
    { command, months, fingerprint, wanted, kind: 'renew', running, customer },
    now,
  );
}
