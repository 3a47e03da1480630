// Makes the product's calls and their ids from events. prepare-product-calls.ts adds the payload before the first attempt.
// Invariant: an id names the event itself, and never a counter that two events could share.

import { publicId } from '../../../shared/identifiers.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { OrderKind } from '../records/order-table.ts';
import { isSuspended, type PlanStatus, planStatus } from '../records/plan-life.ts';
import { callIdIn, type NewProductCall, type ProductCallType } from '../records/product-call-rows.ts';
import type { CustomerState } from './customer-state.ts';
import type { DecidedProductCall } from './order-state.ts';

export const orderCalls: Readonly<Record<OrderKind, ProductCallType>> = {
  activate: 'plan.activate',
  renew: 'plan.renew',
  change: 'plan.change',
};

/** Calls that report a plan's current state, for a product that does not confirm orders. */
export const statusCalls: Readonly<Record<PlanStatus, ProductCallType>> = {
  active: 'plan.resume',
  suspended: 'plan.suspend',
  cancelled: 'plan.cancel',
  expired: 'plan.expire',
};

export function orderCallId(accountId: number, orderNumber: number): string {
  return `call_order_${publicId(accountId, orderNumber)}`;
}

export function changeCallId(accountId: number, changeNumber: number): string {
  return `call_change_${publicId(accountId, changeNumber)}`;
}

/** Each end of a customer's plan (`expiresAt`) has at most one such call. */
export function endCallId(accountId: number, customerNumber: number, expiresAt: EpochSeconds): string {
  return `call_end_${publicId(accountId, customerNumber)}_${expiresAt}`;
}

/** Returns null if access does not change because another hold remains. */
export function holdCall(before: CustomerState, after: CustomerState): ProductCallType | null {
  const [was, is] = [isHeld(before), isHeld(after)];
  if (was === is) return null;
  return is ? 'plan.suspend' : 'plan.resume';
}

export function statusOf(customer: CustomerState, now: EpochSeconds): PlanStatus {
  const { plan, life } = customer;
  return planStatus(plan.expiresAt, isHeld(customer), life.cancelled, now);
}

function isHeld({ status, life: { suspended } }: CustomerState): boolean {
  return isSuspended({ status, suspended });
}

export function productCall(
  { callId, type, customer, order, confirms }: DecidedProductCall,
  { incarnation, now }: { readonly incarnation: string | null; readonly now: EpochSeconds },
): NewProductCall {
  return {
    callId: callIdIn(incarnation, callId),
    accountId: customer.accountId,
    customerNumber: customer.number,
    orderNumber: order?.number ?? null,
    confirms,
    type,
    createdAt: now,
    nextAttemptAt: now,
  };
}
