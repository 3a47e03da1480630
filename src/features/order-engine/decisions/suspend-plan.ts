// POST /customers/{id}/suspend: the reseller suspends a customer. The plan's time runs on.

import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { begin, isCustomer, note } from './change-plan.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { OrderOutcome, SuspendPlan } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';
import { holdCall } from './product-calls.ts';

export function suspendPlan(
  working: WorkingState,
  account: AccountState,
  command: SuspendPlan,
  now: EpochSeconds,
): OrderOutcome {
  const { customerNumber, reason } = command;
  const fingerprint = fingerprintOf('suspend', customerNumber, reason);
  const customer = begin(working, account, command, fingerprint);
  if (!isCustomer(customer)) return customer;
  const { life } = customer;
  const isNone = life.suspended;
  const changed = isNone ? customer : working.setLife(customer, { ...life, suspended: true });
  const audit = {
    action: 'customer.suspend',
    before: { suspended: isNone },
    after: { suspended: true, reason },
  };
  return note(
    working,
    command,
    changed,
    { kind: 'suspend', fingerprint, isNone, details: { reason }, audit, call: holdCall(customer, changed) },
    now,
  );
}
