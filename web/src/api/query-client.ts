// How reading behaves everywhere: what is asked again, and what happens when the session has ended.

import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';
import { meQuery, personQuery } from './queries.ts';

const freshMilliseconds = 10_000;
const retriesMax = 2;

const askedTogether: readonly unknown[] = [meQuery.queryKey[0], personQuery.queryKey[0]];

export function createQueryClient(): QueryClient {
  // Whoever meets the end of the session first has `me` asked again, and that leads to the sign-in page; whoever meets a
  // new role or rule has the person asked again, and what it does not allow goes.
  const notice = (error: Error) => {
    if (isChangedRole(error)) void client.invalidateQueries({ queryKey: personQuery.queryKey });
    if (isSignedOut(error) || isBlocked(error)) void client.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        // The person is asked beside `me`, which says the same.
        if (!askedTogether.includes(query.queryKey[0])) notice(error);
      },
    }),
    mutationCache: new MutationCache({ onError: notice }),
    defaultOptions: {
      // Offline they fail and say so, in place of waiting without a word.
      queries: { staleTime: freshMilliseconds, retry: isWorthRetrying, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}

/** No session, or one that ended. A wrong password is another thing. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_signed_in';
}

/** The hour in which an administrator looked at an account's panel. */
export function isViewOver(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'view_ended';
}

export function isBlocked(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'account_blocked';
}

/** Signed in with a password that somebody else set: nothing else is answered. */
export function isPasswordDue(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'password_change_required';
}

function isChangedRole(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.code === 'insufficient_scope' || error.code === 'second_factor_required')
  );
}

/** A refusal is an answer; only what may be gone in a moment is asked again. */
function isWorthRetrying(failures: number, error: Error): boolean {
  const isPassing = !(error instanceof ApiError) || error.code === 'network' || error.status === 503;
  return isPassing && failures < retriesMax;
}
