// Lets the palette begin an action of another page: the page opens its dialog as soon as it is shown.

import { useRouterState } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';

interface Asked {
  readonly action: string;
  readonly path: string;
}

let asked: Asked | null = null;
const listeners = new Set<() => void>();

/** `path` is the page's address below the panel. Only that page begins the action. */
export function askAction(action: string, path: string): void {
  change({ action, path });
}

export function useAskedAction(action: string | undefined, begin: () => void): void {
  const now = useSyncExternalStore(listen, () => asked);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isAsked = now !== null && now.action === action && now.path === path;
  useEffect(() => {
    if (!isAsked) return;
    change(null);
    beginAlone(begin);
  });
}

/** The palette gives the focus back when it goes, which would take it from a dialog that is already open. */
function beginAlone(begin: () => void): void {
  if (document.querySelector('[data-dialog]') === null) setTimeout(begin);
  else requestAnimationFrame(() => beginAlone(begin));
}

function change(changed: Asked | null): void {
  asked = changed;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
