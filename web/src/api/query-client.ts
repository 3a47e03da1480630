// Defaults for all queries: refetching, retries, and what happens when a session ends.

import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';
import { meQuery, personQuery } from './queries.ts';

const freshMilliseconds = 10_000;
const retriesMax = 2;

const askedTogether: readonly unknown[] = [meQuery.queryKey[0], personQuery.queryKey[0]];

export function createQueryClient(): QueryClient {
  // If the session ended, refetching `me` leads to the sign-in page. If the role changed, it hides actions.
  const notice = (error: Error) => {
    if (isChangedRole(error)) void client.invalidateQueries({ queryKey: personQuery.queryKey });
    if (isSignedOut(error) || isBlocked(error)) void client.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        // `me` and the person are fetched together, so their own errors must not trigger another fetch.
        if (!askedTogether.includes(query.queryKey[0])) notice(error);
      },
    }),
    mutationCache: new MutationCache({ onError: notice }),
    defaultOptions: {
      // `always` makes requests fail visibly when offline. The default would pause them silently.
      queries: { staleTime: freshMilliseconds, retry: isWorthRetrying, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}

/** True if there is no session or it has ended. False for a wrong password. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_signed_in';
}

export function isViewOver(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'view_ended';
}

export function isBlocked(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'account_blocked';
}

/** The password was set by another person. The service refuses every other request until it is changed. */
export function isPasswordDue(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'password_change_required';
}

function isChangedRole(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.code === 'insufficient_scope' || error.code === 'second_factor_required')
  );
}

/** The service's refusals are final; only transient failures are retried. */
function isWorthRetrying(failures: number, error: Error): boolean {
  const isPassing = !(error instanceof ApiError) || error.code === 'network' || error.status === 503;
  return isPassing && failures < retriesMax;
}
