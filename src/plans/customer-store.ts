// Customers: read for their account and for themselves, and their status, which an administrator sets.
// Their plans are written by the order batch alone.

import type { PackageCatalog } from '../catalog/package-catalog.ts';
import { publicId } from '../contract/identifiers.ts';
import { type Page, pageRange } from '../contract/pages.ts';
import type { CustomerView } from '../contract/schemas.ts';
import { daysLeft, type EpochSeconds, formatTime } from '../contract/times.ts';
import { createBatchedLookup } from '../database/batched-lookup.ts';
import { type Database, type Row, ranked, type Statement } from '../database/database.ts';
import { oneOf } from '../database/row-values.ts';
import { numberArray } from '../database/sql-arrays.ts';
import { appendAudit } from '../journal/audit-log.ts';

const customerStatuses = ['active', 'suspended'] as const;
export type CustomerStatus = (typeof customerStatuses)[number];

export interface Customer {
  readonly accountId: number;
  readonly number: number;
  readonly reference: string;
  readonly name: string;
  readonly status: CustomerStatus;
  readonly packageId: number;
  readonly startsAt: EpochSeconds;
  readonly expiresAt: EpochSeconds;
  readonly createdAt: EpochSeconds;
}

export interface CustomerReads {
  /** null: the account has no such customer. */
  find(accountId: number, number: number): Promise<Customer | null>;
  /** Newest first; `total` is the account's customer count. */
  list(accountId: number, page: Page, total: number): Promise<Customer[]>;
}

/** The columns that parseCustomer reads, of `customers c`. */
export const customerColumns = `c.account_id, c.number, c.reference, c.name, c.status, c.package_id, c.anchor_at, c.expires_at,
  c.created_at`;

const findCustomers: Statement = {
  name: 'find_customers',
  text: `select wanted.position, ${customerColumns}
    from unnest($1::int[], $2::int[]) with ordinality wanted (account_id, number, position)
    join customers c on c.account_id = wanted.account_id and c.number = wanted.number`,
};

const listCustomers: Statement = {
  name: 'list_customers',
  text: `select ${customerColumns} from customers c
    where c.account_id = $1::int and c.number between $2::int and $3::int order by c.number desc`,
};

const lockCustomer: Statement = {
  name: 'lock_customer',
  text: `select ${customerColumns} from customers c where c.account_id = $1::int and c.number = $2::int
    for no key update`,
};

const updateStatus: Statement = {
  name: 'update_customer_status',
  text: 'update customers set status = $3 where account_id = $1::int and number = $2::int',
};

export function createCustomerReads(database: Database): CustomerReads {
  const lookup = createBatchedLookup<{ accountId: number; number: number }>(
    ranked(database, 'lookups'),
    findCustomers,
    (keys) => [
      numberArray(keys.map(({ accountId }) => accountId)),
      numberArray(keys.map(({ number }) => number)),
    ],
  );
  return {
    async find(accountId, number) {
      const row = await lookup.find({ accountId, number });
      return row === null ? null : parseCustomer(row);
    },
    async list(accountId, page, total) {
      const range = pageRange(page, total);
      if (range === null) return [];
      return (await database.query(listCustomers, [accountId, range.from, range.to])).map(parseCustomer);
    },
  };
}

/** null: there is no such customer. */
export function changeCustomerStatus(
  database: Database,
  { accountId, number }: { accountId: number; number: number },
  status: CustomerStatus,
  { actorId, now }: { actorId: number; now: EpochSeconds },
): Promise<Customer | null> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query(lockCustomer, [accountId, number]);
    if (row === undefined) return null;
    const before = parseCustomer(row);
    await transaction.query(updateStatus, [accountId, number, status]);
    await appendAudit(
      transaction,
      {
        actorId,
        action: 'customer.update',
        subject: `customer ${publicId(accountId, number)}`,
        before: { status: before.status },
        after: { status },
      },
      now,
    );
    return { ...before, status };
  });
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
      starts_at: formatTime(customer.startsAt),
      expires_at: formatTime(customer.expiresAt),
      days_left: daysLeft(customer.expiresAt, now),
    },
    created_at: formatTime(customer.createdAt),
  };
}

export function parseCustomer(row: Row): Customer {
  return {
    accountId: Number(row['account_id']),
    number: Number(row['number']),
    reference: String(row['reference']),
    name: String(row['name']),
    status: oneOf(customerStatuses, row['status']),
    packageId: Number(row['package_id']),
    startsAt: Number(row['anchor_at']),
    expiresAt: Number(row['expires_at']),
    createdAt: Number(row['created_at']),
  };
}
