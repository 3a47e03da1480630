// What somebody typed to find orders: words of the customer (customers/search-words.ts), the id of the customer or of an order, or
// the idempotency key of one. It is resolved once, and then every page of the list is read by what came of it
// (list-orders.ts). Called by the panel's list of orders.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import type { OwnedId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { everyCustomer, findCustomers } from '../customers/list-customers.ts';
import { searchWords } from '../customers/search-words.ts';
import type { OrderSearch } from './list-orders.ts';

/** The orders of so many customers are read each by themselves; of more, a page is found among the newest orders soon. */
const customersMax = 500;

const findNumberOfKey: SqlStatement = {
  name: 'find_order_number_of_key',
  text: 'select number from orders where account_id = $1::int and idempotency_key = $2::text',
};

/** `id`: what was typed, if it is an id of the account. null: nothing was typed. */
export async function resolveOrderSearch(
  database: Queryable,
  accountId: number,
  { text, id, now }: { readonly text: string; readonly id: OwnedId | null; readonly now: EpochSeconds },
): Promise<OrderSearch | null> {
  if (text === '') return null;
  const words = searchWords(text);
  const [keyed, { items: customers, next }] = await Promise.all([
    database.ofAccount(accountId).query(findNumberOfKey, [accountId, text]),
    findCustomers(database, accountId, { ...everyCustomer, words, now }, null, customersMax),
  ]);
  const orderNumbers = [...keyed.map((row) => Number(row['number'])), ...(id === null ? [] : [id.number])];
  // Whoever types a key or an id means that one.
  if (next !== null && orderNumbers.length === 0) return { by: 'words', words };
  const named = id === null ? [] : [id.number];
  return {
    by: 'numbers',
    customerNumbers: [...new Set([...named, ...customers.map(({ number }) => number)])],
    orderNumbers,
  };
}
