// Reads of the business figures: the caller's own, and for operators those of all accounts.

import type { Query } from './client.ts';
import { listing } from './queries.ts';
import type * as Api from './shapes.ts';

/** Where the figures are read: the signed-in account's own, or the operator's. */
export type BusinessOf = '/v1' | '/admin/v1';

export const businessQuery = (of: BusinessOf, query: Query) => listing<Api.Business>(`${of}/business`, query);
export const cohortsQuery = (of: BusinessOf, query: Query) =>
  listing<Api.Cohorts>(`${of}/business/cohorts`, query);
export const businessForecastQuery = listing<Api.BusinessForecast>('/admin/v1/business/forecast');
export const listedAccountsQuery = (sort: 'mrr' | 'runs_out_on') =>
  listing<Api.ListedAccounts>('/admin/business-accounts', { sort });
