// A forgotten password: without a link this page has one mailed, with one ("#token=…") it sets the new password, also the
// first one of somebody who was invited. The token never stands in a request line, and leaves the address bar at once.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { completePasswordReset, requestPasswordReset } from '../api/commands.ts';
import { useCommand } from '../api/use-command.ts';
import { EntryCard } from '../shell/entry-card.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { TextField } from '../ui/field.tsx';
import { TextLink } from '../ui/text-link.tsx';

const passwordLengthMin = 12;

export function ResetPasswordPage() {
  const hash = useLocation({ select: (location) => location.hash });
  const [token, setToken] = useState(() => tokenIn(hash));
  // Also a link that is pasted where this page is open: nothing is loaded anew then.
  useEffect(() => {
    const found = tokenIn(hash);
    if (found === null) return;
    setToken(found);
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }, [hash]);
  return token === null ? <AskForLink /> : <ChoosePassword key={token} token={token} />;
}

function tokenIn(hash: string): string | null {
  return new URLSearchParams(hash).get('token');
}

function AskForLink() {
  const [account, setAccount] = useState('');
  const command = useCommand(requestPasswordReset);
  const isReady = account.trim() !== '';
  if (command.isSuccess) {
    return (
      <EntryCard title={t`Check your mail`} heading={t`Check your mail`} below={<BackToSignIn />}>
        <p role="status">
          <Trans>
            If there is such an account with an e-mail address, a link is on its way to it. It works for an
            hour. Nothing there? Look into the spam folder, or ask the operator of this service.
          </Trans>
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
          label={t`Username or e-mail address`}
          name="username"
          autoComplete="username"
          autoFocus
          spellCheck={false}
          autoCapitalize="none"
          maxLength={254}
          value={account}
          onText={setAccount}
        />
      </EntryForm>
    </EntryCard>
  );
}

function ChoosePassword({ token }: { readonly token: string }) {
  const [chosen, setChosen] = useState('');
  const [again, setAgain] = useState('');
  const command = useCommand(completePasswordReset);
  const shortText = t`At least ${passwordLengthMin} characters.`;
  if (command.isSuccess) {
    return (
      <EntryCard title={t`Your password is set`} heading={t`Your password is set`} below={<BackToSignIn />}>
        <p role="status">
          <Trans>
            Sign in with your username and this password. Whoever was signed in as you before has been signed
            out.
          </Trans>
        </p>
      </EntryCard>
    );
  }
  return (
    <EntryCard title={t`Choose your password`} heading={t`Choose your password`} below={<BackToSignIn />}>
      <p className="mb-5 text-soft">
        <Trans>
          One that only you know. The link works once; if you were invited, you then sign in with the username
          that you were told.
        </Trans>
      </p>
      <EntryForm
        isReady={chosen.length >= passwordLengthMin && again === chosen}
        isBusy={command.isPending}
        error={command.error}
        action={t`Set password`}
        onSubmit={() => command.mutate({ token, new_password: chosen })}
      >
        <TextField
          label={t`New password`}
          type="password"
          autoComplete="new-password"
          autoFocus
          hint={shortText}
          problem={chosen !== '' && chosen.length < passwordLengthMin ? shortText : null}
          maxLength={200}
          value={chosen}
          onText={setChosen}
        />
        <TextField
          label={t`New password again`}
          type="password"
          autoComplete="new-password"
          problem={again !== '' && again !== chosen ? t`The two are not the same.` : null}
          maxLength={200}
          value={again}
          onText={setAgain}
        />
      </EntryForm>
    </EntryCard>
  );
}

function EntryForm({
  isReady,
  isBusy,
  error,
  action,
  onSubmit,
  children,
}: {
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly action: string;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}) {
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
      <TextLink to="/sign-in">
        <Trans>Back to the sign-in</Trans>
      </TextLink>
    </p>
  );
}
