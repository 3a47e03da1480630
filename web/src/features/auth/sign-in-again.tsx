// Covers a page whose session has ended with a sign-in form, so that typed input survives.

import { Dialog } from '@base-ui/react/dialog';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { meQuery, personQuery } from '../../api/queries.ts';
import { useBackCloses } from '../../ui/back-closes.ts';
import { Logo } from '../brand/logo.tsx';
import { SignInForm } from './sign-in-form.tsx';

export default function SignInAgain({ username }: { readonly username: string }) {
  const client = useQueryClient();
  // Back must neither close this form nor leave the page below it.
  useBackCloses(() => undefined, false);
  useEffect(() => {
    void client.cancelQueries();
  }, [client]);
  return (
    <Dialog.Root open onOpenChange={() => undefined} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Popup
          data-dialog
          data-whole
          aria-label={t`Your session has ended`}
          className="fixed inset-0 z-[60] overflow-y-auto bg-page"
        >
          <div className="mx-auto flex min-h-full w-full max-w-sm flex-col justify-center px-5 py-10">
            <div className="mb-6 flex justify-center">
              <Logo />
            </div>
            <p className="mb-4 text-center text-soft">
              <Trans>
                Your session has ended. What you entered is still here. Sign in again as <bdi>{username}</bdi>{' '}
                to continue.
              </Trans>
            </p>
            <div className="rounded-card border border-line bg-card p-6 shadow-lift sm:p-7">
              <SignInForm
                heading={t`Sign in`}
                knownUsername={username}
                onDone={() => {
                  void client.refetchQueries({ queryKey: meQuery.queryKey });
                  void client.refetchQueries({ queryKey: personQuery.queryKey });
                }}
              />
            </div>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
