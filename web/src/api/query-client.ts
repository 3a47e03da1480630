// Defaults of all queries: refetching, retries, and the end of a session.

import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';
import { meQuery, personQuery } from './queries.ts';

const freshMilliseconds = 10_000;
const retriesMax = 2;

const askedTogether: readonly unknown[] = [meQuery.queryKey[0], personQuery.queryKey[0]];

export function createQueryClient(): QueryClient {
  // An ended session refetches `me`, which leads to sign-in; a changed role refetches the person, which hides what is not
  // allowed.
  const notice = (error: Error) => {
    if (isChangedRole(error)) void client.invalidateQueries({ queryKey: personQuery.queryKey });
    if (isSignedOut(error) || isBlocked(error)) void client.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        // The person is fetched together with `me`.
        if (!askedTogether.includes(query.queryKey[0])) notice(error);
      },
    }),
    mutationCache: new MutationCache({ onError: notice }),
    defaultOptions: {
      // When offline they fail visibly instead of waiting silently.
      queries: { staleTime: freshMilliseconds, retry: isWorthRetrying, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}

/** No or an ended session; not a wrong password. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_signed_in';
}

export function isViewOver(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'view_ended';
}

export function isBlocked(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'account_blocked';
}

/** Signed in with a password set by another person: every other request is refused. */
export function isPasswordDue(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'password_change_required';
}

function isChangedRole(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.code === 'insufficient_scope' || error.code === 'second_factor_required')
  );
}

/** Refusals are final; only transient failures are retried. */
function isWorthRetrying(failures: number, error: Error): boolean {
  const isPassing = !(error instanceof ApiError) || error.code === 'network' || error.status === 503;
  return isPassing && failures < retriesMax;
}
