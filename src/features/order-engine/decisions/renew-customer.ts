// `renew_customer` of POST /orders/bulk: renews the customer's current package.
// Invariant: it repeats the completed order that made the plan, never a pending or failed one.

import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { runningPlan } from '../records/plan-life.ts';
import { mustAskAgain, refused, refusedAsUnsold, refusedWhilePending } from './command-checks.ts';
import type { CustomerState } from './customer-state.ts';
import { executeOrder, replay } from './execute-order.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { OrderOutcome, RenewCustomer } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';

export function renewCustomer(
  working: WorkingState,
  account: AccountState,
  command: RenewCustomer,
  now: EpochSeconds,
): OrderOutcome {
  const earlier = working.orderByKey(account.id, command.idempotencyKey);
  if (mustAskAgain(account, command, earlier)) return { type: 'access_changed' };

  const customer = findCustomer(working, account.id, command);
  if (customer === null) return refused(earlier === null ? 'customer_not_found' : 'idempotency_conflict');
  // After the renewal, the customer's last order is another one. So a replay that names no months compares with the months
  // that were bought.
  const fingerprintFor = (months: number) => fingerprintOf('renew_customer', customer.number, months);
  if (earlier !== null) {
    return replay(working, earlier, fingerprintFor(command.months ?? earlier.months), null);
  }

  const pending = refusedWhilePending(customer);
  if (pending !== null) return pending;
  const wanted = working.packages.get(customer.plan.packageId);
  if (wanted === undefined) return refused('package_unavailable');
  if (wanted.isTrial) return refused('package_unavailable', { reason: 'free_trial' });
  const { lastOrder } = customer.plan;
  // The first order failed, so the customer has bought nothing.
  if (lastOrder === null) return refused('order_not_found');
  const renewed = working.orderByNumber(account.id, lastOrder);
  if (renewed === null) throw new Error(`Order ${lastOrder} of account ${account.id} was not loaded.`);

  const months = command.months ?? renewed.months;
  const unsold = refusedAsUnsold(wanted, months);
  if (unsold !== null) return unsold;
  const running = runningPlan(customer, now);
  const fingerprint = fingerprintFor(months);
  const intent = { command, months, fingerprint, wanted, kind: 'renew', running, customer } as const;
  return executeOrder(working, account, intent, now);
}

function findCustomer(
  working: WorkingState,
  accountId: number,
  command: RenewCustomer,
): CustomerState | null {
  if ('customerNumber' in command) return working.customerByNumber(accountId, command.customerNumber);
  const customer = working.customer(command.customerReference);
  return customer?.accountId === accountId ? customer : null;
}
