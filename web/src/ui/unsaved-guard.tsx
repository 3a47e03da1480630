// Leaving a form that was changed and not saved asks first: by a link, by Back, by a shortcut, and, in the browser's own words,
// by closing the tab. What was typed stays until somebody says that it may go.

import { t } from '@lingui/core/macro';
import { useRouter } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';

const FormDialog = lazy(async () => ({ default: (await import('./form-dialog.tsx')).FormDialog }));

/** What asks; to be rendered beside the form, not in it. Whoever has saved leaves with `ignoreBlocker`. */
export function useUnsavedGuard(isDirty: boolean): ReactNode {
  const { history } = useRouter();
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => {
    if (!isDirty) return;
    const stop = history.block({
      enableBeforeUnload: true,
      blockerFn: ({ currentLocation, nextLocation, action }) => {
        if (currentLocation.pathname === nextLocation.pathname) return false;
        if (action === 'PUSH' || action === 'REPLACE') {
          setLeave(() => () => history.push(nextLocation.href, {}, { ignoreBlocker: true }));
          return true;
        }
        const steps = nextLocation.state.__TSR_index - currentLocation.state.__TSR_index;
        // The browser has gone there already, and is sent back: a dialog waits until it has arrived.
        const ask = () =>
          // The dialog's own entry lies between.
          setLeave(() => () => history.go(steps < 0 ? steps - 1 : steps, { ignoreBlocker: true }));
        window.addEventListener('popstate', ask, { once: true });
        return true;
      },
    });
    return stop;
  }, [isDirty, history]);
  if (leave === null) return null;
  return (
    <Suspense>
      <FormDialog
        title={t`Leave without saving?`}
        description={t`What you changed here is not saved, and would be lost.`}
        action={t`Leave without saving`}
        cancel={t`Stay here`}
        danger
        form={{
          isPending: false,
          error: null,
          onSend: () => {
            setLeave(null);
            leave();
          },
          onClose: () => setLeave(null),
        }}
      />
    </Suspense>
  );
}
