// Without a token, requests a reset link by mail. With one ("#token=…"), sets the password. The token is in the URL's
// fragment, which browsers never send, and is removed from the address bar at once.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { ApiError } from '../../api/client.ts';
import { completePasswordReset, requestPasswordReset } from '../../api/commands.ts';
import { passwordLinkQuery, personQuery, signInOptionsQuery } from '../../api/queries.ts';
import type { PasswordLink } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { Anchor } from '../../ui/anchor.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { PasswordField, TextField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useText } from '../../ui/use-text.ts';
import { EntryCard } from './entry-card.tsx';

const passwordLengthMin = 12;

export function ResetPasswordPage() {
  const hash = useSyncExternalStore(onHash, () => window.location.hash);
  const [token, setToken] = useState(() => tokenIn(hash) ?? keptToken());
  // Runs on every change of the fragment, because pasting a link while this page is open does not reload it.
  useEffect(() => {
    const found = tokenIn(hash);
    if (found === null) return;
    setToken(found);
    // Keep the token in this history entry only, so that a reload (for example by changing the language) does not lose it.
    window.history.replaceState(
      { ...window.history.state, passwordToken: found },
      '',
      window.location.pathname,
    );
  }, [hash]);
  if (token === null) return <AskForLink />;
  const askAnew = () => {
    window.history.replaceState({ ...window.history.state, passwordToken: null }, '');
    setToken(null);
  };
  return <OpenedLink key={token} token={token} onAskAnew={askAnew} />;
}

function onHash(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

function tokenIn(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get('token');
}

function keptToken(): string | null {
  const state: { readonly passwordToken?: unknown } | null = window.history.state;
  return typeof state?.passwordToken === 'string' ? state.passwordToken : null;
}

function OpenedLink({ token, onAskAnew }: { readonly token: string; readonly onAskAnew: () => void }) {
  const { data: link, error, refetch } = useQuery(passwordLinkQuery(token));
  if (link !== undefined) return <ChoosePassword token={token} link={link} />;
  if (error === null)
    return (
      <EntryCard title={t`Choose your password`} heading={t`Choose your password`} below={<BackToSignIn />}>
        <Skeleton className="h-40 w-full" />
      </EntryCard>
    );
  if (error instanceof ApiError && error.code === 'link_not_found')
    return (
      <EntryCard
        title={t`This link no longer works`}
        heading={t`This link no longer works`}
        below={<BackToSignIn />}
      >
        <p role="alert">{t`It was already used, has expired, or was replaced by a newer one.`}</p>
        <p className="mt-3 mb-5 text-soft">
          {t`If you’ve already set your password, sign in. Otherwise, ask for a new invitation.`}
        </p>
        <Button onClick={onAskAnew}>{t`Forgot your password?`}</Button>
      </EntryCard>
    );
  return (
    <EntryCard title={t`Choose your password`} heading={t`Choose your password`} below={<BackToSignIn />}>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    </EntryCard>
  );
}

function AskForLink() {
  const [account, accountField] = useText();
  const command = useCommand(requestPasswordReset);
  const isReady = account.trim() !== '';
  const { data: options } = useQuery(signInOptionsQuery);
  if (options?.password_reset === false) {
    return (
      <EntryCard title={t`Forgot your password?`} heading={t`Forgot your password?`} below={<BackToSignIn />}>
        <p role="status">{t`Email isn’t set up on this service. Ask the operator for a new password.`}</p>
      </EntryCard>
    );
  }
  if (command.isSuccess) {
    return (
      <EntryCard title={t`Check your email`} heading={t`Check your email`} below={<BackToSignIn />}>
        <p role="status">
          {t`If the account exists and has an email address, we’ve sent it a link. It works for one hour. Nothing there? Check your spam folder or contact the operator.`}
        </p>
      </EntryCard>
    );
  }
  return (
    <EntryCard title={t`Forgot your password?`} heading={t`Forgot your password?`} below={<BackToSignIn />}>
      <EntryForm
        isReady={isReady}
        isBusy={command.isPending}
        error={command.error}
        action={t`Send a link`}
        onSubmit={() => command.mutate({ account: account.trim() })}
      >
        <TextField
          label={t`Username or email address`}
          name="username"
          autoComplete="username"
          autoFocus
          spellCheck={false}
          autoCapitalize="none"
          maxLength={254}
          {...accountField}
        />
      </EntryForm>
    </EntryCard>
  );
}

function ChoosePassword({ token, link }: { readonly token: string; readonly link: PasswordLink }) {
  const [chosen, chosenField] = useText();
  const [again, againField] = useText();
  const [isSet, setIsSet] = useState(false);
  const client = useQueryClient();
  const isInvitation = link.purpose === 'invitation';
  const command = useCommand(completePasswordReset, {
    onDone: () => {
      if (!isInvitation) return setIsSet(true);
      client.fetchQuery(personQuery).then(
        // The owner of a reseller’s account connects the shop first.
        ({ scopes }) => {
          const connects = scopes.includes('keys:write') && !scopes.includes('admin:read');
          window.location.assign(`${import.meta.env.BASE_URL}${connects ? 'connect' : ''}`);
        },
        () => setIsSet(true),
      );
    },
  });
  const shortText = t`Use at least ${passwordLengthMin} characters.`;
  const { username, account, invited_by: invitedBy } = link;
  if (isSet) {
    return (
      <EntryCard title={t`Password set`} heading={t`Password set`} below={<BackToSignIn />}>
        <p role="status">
          <Trans>
            Sign in as <bdi className="font-medium">{username}</bdi> with your new password. All earlier
            sessions have ended.
          </Trans>
        </p>
      </EntryCard>
    );
  }
  const heading = isInvitation ? t`Join ${account}` : t`Choose your password`;
  return (
    <EntryCard title={heading} heading={heading} below={<BackToSignIn />}>
      <p className="mb-4 text-soft wrap-anywhere">
        {!isInvitation ? (
          t`Choose a password you don’t use anywhere else.`
        ) : invitedBy === null ? (
          <Trans>
            The operator invited you to <bdi>{account}</bdi>. Choose a password to sign in.
          </Trans>
        ) : (
          <Trans>
            <bdi>{invitedBy}</bdi> invited you to <bdi>{account}</bdi>. Choose a password to sign in.
          </Trans>
        )}
      </p>
      <EntryForm
        isReady={chosen.length >= passwordLengthMin && again === chosen}
        isBusy={command.isPending || command.isSuccess}
        error={command.error}
        action={isInvitation ? t`Set password and sign in` : t`Set password`}
        onSubmit={() =>
          command.mutate({ token, new_password: chosen, ...(isInvitation && { sign_in: true }) })
        }
      >
        {/* Password managers need a username field. */}
        <TextField
          label={t`Your username`}
          name="username"
          autoComplete="username"
          readOnly
          value={username}
          onText={() => undefined}
        />
        <PasswordField
          label={t`New password`}
          autoComplete="new-password"
          autoFocus
          hint={shortText}
          problem={chosen !== '' && chosen.length < passwordLengthMin ? shortText : null}
          {...chosenField}
        />
        <PasswordField
          label={t`Confirm new password`}
          autoComplete="new-password"
          problem={again !== '' && again !== chosen ? t`Passwords don’t match.` : null}
          {...againField}
        />
      </EntryForm>
    </EntryCard>
  );
}

interface EntryFormProps {
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly action: string;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

function EntryForm({ isReady, isBusy, error, action, onSubmit, children }: EntryFormProps) {
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isBusy) onSubmit();
      }}
    >
      {children}
      {error === null ? null : <ErrorNotice error={error} />}
      <Button type="submit" look="primary" busy={isBusy} disabled={!isReady} className="min-h-10">
        {action}
      </Button>
    </form>
  );
}

function BackToSignIn() {
  return (
    <p className="mt-5 text-center">
      <Anchor href={`${import.meta.env.BASE_URL}sign-in`}>{t`Back to sign-in`}</Anchor>
    </p>
  );
}
