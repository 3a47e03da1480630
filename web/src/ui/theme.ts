// Light or dark: the person's choice in this browser, else the system's. A script in index.html applies it before the first
// paint.

import { keep, readKept } from '../api/browser-storage.ts';

export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageName = 'sellthrough-theme';
const page = document.documentElement;
const systemTheme = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

/** null leaves it to the system. */
export function keptTheme(): Theme | null {
  const kept = readKept(storageName);
  return isTheme(kept) ? kept : null;
}

export function isTheme(text: string | null): text is Theme {
  return themes.some((known) => known === text);
}

export function chooseTheme(chosen: Theme | null): void {
  keep(storageName, chosen);
  show(chosen);
}

/** Calls `listener` when the colors of the page change. Returns how to stop that. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function show(theme: Theme | null): void {
  if (theme === null) delete page.dataset['theme'];
  else page.dataset['theme'] = theme;
  notify();
}

function notify(): void {
  for (const listener of listeners) listener();
}

systemTheme.addEventListener('change', notify);
// Another tab's choice.
window.addEventListener('storage', ({ key }) => {
  if (key === storageName || key === null) show(keptTheme());
});
