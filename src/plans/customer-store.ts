// Customers: read for their account and for themselves. They are written by the order batch alone.

import type { PackageCatalog } from '../catalog/package-catalog.ts';
import { publicId } from '../contract/identifiers.ts';
import { type Page, pageRange } from '../contract/pages.ts';
import type { CustomerView } from '../contract/schemas.ts';
import { daysLeft, type EpochSeconds, formatTime } from '../contract/times.ts';
import { createBatchedLookup } from '../database/batched-lookup.ts';
import { type Database, ranked, type Statement } from '../database/database.ts';
import { type Customer, customers, shownCustomers } from './customer-table.ts';

export interface CustomerReads {
  /** null: the account has no such customer. */
  find(accountId: number, number: number): Promise<Customer | null>;
  /** Newest first; `total` is the account's customer count. */
  list(accountId: number, page: Page, total: number): Promise<Customer[]>;
}

const findCustomers: Statement = {
  name: 'find_customers',
  text: `select wanted.position, ${shownCustomers.list('c')}
    from unnest($1::int[], $2::int[]) with ordinality wanted (account_id, number, position)
    join customers c on c.account_id = wanted.account_id and c.number = wanted.number`,
};

const listCustomers: Statement = {
  name: 'list_customers',
  text: `select ${shownCustomers.list('c')} from customers c
    where c.account_id = $1::int and c.number between $2::int and $3::int order by c.number desc`,
};

export function createCustomerReads(database: Database): CustomerReads {
  const lookup = createBatchedLookup<{ accountId: number; number: number }>(
    ranked(database, 'lookups'),
    findCustomers,
    (keys) => customers.values(keys, 'accountId', 'number'),
  );
  return {
    async find(accountId, number) {
      const row = await lookup.find({ accountId, number });
      return row === null ? null : shownCustomers.parse(row);
    },
    async list(accountId, page, total) {
      const range = pageRange(page, total);
      if (range === null) return [];
      return (await database.query(listCustomers, [accountId, range.from, range.to])).map((row) =>
        shownCustomers.parse(row),
      );
    },
  };
}

/** A customer as the API shows it (specification "Customer"). */
export function customerView(customer: Customer, { byId }: PackageCatalog, now: EpochSeconds): CustomerView {
  const { accountId, number, reference } = customer;
  return {
    id: publicId(accountId, number),
    name: customer.name,
    email: reference.includes('@') ? reference : '',
    status: customer.status,
    plan: {
      package: byId.get(customer.packageId)?.name ?? '',
      active: customer.expiresAt > now,
      starts_at: formatTime(customer.anchorAt),
      expires_at: formatTime(customer.expiresAt),
      days_left: daysLeft(customer.expiresAt, now),
    },
    created_at: formatTime(customer.createdAt),
  };
}
