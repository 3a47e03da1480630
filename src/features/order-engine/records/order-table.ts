// A row of `orders`: what was bought, for whom, at what price. Written by the order batch alone, never changed:
// what became of an order that the product had to take stands beside it (order-handoff.ts).

import type { Row } from '../../../platform/database/database.ts';
import {
  cents,
  describeTable,
  int,
  months,
  oneOf,
  type RowOf,
  text,
  time,
} from '../../../platform/database/table.ts';
import { type HandoffStatus, joinedHandoff, type OrderFailure } from './order-handoff.ts';

export const orderKinds = ['activate', 'renew', 'change'] as const;
export type OrderKind = (typeof orderKinds)[number];

const columns = {
  accountId: int('account_id'),
  number: int('number'),
  customerNumber: int('customer_number'),
  packageId: int('package_id'),
  months: months('months'),
  kind: oneOf('kind', orderKinds),
  priceCents: cents('price_cents'),
  refundCents: cents('refund_cents'),
  balanceAfterCents: cents('balance_after_cents'),
  createdAt: time('created_at'),
  expiresAt: time('expires_at'),
  idempotencyKey: text('idempotency_key'),
  fingerprint: text('fingerprint'),
};

export const orders = describeTable('orders', columns);

/** As they are written: with the hash of row-hashes.ts. */
export const hashedOrders = describeTable('orders', { ...columns, rowHash: text('row_hash') });

/** Which orders are looked up. */
export const orderPlaces = orders.pick('accountId', 'number');

/** An order, with the reference of its customer and what became of its hand-off, which are joined from their rows. */
export type OrderRecord = RowOf<typeof orders> & {
  readonly customerReference: string;
  /** null: it was not handed over to the product, and is completed. */
  readonly handoff: HandoffStatus | null;
  /** null: it has not failed. */
  readonly failure: OrderFailure | null;
};

/** The columns of `orders o` and of what orderJoins joins to it: what parseOrder reads. */
export const orderColumns = `${orders.list('o')}, c.reference, ${joinedHandoff.columns}`;

/** Behind `orders o`. Of an order that was not handed over the second is one look at an index without a row. */
export const orderJoins = `join customers c on c.account_id = o.account_id and c.number = o.customer_number
    left join order_handoffs h on h.account_id = o.account_id and h.order_number = o.number`;

export function parseOrder(row: Row): OrderRecord {
  return {
    ...orders.parse(row),
    customerReference: String(row['reference']),
    ...joinedHandoff.parse(row),
  };
}

/** One that is refused is none. */
export function orderStatus({ handoff }: Pick<OrderRecord, 'handoff'>): HandoffStatus {
  return handoff ?? 'completed';
}

/** In place of a hash: nobody sent this order, a plan renewed itself. */
export const automaticFingerprint = 'automatic';
/** Before the hash of an order that the operator placed for the account. */
export const operatorMark = 'operator ';

/** Who placed the order, as the history and the events say it. */
export function orderedBy({ fingerprint }: Pick<OrderRecord, 'fingerprint'>) {
  if (fingerprint === automaticFingerprint) return 'service';
  return fingerprint.startsWith(operatorMark) ? 'operator' : 'account';
}
