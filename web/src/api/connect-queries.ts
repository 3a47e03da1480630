import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { followed } from './event-stream.ts';
import { ofAccount, reading } from './queries.ts';
import type * as Api from './shapes.ts';

const arrivalMilliseconds = 2_000;
/** Requests as they arrive, in a mode that may be another than the tab's. */
export const connectRequestsQuery = (mode: 'test' | 'live') =>
  queryOptions({
    queryKey: ['/requests', 'connect', mode],
    queryFn: ({ signal }) =>
      call<Api.RequestPage>('/requests', { query: { limit: 5 }, signal, ...(mode === 'test' && { mode }) }),
    ...followed(arrivalMilliseconds, 'requests'),
  });

/** `accountId` null: of the signed-in account. */
export const keyRequestsQuery = (accountId: number | null) =>
  reading<Api.KeyRequests>(ofAccount(accountId, '/key-requests'));
