// Lists as CSV, page by page: a slow reader holds no connection to the database. Texts are quoted and cannot become
// formulas (shared/csv-text.ts); numbers and dates stay plain, so that a spreadsheet can compute with them.

import type { CustomerView } from '../../features/customers/customer-schemas.ts';
import type { FoundEntry } from '../../features/ledger/find-entries.ts';
import type { OrderView } from '../../features/orders/order-schemas.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { type CsvCell, csvLines } from '../../shared/csv-text.ts';
import { publicId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';

const columns = [
  'number',
  'created_at',
  'kind',
  'amount',
  'balance_after',
  'currency',
  'order_id',
  'customer',
  'actor',
  'memo',
] as const;

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

const customerColumns = [
  'id',
  'created_at',
  'reference',
  'name',
  'external_ref',
  'status',
  'package',
  'active',
  'starts_at',
  'expires_at',
  'days_left',
  'package_id',
  'last_order_id',
] as const;

export function ledgerCsv(pages: Pages<FoundEntry>, currency: string): AsyncGenerator<string> {
  return csvOf(pages, columns, (found) => cellsOf(found, currency));
}

export function orderCsv(pages: Pages<OrderView>): AsyncGenerator<string> {
  return csvOf(pages, orderColumns, (order) => [
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
  ]);
}

export function customerCsv(pages: Pages<CustomerView>): AsyncGenerator<string> {
  return csvOf(pages, customerColumns, ({ plan, ...customer }) => [
    String(customer.id),
    customer.created_at,
    { text: customer.reference },
    { text: customer.name },
    { text: customer.external_ref ?? '' },
    customer.status,
    { text: plan.package },
    String(plan.active),
    plan.starts_at,
    plan.expires_at,
    String(plan.days_left),
    String(plan.package_id),
    String(plan.last_order_id ?? ''),
  ]);
}

type Pages<Item> = AsyncIterable<readonly Item[]>;

/** The header, then one piece of text for each page. */
async function* csvOf<Item>(
  pages: Pages<Item>,
  header: readonly string[],
  cells: (item: Item) => readonly CsvCell[],
): AsyncGenerator<string> {
  yield csvLines([header]);
  for await (const page of pages) yield csvLines(page.map(cells));
}

function cellsOf({ entry, actor, customerReference }: FoundEntry, currency: string): CsvCell[] {
  const { accountId, number, kind, amountCents, balanceAfterCents, createdAt, orderNumber, memo } = entry;
  return [
    String(number),
    formatTime(createdAt),
    kind,
    formatAmount(amountCents),
    formatAmount(balanceAfterCents),
    currency,
    orderNumber === null ? '' : String(publicId(accountId, orderNumber)),
    { text: customerReference ?? '' },
    { text: actor ?? '' },
    { text: memo ?? '' },
  ];
}
