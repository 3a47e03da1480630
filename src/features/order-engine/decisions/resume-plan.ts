// POST /customers/{id}/resume: ends the reseller's suspension and withdraws a cancel at the period's end. The operator's
// suspension stays.

import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { lifeAfterResume } from '../records/plan-life.ts';
import { begin, isCustomer, note } from './change-plan.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { OrderOutcome, ResumePlan } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';
import { holdCall } from './product-calls.ts';

export function resumePlan(
  working: WorkingState,
  account: AccountState,
  command: ResumePlan,
  now: EpochSeconds,
): OrderOutcome {
  const fingerprint = fingerprintOf('resume', command.customerNumber);
  const customer = begin(working, account, command, fingerprint);
  if (!isCustomer(customer)) return customer;
  const { life, plan } = customer;
  const { suspended, endsAtPeriodEnd: ends_at_period_end } = life;
  const isNone = !suspended && !ends_at_period_end;
  const changed = isNone ? customer : working.setLife(customer, lifeAfterResume(life, plan, now));
  const audit = {
    action: 'customer.resume',
    before: { suspended, ends_at_period_end },
    after: { suspended: false, ends_at_period_end: false },
  };
  const call = holdCall(customer, changed);
  return note(working, command, changed, { kind: 'resume', fingerprint, isNone, audit, call }, now);
}
