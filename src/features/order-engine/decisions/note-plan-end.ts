// Notes once that a plan is about to end or has ended.
// Invariant: there is one notice per end and number of days. What the caller read is compared here under the account's
// lock. An order moves the end and resets all notices.

import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import type { CustomerState } from './customer-state.ts';
import type { NotePlanEnd, OrderOutcome } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';
import { endCallId } from './product-calls.ts';

const daySeconds = 86_400;

/** Sends the notice at once if less time is left than the account's alerts ask for. */
export function notifyOfNearEnd(working: WorkingState, customer: CustomerState, now: EpochSeconds): void {
  const { accountId, plan, life } = customer;
  const days = working.account(accountId)?.alertDays ?? null;
  if (days === null || plan.expiresAt <= now || plan.expiresAt - days * daySeconds > now) return;
  const notified = working.setLife(customer, { ...life, endNoticeDays: days });
  working.emit(accountId, { type: 'plan.ending', customer: notified, days });
}

export function notePlanEnd(
  working: WorkingState,
  account: AccountState,
  { customerNumber, expiresAt, days }: NotePlanEnd,
  now: EpochSeconds,
): OrderOutcome {
  const customer = working.customerByNumber(account.id, customerNumber);
  if (customer === null) return { type: 'not_due' };
  const { plan, life } = customer;
  const isOver = plan.expiresAt <= now;
  const isNotedAlready = life.endNoticeDays !== null && life.endNoticeDays <= days;
  // After an outage, "ending" is no longer news once the plan has ended. A plan whose first order waits for the product
  // never began.
  const hasBegun = plan.expiresAt > plan.anchorAt;
  const isDue = plan.expiresAt === expiresAt && hasBegun && !life.cancelled && isOver === (days === 0);
  if (!isDue || isNotedAlready) return { type: 'not_due' };
  const noted = working.setLife(customer, { ...life, endNoticeDays: days });
  working.emit(
    account.id,
    days === 0 ? { type: 'plan.expired', customer: noted } : { type: 'plan.ending', customer: noted, days },
  );
  if (days === 0) {
    const callId = endCallId(account.id, customerNumber, expiresAt);
    working.emitProductCall({ callId, type: 'plan.expire', customer: noted, order: null, confirms: false });
  }
  return { type: 'end_noted' };
}
