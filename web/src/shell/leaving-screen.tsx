// Shown while signing out. If the service was unreachable, warns that the browser may still be signed in.

import { t } from '@lingui/core/macro';
import { useMutationState, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { leave, leaveKey } from '../features/auth/leave.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useWindowTitle } from '../ui/window-title.ts';

export function UnlessLeaving({ children }: { readonly children: ReactNode }) {
  const [leaving] = useMutationState({
    filters: { mutationKey: leaveKey },
    select: ({ state: { error } }) => ({ error }),
  });
  return leaving === undefined ? children : <LeavingScreen error={leaving.error} />;
}

function LeavingScreen({ error }: { readonly error: Error | null }) {
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
  return <NotSignedOut error={error} onRetry={() => leave(client)} />;
}

function NotSignedOut({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  useWindowTitle(t`Not signed out`);
  return (
    <main className="mx-auto max-w-md p-6 pt-[20vh]">
      <h1 className="mb-2 text-xl">{t`You may still be signed in`}</h1>
      <p className="mb-4 text-soft">
        {t`This page has been cleared, but the service didn’t confirm that your session ended. Until it does, anyone using this browser may be able to open the panel.`}
      </p>
      <ErrorNotice error={error} onRetry={onRetry} />
    </main>
  );
}
