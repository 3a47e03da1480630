// Reads of top-ups and payments. Separate from queries.ts, which every page loads.

import { queryOptions } from '@tanstack/react-query';
import type { Query } from './client.ts';
import { followed, onTopics, pollInterval } from './event-stream.ts';
import { byCursor, listing, reading } from './queries.ts';
import type * as Api from './shapes.ts';

export const topupsQuery = (query: Query) =>
  queryOptions({
    ...listing<Api.CursorPage<Api.Topup>>('/v1/topups', byCursor(query)),
    ...onTopics('topups'),
  });
const [soonMilliseconds, laterMilliseconds] = [2_000, 15_000];
const looksSoonMax = 150;
/** Refetched until the money has come: by the event stream or often at first, else every 15 seconds, also in the background. */
export const topupQuery = (id: string) =>
  queryOptions({
    ...reading<{ readonly topup: Api.Topup }>(`/v1/topups/${encodeURIComponent(id)}`),
    ...onTopics('topups', 'account'),
    staleTime: 0,
    refetchIntervalInBackground: true,
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      if (data === undefined || data.topup.credited_at !== null || data.topup.status === 'failed')
        return false;
      const isSoon = data.topup.method === 'card' && ['open', 'processing'].includes(data.topup.status);
      return isSoon && dataUpdateCount < looksSoonMax
        ? pollInterval(soonMilliseconds, laterMilliseconds)
        : laterMilliseconds;
    },
  });
const receivablesShown = 50;
/** The largest ones. */
export const receivablesQuery = reading<Api.Page<Api.Receivable>>('/admin/v1/receivables', {
  limit: receivablesShown,
});
export const paymentsQuery = reading<{ readonly payments: Api.Payments }>('/admin/v1/payments');

export const allTopupsPath = '/admin/topups';
export const allTopupsQuery = (query: Query) =>
  listing<Api.CursorPage<Api.ListedTopup>>(allTopupsPath, byCursor(query));
export const topupSumsQuery = reading<Api.TopupSums>('/admin/topup-sums');
const problemMilliseconds = 30_000;
export const paymentProblemsQuery = queryOptions({
  ...reading<Api.Listed<Api.NamedProblem>>('/admin/payment-problems'),
  ...followed(problemMilliseconds, 'payment_problems'),
});
const linesShown = 50;
export const bankLinesQuery = (status: string | undefined, page: number) =>
  listing<Api.Page<Api.BankLine>>('/admin/v1/bank-lines', { status, page, limit: linesShown });
export const autoTopupQuery = reading<{ readonly auto_topup: Api.AutoTopup }>('/v1/auto-topup');
