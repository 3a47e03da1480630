// All reads, one per route. Every command makes all of them stale (use-command.ts).

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call, type Query } from './client.ts';
import { followed, onTopics } from './event-stream.ts';
import type * as Api from './shapes.ts';

export function reading<Answer>(path: string, query: Query = {}) {
  return queryOptions({
    queryKey: [path, query],
    queryFn: ({ signal }) => call<Answer>(path, { query, signal }),
  });
}

/** Keeps showing the previous page of rows until the next one arrives. */
export function listing<Answer>(path: string, query: Query = {}) {
  return queryOptions({ ...reading<Answer>(path, query), placeholderData: keepPreviousData });
}

const meMilliseconds = 5_000;
export const meQuery = queryOptions({
  ...reading<Api.Me>('/me'),
  ...followed(meMilliseconds, 'account'),
});
// Roles rarely change, so a short interval is not needed. A refusal triggers an earlier refetch (query-client.ts).
const personMilliseconds = 15_000;
export const personQuery = queryOptions({
  ...reading<Api.SignedInPerson>('/person'),
  ...followed(personMilliseconds, 'person'),
});
/** Refetched regularly, because other programs and tabs also change test mode. */
export const balanceQuery = queryOptions({
  ...reading<Api.Balance>('/v1/balance'),
  ...followed(meMilliseconds, 'account'),
});
export const testClockQuery = queryOptions({
  ...reading<{ readonly clock: Api.TestClock }>('/v1/test/clock'),
  ...followed(meMilliseconds, 'account'),
});
export const shownBrandQuery = reading<Api.ShownBrand>('/brand');
/** The token is in the body, so that it never appears in a URL. */
export const passwordLinkQuery = (token: string) =>
  queryOptions({
    queryKey: ['/password-reset/link', token],
    queryFn: ({ signal }) =>
      call<Api.PasswordLink>('/password-reset/link', { method: 'POST', body: { token }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
export const signInOptionsQuery = reading<Api.SignInOptions>('/sign-in');
export const sessionsQuery = reading<Api.Listed<Api.Session>>('/sessions');
export const keysQuery = (path: string) => reading<Api.Listed<Api.ApiKey>>(path);
export const peopleQuery = (path: string) => reading<Api.Listed<Api.Person>>(path);
export const packagesQuery = reading<Api.PackageList>('/v1/packages');
export const limitsQuery = reading<Api.Listed<Api.Limit>>('/v1/limits');
export const packageNamesQuery = (isOperator: boolean) =>
  reading<Api.Listed<Pick<Api.Package, 'id' | 'name'>>>(isOperator ? '/admin/v1/packages' : '/v1/packages');
const statementsMax = 36;
export const statementsQuery = queryOptions({
  ...reading<Api.Listed<Api.Statement>>('/v1/statements'),
  select: ({ data }: Api.Listed<Api.Statement>) => ({
    data: data.filter(({ entry_count: entries }) => entries > 0).slice(0, statementsMax),
  }),
});

const usageMilliseconds = 5_000;
export const usageQuery = queryOptions({
  ...reading<Api.Usage>('/usage'),
  refetchInterval: usageMilliseconds,
});

export const overviewQuery = (span: { days?: number; months?: number }) =>
  queryOptions({ ...listing<Api.Overview>('/overview', span), ...onTopics('orders') });

export const forecastQuery = (days: number) => listing<Api.Forecast>('/v1/forecast', { days });
export const alertsQuery = reading<Api.AlertsAnswer>('/v1/alerts');

export const ofAccount = (accountId: number | null, path: string) =>
  accountId === null ? path : `/admin/accounts/${accountId}${path}`;
const ofAnyAccount = (accountId: number | null, path: string) =>
  accountId === null ? path : `/admin${path}`;

/** The path of a list: of the signed-in account (null), or of an account that the operator looks at. */
export const listOf = (accountId: number | null, list: 'orders' | 'customers' | 'ledger') =>
  accountId === null ? `/v1/${list}` : `/admin/v1/accounts/${accountId}/${list}`;
const rowsOfPage = 50;
export const byCursor = (query: Query): Query => ({
  limit: rowsOfPage,
  ...query,
  cursor: query['cursor'] ?? '',
});

export const ordersQuery = (query: Query, accountId: number | null = null) =>
  queryOptions({
    ...listing<Api.CursorPage<Api.PanelOrder>>(listOf(accountId, 'orders'), byCursor(query)),
    ...onTopics('orders'),
  });
export const orderQuery = (id: string, accountId: number | null = null) =>
  queryOptions({
    ...reading<Api.OrderWithEntries>(ofAnyAccount(accountId, `/orders/${encodeURIComponent(id)}`)),
    ...onTopics('orders'),
  });
export const customersQuery = (query: Query, accountId: number | null = null) =>
  queryOptions({
    ...listing<Api.CursorPage<Api.PanelCustomer>>(listOf(accountId, 'customers'), byCursor(query)),
    ...onTopics('orders'),
  });
export const customerQuery = (id: string) =>
  queryOptions({
    ...reading<Api.CustomerWithOrders>(`/customers/${encodeURIComponent(id)}`),
    ...onTopics('orders'),
  });
export const refusalCountsQuery = (accountId: number | null, query: Query) =>
  reading<Api.Listed<Api.RefusalCount>>(ofAccount(accountId, '/refusals'), query);
const cancelPreviewMilliseconds = 5_000;
/** Always refetched when shown, because the unused part of the plan shrinks with time. */
export const cancelPreviewQuery = (id: number, isOperator = false) =>
  queryOptions({
    ...reading<Api.CancelPreview>(`${isOperator ? '/admin' : ''}/customers/${id}/cancel`),
    staleTime: 0,
    gcTime: 0,
    refetchInterval: cancelPreviewMilliseconds,
  });

export const orderPreviewQuery = (body: {
  readonly package_id?: number;
  readonly customer?: string;
  readonly customer_name?: string;
  readonly order_id?: number;
  readonly months?: Api.Months;
}) =>
  queryOptions({
    queryKey: ['/orders/preview', body],
    queryFn: async ({ signal }) => {
      const options = { method: 'POST', body, signal } as const;
      return (await call<{ readonly preview: Api.OrderPreview }>('/v1/orders/preview', options)).preview;
    },
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });

export const accountsQuery = (query: Query) => listing<Api.Page<Api.Account>>('/admin/v1/accounts', query);
export const foundAccountsPath = '/admin/accounts';
export const foundAccountsQuery = (query: Query) =>
  listing<Api.CursorPage<Api.FoundAccount>>(foundAccountsPath, byCursor(query));
export const accountQuery = (id: string) =>
  reading<{ readonly account: Api.Account }>(`/admin/v1/accounts/${encodeURIComponent(id)}`);
export const allPackagesQuery = reading<Api.Listed<Api.AdminPackage>>('/admin/v1/packages');

const attentionMilliseconds = 15_000;

/** Shown in the navigation of every page, so it is refetched no more often than the list itself. */
export const attentionCountQuery = queryOptions({
  ...reading<Api.AttentionCount>('/admin/attention'),
  staleTime: attentionMilliseconds,
  ...followed(attentionMilliseconds, 'calls', 'payment_problems'),
});
