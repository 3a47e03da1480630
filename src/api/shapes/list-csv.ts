// Lists as CSV, page by page: whoever reads slowly holds no connection to the database. Texts that a
// spreadsheet would take for formulas begin with an apostrophe; numbers stay as they are.

import { stringify } from 'csv-stringify/sync';
import { formatAmount } from '../../contract/amounts.ts';
import type { CustomerView } from '../../contract/customer-schemas.ts';
import { publicId } from '../../contract/identifiers.ts';
import type { OrderView } from '../../contract/order-schemas.ts';
import { formatTime } from '../../contract/times.ts';
import type { FoundEntry } from '../../ledger/ledger-search.ts';

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
    inert(order.package.name),
    String(order.months),
    String(order.customer.id),
    inert(order.customer.reference),
    order.price,
    order.refund,
    order.currency,
    order.expires_at,
    inert(order.idempotency_key),
  ]);
}

export function customerCsv(pages: Pages<CustomerView>): AsyncGenerator<string> {
  return csvOf(pages, customerColumns, ({ plan, ...customer }) => [
    String(customer.id),
    customer.created_at,
    inert(customer.reference),
    inert(customer.name),
    inert(customer.external_ref ?? ''),
    customer.status,
    inert(plan.package),
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
  cells: (item: Item) => readonly string[],
): AsyncGenerator<string> {
  yield stringify([[...header]]);
  for await (const page of pages) yield stringify(page.map((item) => [...cells(item)]));
}

function cellsOf({ entry, actor, customerReference }: FoundEntry, currency: string): string[] {
  const { accountId, number, kind, amountCents, balanceAfterCents, createdAt, orderNumber, memo } = entry;
  return [
    String(number),
    formatTime(createdAt),
    kind,
    formatAmount(amountCents),
    formatAmount(balanceAfterCents),
    currency,
    orderNumber === null ? '' : String(publicId(accountId, orderNumber)),
    inert(customerReference ?? ''),
    inert(actor ?? ''),
    inert(memo ?? ''),
  ];
}

/** Spreadsheets compute what begins like this, some after blanks, some in full width. */
function inert(text: string): string {
  return /^[\s\p{Cf}]*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u.test(text) ? `'${text}` : text;
}
