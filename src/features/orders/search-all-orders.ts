// Searches the orders of all accounts by words of their customers, for the console. An account's own search is in
// parse-order-query.ts.

import type { Queryable } from '../../platform/database/database.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { everyCustomer, findCustomers } from '../customers/list-customers.ts';
import { searchWords } from '../customers/search-words.ts';
import type { OrderRecord } from '../order-engine/records/order-table.ts';
import type { AllOrdersFilter, FoundOrders, OrderPlace } from './list-all-orders.ts';
import { findOrders } from './list-orders.ts';

const customersMax = 500;
const numberMax = 2_147_483_647;

export interface CustomersOfWords {
  readonly numbersOfAccount: ReadonlyMap<number, readonly number[]>;
  /** True if more customers match than were found, or not all could be read. */
  readonly isPartial: boolean;
}

export async function findCustomersOfWords(
  database: Queryable,
  text: string,
  now: EpochSeconds,
): Promise<CustomersOfWords> {
  const wanted = { ...everyCustomer, words: searchWords(text), now };
  const { items, next } = await findCustomers(database, null, wanted, null, customersMax);
  const byAccount = Map.groupBy(items, ({ accountId }) => accountId);
  const numbersOfAccount = new Map(
    [...byAccount].map(([accountId, customers]) => [accountId, customers.map(({ number }) => number)]),
  );
  return { numbersOfAccount, isPartial: next !== null };
}

/** A page behind `place` of the orders of these customers, in the order of list-all-orders.ts. */
export async function findOrdersOfCustomers(
  database: Queryable,
  { numbersOfAccount }: Pick<CustomersOfWords, 'numbersOfAccount'>,
  filter: AllOrdersFilter,
  place: OrderPlace | null,
  limit: number,
): Promise<FoundOrders> {
  const pages = await Promise.all(
    [...numbersOfAccount].map(([accountId, customerNumbers]) =>
      findOrders(database, accountId, {
        ...filter,
        ...spanBehind(place, accountId, filter.until),
        from: 1,
        customerNumber: null,
        search: { by: 'numbers', customerNumbers, orderNumbers: [] },
        limit,
      }),
    ),
  );
  const found = pages.flatMap(({ orders }) => orders).toSorted(newestFirst);
  const orders = found.slice(0, limit);
  const hasMore = found.length > limit || pages.some(({ nextBefore }) => nextBefore !== null);
  return { orders, next: hasMore ? (orders.at(-1) ?? null) : null };
}

/** In the second of `place` the account with the higher id comes first. */
function spanBehind(place: OrderPlace | null, accountId: number, until: EpochSeconds) {
  if (place === null) return { until, to: numberMax };
  const isBefore = accountId > place.accountId;
  const to = accountId === place.accountId ? place.number - 1 : numberMax;
  return { until: Math.min(until, place.createdAt + (isBefore ? 0 : 1)), to };
}

function newestFirst(one: OrderRecord, other: OrderRecord): number {
  return other.createdAt - one.createdAt || other.accountId - one.accountId || other.number - one.number;
}
