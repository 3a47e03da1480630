// A row of `orders`: what was bought, for whom, at what price. Written by the order batch alone, never changed.

import type { Row } from '../database/database.ts';
import { cents, describeTable, int, months, oneOf, type RowOf, text, time } from '../database/table.ts';

export const orderKinds = ['activate', 'renew', 'change'] as const;
/** What an order can be; one that is refused is none. */
export const orderStatuses = ['completed'] as const;
export type OrderKind = (typeof orderKinds)[number];

export const orders = describeTable('orders', {
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
});

/** Which orders are looked up. */
export const orderPlaces = orders.pick('accountId', 'number');

/** An order, with the reference of its customer, which is joined from their row. */
export type OrderRecord = RowOf<typeof orders> & { readonly customerReference: string };

/** The columns of `orders o` and the customer's reference, of `customers c`: what parseOrder reads. */
export const orderColumns = `${orders.list('o')}, c.reference`;

export function parseOrder(row: Row): OrderRecord {
  return { ...orders.parse(row), customerReference: String(row['reference']) };
}

/** In place of a hash: nobody sent this order, a plan renewed itself. */
export const automaticFingerprint = 'automatic';
