// An order as the replay of a customer's history reads it.

import type { OrderRecord } from '../order-engine/records/order-table.ts';

export type PastOrder = Pick<
  OrderRecord,
  | 'number'
  | 'packageId'
  | 'months'
  | 'kind'
  | 'priceCents'
  | 'refundCents'
  | 'balanceAfterCents'
  | 'createdAt'
  | 'expiresAt'
  | 'fingerprint'
  | 'priceRule'
> & {
  /** Effective only once accepted by the product. */
  readonly isHandedOver: boolean;
} & Unchecked;
/** Written by an older process, possibly without the customer's last order, and not yet repaired (repair-last-orders.ts). */
export interface Unchecked {
  readonly isUnchecked: boolean;
}
