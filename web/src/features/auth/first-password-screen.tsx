// What whoever signs in with a generated password sees, or with one that somebody else set: nothing but the way to one of
// their own. The service refuses everything else until then.

import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { windowTitle } from '../../text/service-name.ts';
import { Button } from '../../ui/button.tsx';
import { LanguageChoice } from '../../ui/language-choice.tsx';
import { say } from '../../ui/toasts.tsx';
import { Logo } from '../brand/logo.tsx';
import { leave } from './leave.ts';
import { PasswordForm } from './password-form.tsx';

export default function FirstPasswordScreen({ username }: { readonly username: string }) {
  const client = useQueryClient();
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center px-5 py-10">
      <title>{windowTitle(t`Choose your password`)}</title>
      <div className="mb-6 flex justify-center">
        <Logo />
      </div>
      <div className="rounded-card border border-line bg-card p-6 shadow-lift sm:p-7">
        <h1 className="mb-2 text-lg">{t`Choose your password`}</h1>
        <p className="mb-5 text-soft">
          {t`The one you signed in with was generated, or set by somebody else. To go on, choose one that only you know.`}
        </p>
        <PasswordForm
          username={username}
          currentLabel={t`Password you signed in with`}
          action={t`Set password`}
          isNarrow
          onDone={() => say(t`Your password is set.`)}
        />
      </div>
      <div className="mt-4 flex justify-center">
        <Button onClick={() => leave(client)}>{t`Sign out`}</Button>
      </div>
      <LanguageChoice isSignedIn className="mx-auto mt-5" />
    </main>
  );
}
