// What is asked of every command before anything else, and how a refusal is made.

import type { AccountState } from '../accounts/account-table.ts';
import { type ErrorCode, type ErrorDetails, refusal } from '../contract/error-catalogue.ts';
import { isTestAccount, numbersUsedMax, testNumbersUsedMax } from '../contract/identifiers.ts';
import type { PlanLife } from '../plans/plan-life.ts';
import type { Keyed, OrderOutcome } from './order-commands.ts';

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

/** Whether its numbers are used up: of orders, customers, ledger entries, changes of plans or events. */
export function isFull(account: AccountState): boolean {
  const { orderCount, customerCount, entryCount, planChangeCount, eventCount } = account;
  const used = Math.max(orderCount, customerCount, entryCount, planChangeCount, eventCount ?? 0);
  return used >= (isTestAccount(account.id) ? testNumbersUsedMax : numbersUsedMax);
}
