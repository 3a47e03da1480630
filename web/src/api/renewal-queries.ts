// Separate from queries.ts, which every page loads: what renewals of several customers cost.

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call, type Query } from './client.ts';
import { byCursor, listOf } from './queries.ts';
import type * as Api from './shapes.ts';

/** The cost of each renewal or the reason why it is refused. Cached only while shown. */
export const renewalsQuery = (customers: readonly number[]) =>
  queryOptions({
    queryKey: ['/customers/renewals', customers],
    queryFn: ({ signal }) =>
      call<Api.Renewals>('/customers/renewals', { method: 'POST', body: { customers }, signal }),
    enabled: customers.length > 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
/** All matching customers, up to the size of one bulk request, for actions on all of them. */
export const selectedAtOnceMax = 500;
export const findAllCustomers = (query: Query) =>
  call<Api.CursorPage<Api.PanelCustomer>>(listOf(null, 'customers'), {
    query: byCursor({ ...query, limit: selectedAtOnceMax }),
  });
