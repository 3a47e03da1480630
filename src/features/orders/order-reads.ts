// Reads orders outside a batch. All single orders requested in one turn of the event loop share a query.

import { createBatchedLookup } from '../../platform/database/batched-lookup.ts';
import { type Database, ranked, type SqlStatement } from '../../platform/database/database.ts';
import { type Page, pageRange } from '../../shared/pages.ts';
import {
  type OrderRecord,
  orderColumns,
  orderJoins,
  orderPlaces,
  parseOrder,
} from '../order-engine/records/order-table.ts';

export interface OrderReads {
  find(accountId: number, number: number): Promise<OrderRecord | null>;
  list(accountId: number, page: Page, total: number): Promise<OrderRecord[]>;
}

const findOrders: SqlStatement = {
  name: 'find_orders',
  text: `select wanted.position, ${orderColumns}
    from ${orderPlaces.sentInOrder('wanted')}
    join orders o on o.account_id = wanted.account_id and o.number = wanted.number
    ${orderJoins}`,
};

const listOrders: SqlStatement = {
  name: 'list_orders',
  text: `select ${orderColumns}
    from orders o ${orderJoins}
    where o.account_id = $1::int and o.number between $2::int and $3::int
    order by o.number desc`,
};

export function createOrderReads(database: Database): OrderReads {
  const lookup = createBatchedLookup<{ accountId: number; number: number }>(
    ranked(database, 'lookups'),
    findOrders,
    orderPlaces.values,
    ({ accountId }) => accountId,
  );
  return {
    async find(accountId, number) {
      const row = await lookup.find({ accountId, number });
      return row === null ? null : parseOrder(row);
    },
    async list(accountId, page, total) {
      const range = pageRange(page, total);
      if (range === null) return [];
      return (await database.ofAccount(accountId).query(listOrders, [accountId, range.from, range.to])).map(
        parseOrder,
      );
    },
  };
}
