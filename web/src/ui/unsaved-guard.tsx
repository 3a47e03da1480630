// Asks before the user leaves a changed form by a link, Back or a shortcut. When the tab is closed, the browser asks itself.

import { t } from '@lingui/core/macro';
import { useRouter } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';

const FormDialog = lazy(async () => ({ default: (await import('./form-dialog.tsx')).FormDialog }));

/** Render the result beside the form. After saving, navigate with `ignoreBlocker`. */
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
        // The browser has already moved, and the router sends it back. Ask only when it has arrived.
        const ask = () =>
          // The dialog itself adds a history entry, so go back one step further.
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
        description={t`Your changes haven’t been saved and will be lost.`}
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
