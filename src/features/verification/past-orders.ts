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
  /** True if the order takes effect only once the product accepts it. */
  readonly isHandedOver: boolean;
} & Unchecked;
/** An older process wrote the row. It may lack the customer's last order until repair-last-orders.ts repairs it. */
export interface Unchecked {
  readonly isUnchecked: boolean;
}
