// Reads accounts' own prices and counts running plans. This is separate from queries.ts, which every list loads.

import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import type { AccountPrices, Listed, OtherPayer, RunningPlans } from './shapes.ts';

function reading<Answer>(path: string) {
  return queryOptions({ queryKey: [path], queryFn: ({ signal }) => call<Answer>(path, { signal }) });
}

export const accountPricesQuery = (accountId: number) =>
  reading<AccountPrices>(`/admin/v1/accounts/${accountId}/prices`);
export const otherPayersQuery = (packageId: number) =>
  reading<Listed<OtherPayer>>(`/admin/v1/packages/${packageId}/account-prices`);
export const runningPlansQuery = (packageId: number) =>
  reading<Listed<RunningPlans>>(`/admin/v1/packages/${packageId}/plans`);
