// Username, password and, if enabled, a code. Used by the sign-in page and by sign-in-again.tsx.

import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { signIn } from '../../api/commands.ts';
import { useCommand } from '../../api/use-command.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { PasswordField, TextField } from '../../ui/field.tsx';
import { useText } from '../../ui/use-text.ts';

interface SignInFormProps {
  readonly heading: string;
  /** Filled in where the person is known. */
  readonly knownUsername?: string;
  readonly onDone: (password: string) => void;
}

export function SignInForm({ heading, knownUsername = '', onDone }: SignInFormProps) {
  const [username, usernameField] = useText(knownUsername);
  const [password, passwordField, setPassword] = useText();
  const [code, codeField, setCode] = useText();
  const [asksCode, setAsksCode] = useState(false);
  const command = useCommand(signIn, { onDone: () => onDone(password) });
  const waitSeconds = useCountdown(command.error);
  const asksForCode = command.error instanceof ApiError && command.error.code === 'code_required';
  if (asksForCode && !asksCode) setAsksCode(true);
  const [isTried, setIsTried] = useState(false);
  const missing = (text: string, problem: string) => (isTried && text.trim() === '' ? problem : null);
  const isReady = username.trim() !== '' && password !== '' && (!asksCode || code.trim() !== '');
  return (
    <>
      <h1 className="mb-5 text-lg">{asksCode ? t`Enter your code` : heading}</h1>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setIsTried(!isReady);
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
            problem={missing(code, t`Enter the code.`)}
            {...codeField}
          />
        ) : (
          <>
            <TextField
              label={t`Username`}
              name="username"
              autoComplete="username"
              autoFocus={knownUsername === ''}
              spellCheck={false}
              autoCapitalize="none"
              maxLength={64}
              problem={missing(username, t`Enter your username.`)}
              {...usernameField}
            />
            <PasswordField
              label={t`Password`}
              name="password"
              autoComplete="current-password"
              autoFocus={knownUsername !== ''}
              problem={missing(password, t`Enter your password.`)}
              {...passwordField}
            />
          </>
        )}
        {command.error === null || asksForCode || command.isPending ? null : waitSeconds > 0 ? (
          <p role="alert" className="rounded-control bg-bad-fill px-3.5 py-3">
            <Trans>
              Too many attempts. Try again in <Plural value={waitSeconds} one="# second" other="# seconds" />.
            </Trans>
          </p>
        ) : isRateLimited(command.error) ? null : (
          <ErrorNotice error={command.error} />
        )}
        <Button
          type="submit"
          look="primary"
          busy={command.isPending}
          disabled={waitSeconds > 0}
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
            {t`Use another account`}
          </Button>
        ) : null}
      </form>
    </>
  );
}

function isRateLimited(error: Error): boolean {
  return error instanceof ApiError && error.code === 'rate_limited';
}

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
