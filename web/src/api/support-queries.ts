// Separate from queries.ts, which every list loads: reads of the palette, the support dialogs and accounts' own prices.

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import type {
  AccountPrices,
  Holder,
  Listed,
  Months,
  OrderPreview,
  OtherPayer,
  RunningPlans,
} from './shapes.ts';

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

function readingOf<Answer>(path: string) {
  return queryOptions({ queryKey: [path], queryFn: ({ signal }) => call<Answer>(path, { signal }) });
}

export const accountPricesQuery = (accountId: number) =>
  readingOf<AccountPrices>(`/admin/v1/accounts/${accountId}/prices`);
export const otherPayersQuery = (packageId: number) =>
  readingOf<Listed<OtherPayer>>(`/admin/v1/packages/${packageId}/account-prices`);
export const runningPlansQuery = (packageId: number) =>
  readingOf<Listed<RunningPlans>>(`/admin/v1/packages/${packageId}/plans`);
