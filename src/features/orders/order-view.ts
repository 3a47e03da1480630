import { formatAmount } from '../../shared/amounts.ts';
import { publicId } from '../../shared/identifiers.ts';
import { periodOfMonths } from '../../shared/periods.ts';
import { formatTime } from '../../shared/times.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { refundAtOnceCents } from '../order-engine/decisions/execute-order.ts';
import type { OrderFailure } from '../order-engine/records/order-handoff.ts';
import { type OrderRecord, orderStatus } from '../order-engine/records/order-table.ts';
import type { PackageCatalog, PackageCatalogHolder } from '../packages/package-catalog.ts';
import type { PriceRule } from '../packages/price-rules.ts';
import type { PanelOrderView } from './order-panel-schemas.ts';
import type { OrderView } from './order-schemas.ts';

export interface PanelOrderDependencies {
  readonly customers: CustomerReads;
  readonly packages: PackageCatalogHolder;
  readonly currency: string;
}

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
    ...priceRuleView(order.priceRule),
    refund: formatAmount(order.refundCents),
    currency,
    expires_at: formatTime(order.expiresAt),
    created_at: formatTime(order.createdAt),
    idempotency_key: order.idempotencyKey,
    ...(order.failure === null ? {} : { failure: failureView(order, order.failure) }),
  };
}

/** The names of a page's customers are read in one query: `customers` batches look-ups. */
export async function panelOrderView(
  order: OrderRecord,
  { customers, packages, currency }: PanelOrderDependencies,
): Promise<PanelOrderView> {
  const customer = await customers.find(order.accountId, order.customerNumber);
  const view = orderView(order, packages.current(), currency);
  return { ...view, customer: { ...view.customer, name: customer?.name ?? view.customer.reference } };
}

export function priceRuleView(rule: PriceRule): Pick<OrderView, 'price_rule' | 'price_from' | 'percent_off'> {
  if (rule.name === 'group') return { price_rule: rule.name };
  const price = { price_rule: rule.name, price_from: formatTime(rule.since) };
  if (rule.name === 'held' || rule.percentOff === null) return price;
  return { ...price, percent_off: formatAmount(BigInt(rule.percentOff)) };
}

function failureView(order: OrderRecord, { reason, at }: OrderFailure): NonNullable<OrderView['failure']> {
  const refunded = formatAmount(order.priceCents - refundAtOnceCents(order));
  return { reason, at: formatTime(at), refunded };
}
