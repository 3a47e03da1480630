// Separate from queries.ts, which every page loads: reads of the ledger, the request log and a plan's history.

import type { Query } from './client.ts';
import { byCursor, listing, listOf, ofAccount, reading } from './queries.ts';
import type * as Api from './shapes.ts';

export const requestsQuery = (accountId: number | null, query: Query) =>
  listing<Api.RequestPage>(ofAccount(accountId, '/requests'), byCursor(query));
export const requestFiguresQuery = (query: Query) => listing<Api.RequestFigures>('/request-figures', query);
export const requestQuery = (accountId: number | null, number: string) =>
  reading<Api.RequestDetail>(ofAccount(accountId, `/requests/${encodeURIComponent(number)}`));
export const ledgerQuery = (query: Query, accountId: number | null = null) =>
  listing<Api.LedgerPage>(listOf(accountId, 'ledger'), byCursor(query));
export const planHistoryQuery = (id: string, cursor: string | undefined, isOperator = false) =>
  listing<Api.PlanHistory>(`/${isOperator ? 'admin' : 'v1'}/customers/${encodeURIComponent(id)}/history`, {
    cursor,
  });
