// The table orders. Only the order batch writes it, and rows never change. The outcome of a hand-off is in
// order-handoff.ts.

import type { Row } from '../../../platform/database/database.ts';
import { nullable } from '../../../platform/database/row-values.ts';
import { textArray } from '../../../platform/database/sql-arrays.ts';
import {
  type Column,
  cents,
  describeTable,
  int,
  months,
  oneOf,
  type RowOf,
  text,
  time,
} from '../../../platform/database/table.ts';
import { type PriceRule, parseRule, storedRule } from '../../packages/price-rules.ts';
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
  priceRule: priceRule('price_rule'),
};

export const orders = describeTable('orders', columns);

export const hashedOrders = describeTable('orders', { ...columns, rowHash: text('row_hash') });

export const orderPlaces = orders.pick('accountId', 'number');

export type OrderRecord = RowOf<typeof orders> & {
  readonly customerReference: string;
  /** null if the order was not handed over to the product, so it is completed. */
  readonly handoff: HandoffStatus | null;
  readonly failure: OrderFailure | null;
};

export const orderColumns = `${orders.list('o')}, c.reference, ${joinedHandoff.columns}`;

/** Follows `orders o`. If there is no hand-off, the second join costs one index look-up. */
export const orderJoins = `join customers c on c.account_id = o.account_id and c.number = o.customer_number
    left join order_handoffs h on h.account_id = o.account_id and h.order_number = o.number`;

export function parseOrder(row: Row): OrderRecord {
  return {
    ...orders.parse(row),
    customerReference: String(row['reference']),
    ...joinedHandoff.parse(row),
  };
}

function priceRule(name: string): Column<PriceRule> {
  return {
    name,
    arrayType: 'text[]',
    cast: null,
    toArray: (rules) => textArray(rules.map(storedRule)),
    parse: (value) => parseRule(nullable(String, value)),
  };
}

/** Refused orders are not stored. */
export function orderStatus({ handoff }: Pick<OrderRecord, 'handoff'>): HandoffStatus {
  return handoff ?? 'completed';
}

/** An automatic renewal has this text as its fingerprint instead of a hash. */
export const automaticFingerprint = 'automatic';
/** The fingerprint of an order placed by the operator begins with this text, before the hash. */
export const operatorMark = 'operator ';

export function orderedBy({ fingerprint }: Pick<OrderRecord, 'fingerprint'>) {
  if (fingerprint === automaticFingerprint) return 'service';
  return fingerprint.startsWith(operatorMark) ? 'operator' : 'account';
}
