// Reads of the command palette and the support dialogs. They are separate from queries.ts, which every list loads.

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import type { Holder, Listed, Months, OrderPreview } from './shapes.ts';

export const packageChangePreviewQuery = (
  customerId: number,
  body: { readonly package_id: number; readonly months: Months },
) =>
  queryOptions({
    queryKey: ['/admin/customers/change-package/preview', customerId, body],
    queryFn: async ({ signal }) => {
      const options = { method: 'POST', body, signal } as const;
      const path = `/admin/customers/${customerId}/change-package/preview`;
      return (await call<{ readonly preview: OrderPreview }>(path, options)).preview;
    },
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });

export const holdersQuery = (q: string, isOperator: boolean) => {
  const path = `${isOperator ? '/admin' : ''}/holders`;
  return queryOptions({
    queryKey: [path, { q }],
    queryFn: ({ signal }) => call<Listed<Holder>>(path, { query: { q }, signal }),
    placeholderData: keepPreviousData,
  });
};
