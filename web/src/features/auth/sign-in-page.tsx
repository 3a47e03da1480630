// The sign-in, at its own address and in place of every page of the panel that is opened without a session (entry.tsx).

import { t } from '@lingui/core/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery, signInOptionsQuery } from '../../api/queries.ts';
import { Anchor } from '../../ui/anchor.tsx';
import { EntryCard } from './entry-card.tsx';
import FirstPasswordScreen from './first-password-screen.tsx';
import { LookAround } from './look-around.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { wantedPath } from './wanted-path.ts';

const base = import.meta.env.BASE_URL.slice(0, -1);

export function SignInPage() {
  const client = useQueryClient();
  // If this request fails, assume that the service cannot send mail.
  const { data: options } = useQuery(signInOptionsQuery);
  const [first, setFirst] = useState<{ readonly username: string; readonly typed: string } | null>(null);
  const open = () => window.location.assign(base + wantedPath(base, window.location));
  if (first !== null) return <FirstPasswordScreen {...first} onDone={open} />;
  return (
    <EntryCard
      title={t`Sign in`}
      below={
        <>
          {options?.password_reset ? (
            <p className="mt-5 text-center">
              <Anchor href={`${base}/reset-password`}>{t`Forgot your password?`}</Anchor>
            </p>
          ) : null}
          <p className="mt-5 text-center text-soft">
            {t`Need an account?`}{' '}
            {options?.support_address ? (
              <Anchor href={`mailto:${options.support_address}`}>{t`Contact the operator`}</Anchor>
            ) : (
              t`Contact the operator`
            )}
          </p>
        </>
      }
    >
      <SignInForm
        heading={t`Sign in`}
        onDone={(typed) =>
          void client.fetchQuery(meQuery).then(({ account, must_change_password: isDue }) => {
            // The password that was just typed need not be typed again.
            if (isDue) setFirst({ username: account.username, typed });
            else open();
          }, open)
        }
      />
      {options !== undefined && options.demo !== 'off' ? <LookAround /> : null}
    </EntryCard>
  );
}
