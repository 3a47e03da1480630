// Carries out a due automatic renewal. It becomes an order, or a refusal that is recorded and retried.
// Invariant: each end is renewed once, however often it is asked for. The order moves the end, a refusal moves the next
// attempt, and both are compared under the account's lock with what the caller read.

import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { automaticFingerprint } from '../records/order-table.ts';
import { lifeAfterFailedRenewal, type PlanLife, runningPlan } from '../records/plan-life.ts';
import { mustAskAgain, refused, refusedAsFull, refusedAsUnsold } from './command-checks.ts';
import type { CustomerState } from './customer-state.ts';
import { executeOrder, replay } from './execute-order.ts';
import type { OrderOutcome, RenewAutomatically } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';

export function renewAutomatically(
  working: WorkingState,
  account: AccountState,
  command: RenewAutomatically,
  now: EpochSeconds,
): OrderOutcome {
  const { customerNumber, dueAt } = command;
  const earlier = working.orderByKey(account.id, command.idempotencyKey);
  if (mustAskAgain(account, command, earlier)) return { type: 'access_changed' };
  if (earlier !== null) return replay(working, earlier, automaticFingerprint, null);
  const customer = working.customerByNumber(account.id, customerNumber);
  if (customer === null || !isDue(customer.life, dueAt, now)) return { type: 'not_due' };
  const outcome = order(working, account, customer, command, now);
  // A full account cannot record anything, so no retry can succeed.
  if (outcome.type !== 'refused' || refusedAsFull(working, account) !== null) return outcome;

  const { code } = outcome.refusal;
  const { life, plan } = customer;
  const put = working.setLife(customer, lifeAfterFailedRenewal(life, plan, code, now));
  working.addPlanChange(put, { kind: 'renewal_failed', byParty: 'service', code }, now);
  return outcome;
}

function isDue({ renewAt, endsAtPeriodEnd }: PlanLife, dueAt: EpochSeconds, now: EpochSeconds): boolean {
  return renewAt === dueAt && dueAt <= now && !endsAtPeriodEnd;
}

function order(
  working: WorkingState,
  account: AccountState,
  customer: CustomerState,
  { idempotencyKey, isBlocked }: RenewAutomatically,
  now: EpochSeconds,
): OrderOutcome {
  const { life, plan } = customer;
  const { autoRenew } = life;
  if (autoRenew === null) return { type: 'not_due' };
  if (isBlocked) return refused('account_blocked');
  const wanted = working.packages.get(plan.packageId);
  if (wanted === undefined || wanted.isTrial) return refused('package_unavailable');
  const { months, maxChargeCents } = autoRenew;
  const unsold = refusedAsUnsold(wanted, months);
  if (unsold !== null) return unsold;
  const running = runningPlan(customer, now);
  const renewal = { idempotencyKey, maxChargeCents };
  const intent = { command: renewal, months, fingerprint: automaticFingerprint, wanted, running, customer };
  return executeOrder(working, account, { ...intent, kind: 'renew' }, now);
}
