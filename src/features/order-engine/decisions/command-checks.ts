// What is asked of every command before anything else, and how a refusal is made.

import { type ErrorCode, type ErrorDetails, refusal } from '../../../shared/error-catalogue.ts';
import { isTestAccount, numbersUsedMax, testNumbersUsedMax } from '../../../shared/identifiers.ts';
import type { AccountState } from '../../identity/account-table.ts';
import type { PlanLife } from '../records/plan-life.ts';
import type { Keyed, OrderOutcome } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';

type Refused = Extract<OrderOutcome, { readonly type: 'refused' }>;

export function refused(code: ErrorCode, details: ErrorDetails = {}): Refused {
  return { type: 'refused', refusal: refusal(code, details) };
}

/**
 * Whether the caller's rights moved since the request was let in. Not for an order that stands since an
 * attempt whose COMMIT was never answered: it was placed while the rights were right, and its caller has to learn of it.
 */
export function mustAskAgain(
  account: AccountState,
  { accessVersion, mayStand }: Pick<Keyed, 'mayStand'> & { readonly accessVersion: number },
  earlier: object | null,
): boolean {
  return account.accessVersion !== accessVersion && !(mayStand === true && earlier !== null);
}

/** Why nothing else may change the customer's plan now: an order of theirs waits for the product. null: none does. */
export function refusedWhilePending(customer: { readonly life?: PlanLife } | null): Refused | null {
  const isPending = customer?.life !== undefined && customer.life.pendingOrder !== null;
  return isPending ? refused('order_failed', { reason: 'order_pending' }) : null;
}

/** Why the account can hold nothing more: its numbers are used up, or its budget as a test account. null: it can. */
export function refusedAsFull(working: WorkingState, account: AccountState): Refused | null {
  if (hasUsedItsNumbers(account)) return refused('order_failed', { reason: 'account_full' });
  const full = working.fullTestBudget(account.id);
  return full === null ? null : refused('test_full', { budget: full });
}

/** Of orders, customers, ledger entries, changes of plans or events. */
function hasUsedItsNumbers(account: AccountState): boolean {
  const { orderCount, customerCount, entryCount, planChangeCount, eventCount } = account;
  const used = Math.max(orderCount, customerCount, entryCount, planChangeCount, eventCount ?? 0);
  return used >= (isTestAccount(account.id) ? testNumbersUsedMax : numbersUsedMax);
}
