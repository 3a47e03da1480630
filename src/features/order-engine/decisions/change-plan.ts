// The common parts of plan changes without an order: checks, history row, audit entry, replay. Each kind of change has its
// own file beside this one.

import { publicId } from '../../../shared/identifiers.ts';
import type { JsonObject } from '../../../shared/json.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import type { PlanChange, PlanChangeKind } from '../records/plan-change.ts';
import type { ProductCallType } from '../records/product-call-rows.ts';
import { mustAskAgain, refused, refusedAsFull } from './command-checks.ts';
import type { CustomerState } from './customer-state.ts';
import type { OrderOutcome, PlanChangeCommand } from './order-commands.ts';
import { shownCustomer, type WorkingState } from './order-state.ts';
import { changeCallId } from './product-calls.ts';

/** Returns the customer, or the outcome if nothing changes. */
export function begin(
  working: WorkingState,
  account: AccountState,
  command: PlanChangeCommand,
  fingerprint: string,
): CustomerState | OrderOutcome {
  const earlier = working.planChangeByKey(account.id, command.idempotencyKey);
  if (mustAskAgain(account, command, earlier)) return { type: 'access_changed' };
  const customer = working.customerByNumber(account.id, command.customerNumber);
  if (earlier !== null && earlier.fingerprint !== fingerprint) return refused('idempotency_conflict');
  if (customer === null) return refused(earlier === null ? 'customer_not_found' : 'idempotency_conflict');
  if (earlier !== null) {
    const { refundCents, balanceAfterCents } = earlier;
    return {
      type: 'plan_changed',
      customer: shownCustomer(customer),
      refundCents: refundCents ?? 0n,
      balanceAfterCents: balanceAfterCents ?? account.balanceCents,
      replayed: true,
    };
  }
  return refusedAsFull(working, account) ?? customer;
}

export interface Change {
  readonly kind: PlanChangeKind;
  readonly fingerprint: string;
  /** True if the change has no effect. It is then stored only for a client's key, which later returns the same answer. */
  readonly isNone?: boolean;
  readonly details?: Partial<PlanChange>;
  readonly call?: ProductCallType | null;
  readonly audit: { readonly action: string; readonly before: JsonObject | null; readonly after: JsonObject };
}

export function note(
  working: WorkingState,
  command: PlanChangeCommand,
  customer: CustomerState,
  { kind, fingerprint, isNone = false, details = {}, call = null, audit }: Change,
  now: EpochSeconds,
): OrderOutcome {
  const { accountId, actorId, by = null, byParty = 'account', idempotencyKey, keyIsMinted } = command;
  const balanceAfterCents = working.account(accountId)?.balanceCents ?? 0n;
  const refundCents = details.refundCents ?? 0n;
  if (!isNone || !keyIsMinted) {
    const said = { ...details, refundCents, balanceAfterCents, idempotencyKey, fingerprint, isEmpty: isNone };
    const author = { byParty, actorId: byParty === 'operator' ? actorId : null };
    const number = working.addPlanChange(customer, { kind, ...author, ...said }, now);
    const callId = changeCallId(accountId, number);
    if (call !== null)
      working.emitProductCall({ callId, type: call, customer, order: null, confirms: false });
  }
  if (!isNone) {
    const subject = `customer ${publicId(accountId, customer.number)}`;
    working.addAudit({ actorId, by, subject, ...audit });
  }
  return {
    type: 'plan_changed',
    customer: shownCustomer(customer),
    refundCents,
    balanceAfterCents,
    replayed: false,
  };
}

export function isCustomer(found: CustomerState | OrderOutcome): found is CustomerState {
  return 'plan' in found;
}
