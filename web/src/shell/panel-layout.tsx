// Everything behind the sign-in: asks who is signed in, and leads to the sign-in page where nobody is.

import { Trans } from '@lingui/react/macro';
import { useIsMutating, useMutationState, useQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useFreshListsWith } from '../api/fresh-lists.ts';
import { MeContext } from '../api/me.ts';
import { PersonContext } from '../api/person.ts';
import { meQuery, personQuery } from '../api/queries.ts';
import { isBlocked, isPasswordDue, isSignedOut, isViewOver } from '../api/query-client.ts';
import { TestModeGate } from '../test-mode/test-mode-gate.tsx';
import { DialogOpener } from '../ui/dialog-opener.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { AppShell } from './app-shell.tsx';
import { BlockedScreen } from './blocked-screen.tsx';
import { FirstPasswordScreen } from './first-password-screen.tsx';
import { leaveKey } from './leave.ts';
import { LeavingScreen } from './leaving-screen.tsx';
import { ViewEnded } from './view-band.tsx';

const SecondFactorScreen = lazy(() => import('./second-factor-screen.tsx'));

export function PanelLayout() {
  const [leaving] = useMutationState({
    filters: { mutationKey: leaveKey },
    select: ({ state: { error } }) => ({ error }),
  });
  return leaving === undefined ? <SignedIn /> : <LeavingScreen error={leaving.error} />;
}

function SignedIn() {
  const { data: me, error, isFetching, refetch } = useQuery(meQuery);
  // At the same time: what somebody may do is known when the first page is drawn.
  const { data: person, ...personRead } = useQuery(personQuery);
  // The recovery codes are still to be read.
  const [isReadingCodes, setIsReadingCodes] = useState(false);
  // A new password has a new cookie: what was sent with the old one meanwhile says nothing, and is asked again.
  const isUnsettled = useIsMutating() > 0 || isFetching;
  const opener = useRef<Element | null>(null);
  useFreshListsWith(me?.account.balance);
  if (isSignedOut(error) && !isUnsettled) return <ToSignIn />;
  if (isViewOver(error)) return <ViewEnded />;
  if (isBlocked(error)) return <BlockedScreen />;
  if (me === undefined) {
    return error === null || isSignedOut(error) ? (
      <ShellSkeleton />
    ) : (
      <Unreachable error={error} onRetry={() => void refetch()} />
    );
  }
  if (me.must_change_password) return <FirstPasswordScreen username={me.account.username} />;
  if (person === undefined) {
    const { error: problem, isFetching: isAsking } = personRead;
    const isPassing = problem === null || isAsking || isSignedOut(problem) || isPasswordDue(problem);
    return isPassing ? (
      <ShellSkeleton />
    ) : (
      <Unreachable error={problem} onRetry={() => void personRead.refetch()} />
    );
  }
  const needsCodes = isReadingCodes || (person.second_factor_required && !me.totp_enabled);
  return (
    <MeContext value={me}>
      <PersonContext value={person}>
        <DialogOpener value={opener}>
          {needsCodes ? (
            <Suspense fallback={<ShellSkeleton />}>
              <SecondFactorScreen onReadingCodes={setIsReadingCodes} />
            </Suspense>
          ) : (
            <TestModeGate
              waiting={<ShellSkeleton />}
              failed={(error, retry) => <Unreachable error={error} onRetry={retry} />}
            >
              <AppShell>
                <Outlet />
              </AppShell>
            </TestModeGate>
          )}
        </DialogOpener>
      </PersonContext>
    </MeContext>
  );
}

/** Leads to the sign-in page once, which leads back here. */
function ToSignIn() {
  const router = useRouter();
  useEffect(() => {
    const { href } = router.state.location;
    void router.navigate({ to: '/sign-in', search: href === '/' ? {} : { next: href }, replace: true });
  }, [router]);
  return <ShellSkeleton />;
}

function Unreachable({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  return (
    <main className="mx-auto max-w-md p-6 pt-[20vh]">
      <h1 className="mb-3 text-xl">
        <Trans>The panel cannot be shown</Trans>
      </h1>
      <ErrorNotice error={error} onRetry={onRetry} />
    </main>
  );
}

const skeletonLines = [0, 1, 2, 3, 4, 5, 6];

function ShellSkeleton() {
  return (
    <div aria-busy="true" className="flex min-h-dvh">
      <div className="hidden w-60 shrink-0 space-y-5 border-r border-line bg-card p-5 lg:block">
        {skeletonLines.map((line) => (
          <Skeleton key={line} className="w-32" />
        ))}
      </div>
      <div className="flex-1 space-y-6 p-6 sm:p-8">
        <Skeleton className="h-7 w-40" />
        <Skeleton className="h-28 w-full" />
        <Skeleton className="h-64 w-full" />
      </div>
    </div>
  );
}
