// An order as the API shows it (specification "Order").

import type { PackageCatalog } from '../../catalog/package-catalog.ts';
import { formatAmount } from '../../contract/amounts.ts';
import { publicId } from '../../contract/identifiers.ts';
import type { OrderView } from '../../contract/order-schemas.ts';
import { periodOfMonths } from '../../contract/periods.ts';
import { formatTime } from '../../contract/times.ts';
import { refundAtOnceCents } from '../../orders/carry-out-order.ts';
import type { OrderFailure } from '../../orders/order-handoff.ts';
import { type OrderRecord, orderStatus } from '../../orders/order-table.ts';

export function orderView(order: OrderRecord, { byId }: PackageCatalog, currency: string): OrderView {
  const { accountId, customerReference: reference } = order;
  return {
    id: publicId(accountId, order.number),
    kind: order.kind,
    status: orderStatus(order),
    package: { id: order.packageId, name: byId.get(order.packageId)?.name ?? '' },
    months: order.months,
    period: periodOfMonths(order.months),
    customer: {
      id: publicId(accountId, order.customerNumber),
      reference,
      email: reference.includes('@') ? reference : '',
    },
    price: formatAmount(order.priceCents),
    refund: formatAmount(order.refundCents),
    currency,
    expires_at: formatTime(order.expiresAt),
    created_at: formatTime(order.createdAt),
    idempotency_key: order.idempotencyKey,
    ...(order.failure === null ? {} : { failure: failureView(order, order.failure) }),
  };
}

function failureView(order: OrderRecord, { reason, at }: OrderFailure): NonNullable<OrderView['failure']> {
  const refunded = formatAmount(order.priceCents - refundAtOnceCents(order));
  return { reason, at: formatTime(at), refunded };
}
