// The orders that a search of the ledger is about, newest first.

import type { Database } from '../../platform/database/database.ts';
import { endOfTime } from '../../platform/http/list-query.ts';
import type { OwnedId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findOrders } from './list-orders.ts';
import { resolveOrderSearch } from './parse-order-query.ts';

export interface SoughtOrders {
  readonly text: string;
  /** The typed id if it belongs to the account. */
  readonly id: OwnedId | null;
  readonly now: EpochSeconds;
}

/** Resolves the search once. The returned function lists matching order numbers up to `to`, newest first. */
export async function searchOrders(database: Database, accountId: number, sought: SoughtOrders) {
  const search = await resolveOrderSearch(database, accountId, sought);
  return async (to: number, limit: number) => {
    const { orders, nextBefore } = await findOrders(database, accountId, {
      from: 1,
      to,
      customerNumber: null,
      kind: null,
      packageId: null,
      since: 0,
      until: endOfTime,
      limit,
      search,
    });
    return { numbers: orders.map(({ number }) => number), nextBefore };
  };
}
