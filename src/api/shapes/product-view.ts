// A customer's plan as the operator's product reads it, in what it is told and asks for (docs/hand-off.md).

import { publicId } from '../../contract/identifiers.ts';
import { formatTime } from '../../contract/times.ts';
import type { ProductPayload } from '../../orders/product-telling.ts';
import { isSuspended, planStatus } from '../../plans/plan-life.ts';

export const productPayload: ProductPayload = ({ customer, order, package: ofPlan }, now) => {
  const { accountId, number, reference, name, status, plan, life } = customer;
  const isHeld = isSuspended({ status, suspended: life.suspended });
  return {
    customer: { id: publicId(accountId, number), reference, name },
    account: { id: accountId },
    order_id: order === null ? null : publicId(accountId, order.number),
    package: { id: plan.packageId, name: ofPlan?.name ?? '' },
    limits: {
      accounts: ofPlan?.limits.accounts ?? 0,
      posts_per_day: ofPlan?.limits.postsPerDay ?? 0,
      ai_images_per_month: ofPlan?.limits.aiImagesPerMonth ?? 0,
    },
    features: [...(ofPlan?.features ?? [])],
    starts_at: formatTime(plan.anchorAt),
    expires_at: formatTime(plan.expiresAt),
    status: planStatus(plan.expiresAt, isHeld, life.cancelled, now),
  };
};
