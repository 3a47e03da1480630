// Shown while signing out. If the service was unreachable, warns that the browser may still be signed in.

import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { leave } from '../features/auth/leave.ts';
import { windowTitle } from '../text/service-name.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';

export function LeavingScreen({ error }: { readonly error: Error | null }) {
  const client = useQueryClient();
  useEffect(() => {
    // Clear the data again, because an open page may have fetched more.
    client.getQueryCache().clear();
    const reload = ({ persisted }: PageTransitionEvent) => {
      if (persisted) window.location.reload();
    };
    window.addEventListener('pageshow', reload);
    return () => window.removeEventListener('pageshow', reload);
  }, [client]);
  if (error === null) return <main aria-busy="true" className="min-h-dvh" />;
  return (
    <main className="mx-auto max-w-md p-6 pt-[20vh]">
      <title>{windowTitle(t`Not signed out`)}</title>
      <h1 className="mb-2 text-xl">{t`You may still be signed in`}</h1>
      <p className="mb-4 text-soft">
        {t`This page has been cleared, but the service didn’t confirm that your session ended. Until it does, anyone using this browser may be able to open the panel.`}
      </p>
      <ErrorNotice error={error} onRetry={() => leave(client)} />
    </main>
  );
}
