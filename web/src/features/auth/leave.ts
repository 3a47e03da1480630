// Signing out: what was read is forgotten at once, whatever the service says; then the session ends. How far it has
// got is a mutation like any other, which leaving-screen.tsx shows in place of every page.

import type { QueryClient } from '@tanstack/react-query';
import { signOut } from '../../api/frame-commands.ts';
import { forgetMode } from '../../api/panel-mode.ts';
import { forgetView } from '../../api/panel-view.ts';

export const leaveKey = ['leave'];

export function leave(client: QueryClient): void {
  client.clear();
  const leaving = client.getMutationCache().build(client, {
    mutationKey: leaveKey,
    mutationFn: signOut,
    gcTime: Number.POSITIVE_INFINITY,
    onSuccess: () => {
      forgetMode();
      forgetView();
      window.location.assign(`${import.meta.env.BASE_URL}sign-in`);
    },
  });
  // What went wrong is on the screen.
  leaving.execute(undefined).catch(() => undefined);
}
