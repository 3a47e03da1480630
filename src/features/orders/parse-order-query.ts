// Resolves a search for orders once, before its pages are read (list-orders.ts): words of the customer, an id of a customer
// or order, or an idempotency key.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import type { OwnedId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { everyCustomer, findCustomers } from '../customers/list-customers.ts';
import { searchWords } from '../customers/search-words.ts';
import type { OrderSearch } from './list-orders.ts';

/** The orders of up to this many customers are read separately. With more, the newest orders soon fill a page. */
const customersMax = 500;

const findNumberOfKey: SqlStatement = {
  name: 'find_order_number_of_key',
  text: 'select number from orders where account_id = $1::int and idempotency_key = $2::text',
};

/** `id` is the typed id if it belongs to the account. Returns null if there is no search. */
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
  if (next !== null && orderNumbers.length === 0) return { by: 'words', words };
  const named = id === null ? [] : [id.number];
  return {
    by: 'numbers',
    customerNumbers: [...new Set([...named, ...customers.map(({ number }) => number)])],
    orderNumbers,
  };
}
