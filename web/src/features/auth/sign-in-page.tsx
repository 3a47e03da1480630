import { t } from '@lingui/core/macro';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { meQuery, signInOptionsQuery } from '../../api/queries.ts';
import type { Me } from '../../api/shapes.ts';
import { withTexts } from '../../text/texts.ts';
import { TextLink } from '../../ui/text-link.tsx';
import { EntryCard } from './entry-card.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { keepTypedPassword } from './typed-password.ts';

const LookAround = lazy(withTexts(() => import('./look-around.tsx')));

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next } = route.useSearch();
  const router = useRouter();
  const client = useQueryClient();
  // Otherwise the previous user's data is still cached if the session expired.
  const [{ canReset, isDemo }, setOptions] = useState({ canReset: false, isDemo: false });
  useEffect(() => {
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== '/brand' });
    // If this request fails, assume that the service cannot send mail.
    client.fetchQuery(signInOptionsQuery).then(
      ({ password_reset: canReset, demo }) => setOptions({ canReset, isDemo: demo !== 'off' }),
      () => undefined,
    );
  }, [client]);

  return (
    <EntryCard
      title={t`Sign in`}
      below={
        <>
          {canReset ? (
            <p className="mt-5 text-center">
              <TextLink to="/reset-password">{t`Forgot your password?`}</TextLink>
            </p>
          ) : null}
          <p className="mt-5 text-center text-soft">{t`Need an account? Contact the operator.`}</p>
        </>
      }
    >
      <SignInForm
        heading={t`Sign in`}
        onDone={(password) => {
          keepTypedPassword(password);
          client.clear();
          const path = safePath(next);
          // Open the page that was requested. Without one, operators start at the business overview.
          const start =
            path === '/'
              ? client
                  .fetchQuery(meQuery)
                  .then((me) => startOf(client, me))
                  .catch(() => path)
              : Promise.resolve(path);
          void start.then((to) => router.history.push(`${import.meta.env.BASE_URL.slice(0, -1)}${to}`));
        }}
      />
      {isDemo ? (
        <Suspense>
          <LookAround />
        </Suspense>
      ) : null}
    </EntryCard>
  );
}

function startOf(client: QueryClient, { account }: Me): string | Promise<string> {
  return account.is_admin
    ? import('../../api/console-start.ts').then(({ consoleStart }) => consoleStart(client))
    : '/';
}

/** Accepts only paths within the panel, so that a crafted link cannot lead to another site. */
function safePath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';
}
