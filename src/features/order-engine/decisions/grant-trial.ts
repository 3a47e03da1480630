// An administrator gives a customer a free trial.

import { fieldRefusal } from '../../../shared/error-catalog.ts';
import { type EpochSeconds, formatTime } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { lifeAfterTrial, runningPlan } from '../records/plan-life.ts';
import { startTrial } from '../records/plan-terms.ts';
import { refused, refusedAsErased, refusedAsFull, refusedWhilePending } from './command-checks.ts';
import { fingerprintOf } from './fingerprint.ts';
import { newCustomer } from './new-customer.ts';
import { notifyOfNearEnd } from './note-plan-end.ts';
import type { GrantTrial, OrderOutcome } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';
import { changeCallId } from './product-calls.ts';

export function grantTrial(
  working: WorkingState,
  account: AccountState,
  command: GrantTrial,
  now: EpochSeconds,
): OrderOutcome {
  const { packageId, customerReference, customerName, again, idempotencyKey, actorId } = command;
  const fingerprint = fingerprintOf('trial', packageId, customerReference, customerName, again ? 1 : 0);
  const earlier = working.planChangeByKey(account.id, idempotencyKey);
  if (earlier !== null && earlier.fingerprint !== fingerprint) return refused('idempotency_conflict');
  if (earlier !== null) {
    const { accountId, customerNumber } = earlier;
    return { type: 'granted', accountId, customerNumber, replayed: true };
  }
  if (account.isClosed) return refused('account_closed');
  const trial = working.packages.get(packageId);
  if (trial === undefined)
    return { type: 'refused', refusal: fieldRefusal('invalid_package', 'package_id', 'unknown') };
  if (!trial.isTrial || trial.retired) {
    const reason = trial.isTrial ? 'retired' : 'not_a_trial';
    return { type: 'refused', refusal: fieldRefusal('package_unavailable', 'package_id', reason) };
  }
  if (working.ownerOf(customerReference, account.id) === 'foreign') return refused('customer_not_yours');
  const customer = working.customer(customerReference);
  const erased = refusedAsErased(customer, customerReference);
  if (erased !== null) return erased;
  const pending = refusedWhilePending(customer);
  if (pending !== null) return pending;
  if (account.isHalted) return refused('order_failed', { reason: 'account_halted' });
  const full = refusedAsFull(working, account);
  if (full !== null) return full;
  const running = customer === null ? null : runningPlan(customer, now);
  const bound = { kind: 'trial', byParty: 'operator', actorId, idempotencyKey, fingerprint } as const;
  if (customer !== null && running !== null) {
    if (running.packageId !== trial.id) return refused('order_failed', { reason: 'plan_running' });
    // The trial is already running. Bind a client's key to this answer.
    if (!command.keyIsMinted) working.addPlanChange(customer, { ...bound, isEmpty: true }, now);
    return { type: 'granted', accountId: account.id, customerNumber: customer.number, replayed: false };
  }
  if (customer !== null && !again) {
    const had = { accountId: account.id, customerNumber: customer.number, packageId: trial.id };
    if (working.hasHadTrial(had)) return refused('trial_already_granted');
  }
  const plan = startTrial(trial.id, trial.durationDays, now);
  const granted =
    customer === null
      ? working.addCustomer(account.id, newCustomer(command, plan, now))
      : working.setPlan(customer, plan, lifeAfterTrial(customer.life));
  const { expiresAt } = plan;
  const callId = changeCallId(account.id, working.addPlanChange(granted, bound, now));
  notifyOfNearEnd(working, granted, now);
  working.emitProductCall({ callId, type: 'plan.activate', customer: granted, order: null, confirms: false });
  working.addAudit({
    actorId,
    by: command.by ?? null,
    action: 'customer.grant_trial',
    subject: `customer ${granted.reference}`,
    before: null,
    after: { account_id: account.id, package_id: packageId, expires_at: formatTime(expiresAt) },
  });
  return { type: 'granted', accountId: account.id, customerNumber: granted.number, replayed: false };
}
