// Reads customers. Only the order batch and edit-customer.ts write them.

import { createBatchedLookup } from '../../platform/database/batched-lookup.ts';
import { type Database, ranked, type SqlStatement } from '../../platform/database/database.ts';
import { type Page, pageRange } from '../../shared/pages.ts';
import { type Customer, customerPlaces, shownCustomers } from '../order-engine/records/customer-table.ts';

export interface CustomerReads {
  find(accountId: number, number: number): Promise<Customer | null>;
  list(accountId: number, page: Page, total: number): Promise<Customer[]>;
}

const findCustomers: SqlStatement = {
  name: 'find_customers',
  text: `select wanted.position, ${shownCustomers.list('c')}
    from ${customerPlaces.sentInOrder('wanted')}
    join customers c on c.account_id = wanted.account_id and c.number = wanted.number`,
};

const listCustomers: SqlStatement = {
  name: 'list_customers',
  text: `select ${shownCustomers.list('c')} from customers c
    where c.account_id = $1::int and c.number between $2::int and $3::int order by c.number desc`,
};

export function createCustomerReads(database: Database): CustomerReads {
  const lookup = createBatchedLookup<{ accountId: number; number: number }>(
    ranked(database, 'lookups'),
    findCustomers,
    customerPlaces.values,
    ({ accountId }) => accountId,
  );
  return {
    async find(accountId, number) {
      const row = await lookup.find({ accountId, number });
      return row === null ? null : shownCustomers.parse(row);
    },
    async list(accountId, page, total) {
      const range = pageRange(page, total);
      if (range === null) return [];
      return (
        await database.ofAccount(accountId).query(listCustomers, [accountId, range.from, range.to])
      ).map((row) => shownCustomers.parse(row));
    },
  };
}
