// POST /customers/{id}/cancel: ends the plan now and refunds the unused part, or lets the plan run out without a renewal.

import { formatAmount } from '../../../shared/amounts.ts';
import { type EpochSeconds, formatTime } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { lifeAfterCancel, runningPlan } from '../records/plan-life.ts';
import { endPlan, unusedCents } from '../records/plan-terms.ts';
import { begin, isCustomer, note } from './change-plan.ts';
import { refused, refusedWhilePending } from './command-checks.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { CancelPlan, OrderOutcome } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';

export function cancelPlan(
  working: WorkingState,
  account: AccountState,
  command: CancelPlan,
  now: EpochSeconds,
): OrderOutcome {
  const { at, customerNumber } = command;
  const fingerprint = fingerprintOf('cancel', customerNumber, at);
  const customer = begin(working, account, command, fingerprint);
  if (!isCustomer(customer)) return customer;
  const pending = refusedWhilePending(customer);
  if (pending !== null) return pending;
  if (at === 'now' && account.isHalted) return refused('order_failed', { reason: 'account_halted' });
  const { plan, life } = customer;
  if (runningPlan(customer, now) === null) return refused('order_failed', { reason: 'plan_not_running' });

  const action = 'customer.cancel';
  const before = { expires_at: formatTime(plan.expiresAt), ends_at_period_end: life.endsAtPeriodEnd };
  if (at === 'period_end') {
    const isNone = life.endsAtPeriodEnd;
    const changed = isNone ? customer : working.setLife(customer, lifeAfterCancel(life, at));
    const audit = { action, before, after: { ...before, ends_at_period_end: true } };
    return note(working, command, changed, { kind: 'cancel_at_period_end', fingerprint, isNone, audit }, now);
  }

  const refundCents = working.cancelRefund === 'unused' ? unusedCents(plan, now) : 0n;
  const entry =
    refundCents === 0n
      ? null
      : working.addEntry(account.id, { kind: 'refund', amountCents: refundCents }, now);
  const changed = working.setPlan(customer, endPlan(plan, now), lifeAfterCancel(life, at));
  const details = { refundCents, entryNumber: entry?.number ?? null };
  const audit = {
    action,
    before,
    after: { expires_at: formatTime(now), ends_at_period_end: false, refund: formatAmount(refundCents) },
  };
  return note(
    working,
    command,
    changed,
    { kind: 'cancel', fingerprint, details, audit, call: 'plan.cancel' },
    now,
  );
}
