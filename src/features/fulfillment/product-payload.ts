// A customer's plan as the product reads it (docs/hand-off.md), in calls and in entitlements.

import { publicId } from '../../shared/identifiers.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { shownCustomer } from '../order-engine/decisions/order-state.ts';
import type { ProductPayload } from '../order-engine/prepare-product-calls.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';
import { isSuspended, planStatus } from '../order-engine/records/plan-life.ts';
import type { Package } from '../packages/package-catalog.ts';

export const productPayload: ProductPayload = (
  { customer, formerReferences, order, package: ofPlan },
  now,
) => ({
  customer: {
    id: publicId(customer.accountId, customer.number),
    reference: customer.reference,
    ...(formerReferences.length > 0 && { former_references: [...formerReferences] }),
    name: customer.name,
  },
  account: { id: customer.accountId },
  order_id: order === null ? null : publicId(order.accountId, order.number),
  ...shownPlan(shownCustomer(customer), ofPlan, now),
});

export function shownPlan(customer: Customer, ofPlan: Package | null, now: EpochSeconds) {
  const { packageId, anchorAt, expiresAt, cancelled } = customer;
  return {
    status: planStatus(expiresAt, isSuspended(customer), cancelled, now),
    package: { id: packageId, name: ofPlan?.name ?? '' },
    limits: ofPlan?.limits ?? {},
    features: [...(ofPlan?.features ?? [])],
    starts_at: formatTime(anchorAt),
    expires_at: formatTime(expiresAt),
  };
}
