import { csvOf, type Pages } from '../../platform/http/csv.ts';
import type { CsvCell } from '../../shared/csv-text.ts';
import type { PricedCustomerView } from './customer-panel-schemas.ts';
import type { CustomerView } from './customer-schemas.ts';

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

export function customerCsv(pages: Pages<CustomerView>): AsyncGenerator<string> {
  return csvOf(pages, customerColumns, cells);
}

export function allCustomersCsv(pages: Pages<PricedCustomerView>): AsyncGenerator<string> {
  return csvOf(pages, [...customerColumns, 'price', 'months', 'account_id', 'account'], (customer) => [
    ...cells(customer),
    customer.price?.amount ?? '',
    String(customer.price?.months ?? ''),
    String(customer.account.id),
    { text: customer.account.username },
  ]);
}

function cells({ plan, ...customer }: CustomerView): readonly CsvCell[] {
  return [
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
  ];
}
