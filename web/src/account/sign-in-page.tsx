// The way in: username and password, then the code of an authenticator where one is set up.

import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { signIn } from '../api/commands.ts';
import { meQuery, signInOptionsQuery } from '../api/queries.ts';
import type { Me } from '../api/shapes.ts';
import { useCommand } from '../api/use-command.ts';
import { Logo } from '../shell/logo.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { TextField } from '../ui/field.tsx';
import { TextLink } from '../ui/text-link.tsx';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next } = route.useSearch();
  const router = useRouter();
  const client = useQueryClient();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const command = useCommand(signIn, {
    onDone: () => {
      // Whatever was read belongs to whoever was signed in before.
      client.clear();
      const path = safePath(next);
      // Whoever was on the way somewhere goes on there. Operators begin with their business.
      const start =
        path === '/' ? client.fetchQuery(meQuery).then(startOf, () => path) : Promise.resolve(path);
      void start.then((to) => router.history.push(`${import.meta.env.BASE_URL.slice(0, -1)}${to}`));
    },
  });
  // Whichever way led here: a session may have ended by itself.
  const [canReset, setCanReset] = useState(false);
  useEffect(() => {
    // Whose service it is, is everybody's.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== '/brand' });
    // Without an answer the page is what it is without mail.
    client.fetchQuery(signInOptionsQuery).then(
      (options) => setCanReset(options.password_reset),
      () => undefined,
    );
  }, [client]);
  const waitSeconds = useCountdown(command.error);
  const asksForCode = command.error instanceof ApiError && command.error.code === 'code_required';
  if (asksForCode && !asksCode) setAsksCode(true);
  const isReady = username.trim() !== '' && password !== '' && (!asksCode || code.trim() !== '');

  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center px-5 py-10">
      <title>{t`Sign in · Sellthrough`}</title>
      <div className="mb-6 flex justify-center">
        <Logo />
      </div>
      <div className="rounded-card border border-line bg-card p-6 shadow-lift sm:p-7">
        <h1 className="mb-5 text-lg">{asksCode ? t`Enter your code` : t`Sign in`}</h1>
        <form
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isReady || command.isPending || waitSeconds > 0) return;
            command.mutate({
              username: username.trim(),
              password,
              ...(asksCode && { code: code.trim().replaceAll(' ', '') }),
            });
          }}
        >
          {asksCode ? (
            <TextField
              label={t`Code`}
              hint={t`From your authenticator app, or one of your recovery codes.`}
              name="code"
              autoComplete="one-time-code"
              autoFocus
              spellCheck={false}
              autoCapitalize="none"
              maxLength={40}
              mono
              value={code}
              onText={setCode}
            />
          ) : (
            <>
              <TextField
                label={t`Username`}
                name="username"
                autoComplete="username"
                autoFocus
                spellCheck={false}
                autoCapitalize="none"
                maxLength={64}
                value={username}
                onText={setUsername}
              />
              <TextField
                label={t`Password`}
                type="password"
                name="password"
                autoComplete="current-password"
                maxLength={200}
                value={password}
                onText={setPassword}
              />
            </>
          )}
          {command.error === null || asksForCode || command.isPending ? null : waitSeconds > 0 ? (
            <p role="alert" className="rounded-control bg-bad-fill px-3.5 py-3">
              <Trans>
                Too many attempts. You can try again in{' '}
                <Plural value={waitSeconds} one="# second" other="# seconds" />.
              </Trans>
            </p>
          ) : isRateLimited(command.error) ? null : (
            <ErrorNotice error={command.error} />
          )}
          <Button
            type="submit"
            look="primary"
            busy={command.isPending}
            disabled={!isReady || waitSeconds > 0}
            className="min-h-10"
          >
            {asksCode ? t`Continue` : t`Sign in`}
          </Button>
          {asksCode ? (
            <Button
              look="quiet"
              onClick={() => {
                setAsksCode(false);
                setCode('');
                setPassword('');
                command.reset();
              }}
            >
              <Trans>Use another account</Trans>
            </Button>
          ) : null}
        </form>
      </div>
      {canReset ? (
        <p className="mt-5 text-center">
          <TextLink to="/reset-password">
            <Trans>Forgot your password?</Trans>
          </TextLink>
        </p>
      ) : null}
      <p className="mt-5 text-center text-soft">
        <Trans>No account, or no password? The operator of this service gives you one.</Trans>
      </p>
    </main>
  );
}

function isRateLimited(error: Error): boolean {
  return error instanceof ApiError && error.code === 'rate_limited';
}

/** Seconds until the next try is taken; counts down by itself. */
function useCountdown(error: Error | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (!(error instanceof ApiError) || error.retryAfterSeconds === 0) {
      setLeft(0);
      return;
    }
    const until = Date.now() + error.retryAfterSeconds * 1_000;
    const tick = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1_000)));
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}

function startOf({ account }: Me): string {
  return account.is_admin ? '/admin' : '/';
}

/** A path of the panel; anything else leads to its start. */
function safePath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';
}
