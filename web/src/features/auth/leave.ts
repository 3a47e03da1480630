// Signs out: clears all loaded data at once, then ends the session. leaving-screen.tsx shows the progress.

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
  leaving.execute(undefined).catch(() => undefined);
}
