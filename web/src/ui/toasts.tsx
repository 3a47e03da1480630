// Toasts. They disappear, so nothing is said only in a toast.

import { lazy, Suspense } from 'react';

const waiting: string[] = [];
let show: ((text: string) => void) | null = null;
let want: () => void = () => undefined;
const wanted = new Promise<void>((resolve) => {
  want = resolve;
});

const ToastRegion = lazy(() => wanted.then(() => import('./toast-region.tsx')));

export function say(text: string): void {
  if (show === null) waiting.push(text);
  else show(text);
  want();
}

export function Toasts() {
  return (
    <Suspense>
      <ToastRegion listen={listen} />
    </Suspense>
  );
}

function listen(shown: (text: string) => void): void {
  show = shown;
  for (const text of waiting.splice(0)) shown(text);
}
