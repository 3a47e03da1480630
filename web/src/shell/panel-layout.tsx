// The layout of all pages behind the sign-in. Without a session it redirects to the sign-in page.

import { t } from '@lingui/core/macro';
import { useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useFreshListsWith } from '../api/fresh-lists.ts';
import { MeContext } from '../api/me.ts';
import { PersonContext } from '../api/person.ts';
import { meQuery, personQuery } from '../api/queries.ts';
import { isBlocked, isPasswordDue, isSignedOut, isViewOver } from '../api/query-client.ts';
import type { Me, SignedInPerson } from '../api/shapes.ts';
import { TestModeGate } from '../features/test-mode/test-mode-gate.tsx';
import { keepClock, keptClock } from '../text/clock.ts';
import { isLanguage, keepLanguage, keptLanguage } from '../text/language.ts';
import { withEntryTexts, withTexts } from '../text/texts.ts';
import { DialogOpener } from '../ui/dialog-opener.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { lazyEarly } from '../ui/preload.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { say } from '../ui/toasts.tsx';
import { AppShell } from './app-shell.tsx';
import { UnlessLeaving } from './leaving-screen.tsx';
import { useOperatorStart } from './operator-start.ts';
import { ViewEnded } from './view-band.tsx';

const SignInAgain = lazyEarly(() => import('../features/auth/sign-in-again.tsx'));
const FirstPasswordScreen = lazy(withEntryTexts(() => import('../features/auth/first-password-screen.tsx')));
const BlockedScreen = lazy(() => import('./blocked-screen.tsx'));
const SecondFactorScreen = lazy(withTexts(() => import('../features/auth/second-factor-screen.tsx')));

export function PanelLayout() {
  return (
    <UnlessLeaving>
      <SignedIn />
    </UnlessLeaving>
  );
}

function SignedIn() {
  const { data: readMe, error, isFetching, refetch, dataUpdatedAt } = useQuery(meQuery);
  // Fetched in parallel with `me`, so that the person's rights are known when the first page renders.
  const { data: readPerson, ...personRead } = useQuery(personQuery);
  const client = useQueryClient();
  const [kept, setKept] = useState<Kept | null>(null);
  const me = kept?.me ?? readMe;
  const person = kept?.person ?? readPerson;
  const [isReadingCodes, setIsReadingCodes] = useState(false);
  // Setting a password replaces the session cookie. Answers to requests with the old cookie are ignored and fetched again.
  const isUnsettled = useIsMutating() > 0 || isFetching;
  const opener = useRef<Element | null>(null);
  // The open pages belong to the first person who signed in. If another person signs in, the panel is reloaded.
  const [first, setFirst] = useState<string | null>(null);
  const who =
    readMe === undefined || readPerson === undefined ? null : `${readMe.account.id} ${readPerson.person.id}`;
  if (first === null && who !== null) setFirst(who);
  const isElse = first !== null && who !== null && who !== first;
  useEffect(() => {
    if (isElse) window.location.assign(import.meta.env.BASE_URL);
  }, [isElse]);
  const isBack =
    kept !== null &&
    error === null &&
    personRead.error === null &&
    !isElse &&
    Math.min(dataUpdatedAt, personRead.dataUpdatedAt) > kept.at;
  useEffect(() => {
    if (!isBack) return;
    setKept(null);
    void client.invalidateQueries();
  }, [isBack, client]);
  useFreshListsWith(me?.account.balance);
  useLanguageOf(me?.language);
  useClockOf(me?.clock);
  const isStarting = useOperatorStart(person?.scopes.includes('admin:read'));
  if (isElse) return <ShellSkeleton />;
  if (isSignedOut(error) && !isUnsettled && kept === null) {
    if (readMe === undefined || readPerson === undefined) return <ToSignIn />;
    setKept({ me: readMe, person: readPerson, at: Date.now() });
  }
  if (isViewOver(error)) return <ViewEnded />;
  if (isBlocked(error)) {
    return (
      <Suspense fallback={<ShellSkeleton />}>
        <BlockedScreen />
      </Suspense>
    );
  }
  if (me === undefined) {
    return error === null || isSignedOut(error) ? (
      <ShellSkeleton />
    ) : (
      <Unreachable error={error} onRetry={() => void refetch()} />
    );
  }
  if (me.must_change_password) {
    return (
      <Suspense fallback={<ShellSkeleton />}>
        <FirstPasswordScreen username={me.account.username} onDone={() => say(t`Password set.`)} />
      </Suspense>
    );
  }
  if (person === undefined) {
    const { error: problem, isFetching: isAsking } = personRead;
    const isPassing = problem === null || isAsking || isSignedOut(problem) || isPasswordDue(problem);
    return isPassing ? (
      <ShellSkeleton />
    ) : (
      <Unreachable error={problem} onRetry={() => void personRead.refetch()} />
    );
  }
  if (isStarting) return <ShellSkeleton />;
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
              {kept === null ? null : (
                <Suspense fallback={<div className="fixed inset-0 z-[60] bg-page" />}>
                  <SignInAgain username={kept.person.person.username} />
                </Suspense>
              )}
            </TestModeGate>
          )}
        </DialogOpener>
      </PersonContext>
    </MeContext>
  );
}

/** What the pages showed when the session ended. */
interface Kept {
  readonly me: Me;
  readonly person: SignedInPerson;
  readonly at: number;
}

function useLanguageOf(chosen: string | null | undefined): void {
  useEffect(() => {
    if (typeof chosen !== 'string' || !isLanguage(chosen) || chosen === keptLanguage()) return;
    if (keepLanguage(chosen)) window.location.reload();
  }, [chosen]);
}

/** Applies the person's stored clock choice in any browser. */
function useClockOf(chosen: Me['clock'] | undefined): void {
  useEffect(() => {
    if (chosen === undefined || chosen === keptClock()) return;
    if (keepClock(chosen)) window.location.reload();
  }, [chosen]);
}

function ToSignIn() {
  const router = useRouter();
  useEffect(() => {
    // The sign-in is a document of its own (entry.tsx).
    const { href } = router.state.location;
    const query = href === '/' ? '' : `?${new URLSearchParams({ next: href })}`;
    window.location.replace(`${import.meta.env.BASE_URL}sign-in${query}`);
  }, [router]);
  return <ShellSkeleton />;
}

function Unreachable({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  return (
    <main className="mx-auto max-w-md p-6 pt-[20vh]">
      <h1 className="mb-3 text-xl">{t`Couldn’t load the panel`}</h1>
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
