// Separate from queries.ts, which every page loads: reads of the console alone.

import { queryOptions } from '@tanstack/react-query';
import type { Query } from './client.ts';
import { followed } from './event-stream.ts';
import { byCursor, listing, reading } from './queries.ts';
import type * as Api from './shapes.ts';

export const allOrdersPath = '/admin/v1/orders';
export const allOrdersQuery = (query: Query) =>
  listing<Api.CursorPage<Api.ListedOrder> & { readonly partial?: boolean }>(allOrdersPath, byCursor(query));
export const allCustomersPath = '/admin/customers';
export const allCustomersQuery = (query: Query) =>
  listing<Api.CursorPage<Api.PricedCustomer>>(allCustomersPath, byCursor(query));
export const accountOutlookQuery = (id: number) =>
  reading<Pick<Api.FoundAccount, 'outlook'>>(`/admin/accounts/${id}/outlook`);
export const refusedAccountsQuery = (code: string, days: Query) =>
  listing<Api.RefusedAccounts>(`/admin/refusals/${encodeURIComponent(code)}`, days);
export const spendingOfAccountsQuery = (query: Query) =>
  listing<Api.SpendingOfAccounts>('/admin/spending', query);
export const accountOrderQuery = (id: string) =>
  reading<Api.AccountOrder>(`/admin/orders/${encodeURIComponent(id)}`);
export const auditQuery = (query: Query) =>
  listing<Api.CursorPage<Api.FoundAuditEntry>>('/admin/audit', byCursor(query));
export const anyCustomerQuery = (id: string) =>
  reading<Api.AnyCustomer>(`/admin/customers/${encodeURIComponent(id)}`);
export const scheduledPricesQuery = (packageId: number) =>
  reading<Api.Listed<Api.ScheduledPrices>>(`/admin/v1/packages/${packageId}/prices`);
export const consoleOverviewQuery = (query: Query) => listing<Api.ConsoleOverview>('/admin/overview', query);
export const retentionQuery = reading<{ readonly retention: Api.Retention }>('/admin/v1/retention');
export const brandQuery = reading<{ readonly brand: Api.Brand }>('/admin/v1/brand');
export const definedLimitsQuery = reading<Api.Listed<Api.Limit>>('/admin/v1/limits');
export const productQuery = reading<{ readonly product: Api.Product }>('/admin/v1/product');
const callsMilliseconds = 15_000;
export const waitingCallsQuery = queryOptions({
  ...reading<Api.WaitingCalls>('/admin/product-calls'),
  ...followed(callsMilliseconds, 'calls'),
});
export const heldOrdersQuery = queryOptions({
  ...reading<Api.HeldOrders>('/admin/held-orders'),
  ...followed(callsMilliseconds, 'calls'),
});
export const productFiguresQuery = reading<Api.ProductFigures>('/admin/product-figures');
export const productCallsQuery = (status: 'attention' | 'failing') =>
  queryOptions({
    ...reading<Api.Listed<Api.ProductCall>>('/admin/v1/product-calls', { status, limit: 100 }),
    ...followed(callsMilliseconds, 'calls'),
  });
export const callOfOrderQuery = (orderId: number) =>
  queryOptions({
    ...reading<Api.Listed<Api.ProductCall>>('/admin/v1/product-calls', { order_id: orderId }),
    ...followed(callsMilliseconds, 'calls'),
  });
const healthMilliseconds = 5_000;
export const healthQuery = queryOptions({
  ...reading<Api.Health>('/admin/health'),
  refetchInterval: healthMilliseconds,
});
