import { csvOf, type Pages } from '../../platform/http/csv.ts';
import type { ListedOrderView, OrderView } from './order-schemas.ts';

const orderColumns = [
  'id',
  'created_at',
  'kind',
  'status',
  'package_id',
  'package',
  'months',
  'customer_id',
  'customer',
  'price',
  'refund',
  'currency',
  'expires_at',
  'idempotency_key',
  'failure_reason',
  'failed_at',
  'failure_refunded',
] as const;

export function orderCsv(pages: Pages<OrderView>): AsyncGenerator<string> {
  return csvOf(pages, orderColumns, cells);
}

export function allOrdersCsv(pages: Pages<ListedOrderView>): AsyncGenerator<string> {
  return csvOf(pages, [...orderColumns, 'account_id', 'account'], (order) => [
    ...cells(order),
    String(order.account.id),
    { text: order.account.username },
  ]);
}

function cells(order: OrderView) {
  return [
    String(order.id),
    order.created_at,
    order.kind,
    order.status,
    String(order.package.id),
    { text: order.package.name },
    String(order.months),
    String(order.customer.id),
    { text: order.customer.reference },
    order.price,
    order.refund,
    order.currency,
    order.expires_at,
    { text: order.idempotency_key },
    { text: order.failure?.reason ?? '' },
    order.failure?.at ?? '',
    order.failure?.refunded ?? '',
  ];
}
