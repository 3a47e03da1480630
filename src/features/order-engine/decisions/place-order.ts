// POST /orders: finds out what is ordered, before the common checks of execute-order.ts.

import { fieldRefusal } from '../../../shared/error-catalog.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { canBeOrdered } from '../../packages/package-catalog.ts';
import type { OrderKind } from '../records/order-table.ts';
import { runningPlan } from '../records/plan-life.ts';
import { mustAskAgain, refused, refusedAsUnsold } from './command-checks.ts';
import { executeOrder, replay } from './execute-order.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { OrderOutcome, PlaceOrder } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';

export function placeOrder(
  working: WorkingState,
  account: AccountState,
  command: PlaceOrder,
  now: EpochSeconds,
): OrderOutcome {
  const { customerReference, packageId, months } = command;
  const earlier = working.orderByKey(account.id, command.idempotencyKey);
  if (mustAskAgain(account, command, earlier)) return { type: 'access_changed' };

  const fingerprint = fingerprintOf('place', packageId, customerReference, months, command.customerName);
  if (earlier !== null) return replay(working, earlier, fingerprint, command.loginLink);

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
  if (working.ownerOf(customerReference, account.id) === 'foreign') return refused('customer_not_yours');

  const customer = working.customer(customerReference);
  const running = customer === null ? null : runningPlan(customer, now);
  const kind: OrderKind =
    running === null ? 'activate' : running.packageId === packageId ? 'renew' : 'change';
  const intent = { command, months, fingerprint, wanted, kind, running, customer: customer ?? command };
  const outcome = executeOrder(working, account, intent, now);
  if (outcome.type === 'ordered' && command.loginLink !== null) {
    working.addLoginLink(outcome.order, command.loginLink);
  }
  return outcome;
}
