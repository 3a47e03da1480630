// Checks that all commands share, and functions that make refusals.

import { refusedAsReserved } from '../../../shared/customer-references.ts';
import { type ErrorCode, type ErrorDetails, refusal } from '../../../shared/error-catalog.ts';
import { isTestAccount, numbersUsedMax, testNumbersUsedMax } from '../../../shared/identifiers.ts';
import type { Months } from '../../../shared/periods.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { isSoldFor, type Package } from '../../packages/package-catalog.ts';
import { isErased } from '../records/customer-table.ts';
import type { PlanLife } from '../records/plan-life.ts';
import type { CustomerState } from './customer-state.ts';
import type { Keyed, OrderOutcome } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';

type Refused = Extract<OrderOutcome, { readonly type: 'refused' }>;

export function refused(code: ErrorCode, details: ErrorDetails = {}): Refused {
  return { type: 'refused', refusal: refusal(code, details) };
}

/** True if the caller's changed rights must be checked again. An order that already stands is answered all the same. */
export function mustAskAgain(
  account: AccountState,
  { accessVersion, mayStand }: Pick<Keyed, 'mayStand'> & { readonly accessVersion: number },
  earlier: object | null,
): boolean {
  return account.accessVersion !== accessVersion && !(mayStand === true && earlier !== null);
}

/** Refuses any change of the plan while an order waits for the product. Returns null if no order waits. */
export function refusedWhilePending(customer: { readonly life?: PlanLife } | null): Refused | null {
  const isPending = customer?.life !== undefined && customer.life.pendingOrder !== null;
  return isPending ? refused('order_failed', { reason: 'order_pending' }) : null;
}

/** Refuses orders and trials for an erased customer, and for a new one who would have the name of an erased one. */
export function refusedAsErased(customer: CustomerState | null, reference: string): Refused | null {
  if (customer !== null) return isErased(customer) ? refused('customer_erased') : null;
  const refusal = refusedAsReserved(reference);
  return refusal === null ? null : { type: 'refused', refusal };
}

/** Refuses a period that the package is not sold for. This comes before the checks of customer and balance. */
export function refusedAsUnsold(wanted: Package, months: Months): Refused | null {
  if (isSoldFor(wanted, months)) return null;
  const { periods } = wanted;
  const reason = `must be a period that the package is sold for: ${periods.join(', ')}`;
  return refused('invalid_months', { field: 'months', reason, periods });
}

/** Refuses if the account's numbers, or a test account's budget, are used up. Returns null if there is room. */
export function refusedAsFull(working: WorkingState, account: AccountState): Refused | null {
  if (hasUsedItsNumbers(account)) return refused('order_failed', { reason: 'account_full' });
  const full = working.fullTestBudget(account.id);
  return full === null ? null : refused('test_full', { budget: full });
}

function hasUsedItsNumbers(account: AccountState): boolean {
  const { orderCount, customerCount, entryCount, planChangeCount, eventCount } = account;
  const used = Math.max(orderCount, customerCount, entryCount, planChangeCount, eventCount ?? 0);
  return used >= (isTestAccount(account.id) ? testNumbersUsedMax : numbersUsedMax);
}
