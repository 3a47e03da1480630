// Whether an order's plan can be renewed from this order.

import type { Order, Renewal } from '../../api/shapes.ts';
import { mayRenew, useRenewal } from '../plans/renewal-notice.tsx';

interface OrderRenewal {
  readonly renewal: Renewal | undefined;
  /** The customer has another package by now. The service would refuse an earlier order of another package. */
  readonly isReplaced: boolean;
  readonly isOffered: boolean;
}

export function useOrderRenewal(order: Order | undefined): OrderRenewal {
  const renewal = useRenewal(order?.customer.id);
  const isReplaced =
    order !== undefined &&
    renewal?.order_id != null &&
    renewal.order_id !== order.id &&
    renewal.package.id !== order.package.id;
  return { renewal, isReplaced, isOffered: mayRenew(renewal) && !isReplaced };
}
