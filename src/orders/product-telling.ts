// What the product is told of, from the vocabulary of the engine to a row of product_calls: which call an order makes, by
// which id it goes, and what is written of it. What the product reads of it is somebody else's: a view that arrives as
// an argument, as those of answers do.

import type { Package } from '../catalog/package-catalog.ts';
import { publicId } from '../contract/identifiers.ts';
import type { JsonObject } from '../contract/json.ts';
import type { EpochSeconds } from '../contract/times.ts';
import { callIdIn, type NewProductCall, type ProductCallType } from '../journal/product-call.ts';
import { isSuspended } from '../plans/plan-life.ts';
import type { CustomerState, TimedTelling } from './order-state.ts';
import type { OrderKind, OrderRecord } from './order-table.ts';

/** What the product reads. `customer`: with the plan as the product is to have it; `package`: that of this plan. */
export type ProductPayload = (
  told: {
    readonly customer: CustomerState;
    readonly order: OrderRecord | null;
    readonly package: Package | null;
  },
  now: EpochSeconds,
) => JsonObject;

export const orderCalls: Readonly<Record<OrderKind, ProductCallType>> = {
  activate: 'plan.activate',
  renew: 'plan.renew',
  change: 'plan.change',
};

/** An order makes one call, whatever becomes of it. */
export function orderCallId(accountId: number, orderNumber: number): string {
  return `call_order_${publicId(accountId, orderNumber)}`;
}

/** So does a change of a plan. */
export function changeCallId(accountId: number, changeNumber: number): string {
  return `call_change_${publicId(accountId, changeNumber)}`;
}

/** A plan that came to its end. Between two ends of a customer there is an order, whatever the clock says. */
export function endCallId(accountId: number, customerNumber: number, orderCount: number): string {
  return `call_end_${publicId(accountId, customerNumber)}_${orderCount}`;
}

/** Access stopped, or returned; null: of two holds the other one stands. */
export function holdCall(before: CustomerState, after: CustomerState): ProductCallType | null {
  const [was, is] = [isHeld(before), isHeld(after)];
  if (was === is) return null;
  return is ? 'plan.suspend' : 'plan.resume';
}

function isHeld({ status, life: { suspended } }: CustomerState): boolean {
  return isSuspended({ status, suspended });
}

/** `now`: the real time, by which it is sent. */
export function productCall(
  { callId, type, customer, order, confirms, at }: TimedTelling,
  packages: ReadonlyMap<number, Package>,
  payload: ProductPayload,
  { incarnation, now }: { readonly incarnation: string | null; readonly now: EpochSeconds },
): NewProductCall {
  return {
    callId: callIdIn(incarnation, callId),
    accountId: customer.accountId,
    customerNumber: customer.number,
    orderNumber: order?.number ?? null,
    confirms,
    type,
    payload: payload({ customer, order, package: packages.get(customer.plan.packageId) ?? null }, at),
    createdAt: now,
    nextAttemptAt: now,
  };
}
