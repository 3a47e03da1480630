// The operator suspends or unsuspends a customer.

import { publicId } from '../../../shared/identifiers.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { refused } from './command-checks.ts';
import type { OrderOutcome, SetCustomerStatus } from './order-commands.ts';
import { shownCustomer, type WorkingState } from './order-state.ts';
import { changeCallId, holdCall } from './product-calls.ts';

/** Allowed even for a halted account, because no money moves. */
export function setCustomerStatus(
  working: WorkingState,
  account: AccountState,
  { actorId, by = null, customerNumber, status, reason = null }: SetCustomerStatus,
  now: EpochSeconds,
): OrderOutcome {
  const customer = working.customerByNumber(account.id, customerNumber);
  if (customer === null) return refused('customer_not_found');
  if (customer.status === status) return { type: 'status_set', customer: shownCustomer(customer) };
  const changed = working.setStatus(customer, status);
  const number = working.addPlanChange(
    changed,
    { kind: status === 'suspended' ? 'suspend' : 'resume', byParty: 'operator', actorId },
    now,
  );
  const call = holdCall(customer, changed);
  if (call !== null) {
    const callId = changeCallId(account.id, number);
    working.emitProductCall({ callId, type: call, customer: changed, order: null, confirms: false });
  }
  working.addAudit({
    actorId,
    by,
    action: 'customer.update',
    subject: `customer ${publicId(account.id, customerNumber)}`,
    before: { status: customer.status },
    after: { status, ...(reason === null ? {} : { reason }) },
  });
  return { type: 'status_set', customer: shownCustomer(changed) };
}
