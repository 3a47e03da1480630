// Single-key shortcuts and sequences such as `g o`. They can be off (WCAG 2.1.4): speech input presses single letters.

import { useEffect, useRef, useSyncExternalStore } from 'react';

export type Shortcuts = Readonly<Record<string, () => void>>;

const sequenceMilliseconds = 1_200;
const storageName = 'sellthrough.shortcuts';

/** `shortcuts` are named like "g o" or "?". Ctrl/Cmd-K (`palette`) is always on. */
export function useShortcuts(shortcuts: Shortcuts, openPalette: () => void): void {
  const enabled = useShortcutsEnabled();
  const latest = useRef({ shortcuts, openPalette, enabled });
  latest.current = { shortcuts, openPalette, enabled };
  useEffect(() => {
    let first = '';
    let firstAt = 0;
    const onKey = (event: KeyboardEvent) => {
      const { current } = latest;
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey) {
        event.preventDefault();
        // Do not open the palette above a dialog: it would replace the dialog and what was typed there.
        if (!isDialogOpen()) current.openPalette();
        return;
      }
      if (!current.enabled || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (isTyping(event.target) || isDialogOpen()) return;
      const sequence = event.timeStamp - firstAt < sequenceMilliseconds ? `${first} ${event.key}` : '';
      const run = current.shortcuts[sequence] ?? current.shortcuts[event.key];
      first = run === undefined ? event.key : '';
      firstAt = event.timeStamp;
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

export function focusSearchField(): void {
  const field = document.querySelector('[data-search-field]');
  if (field instanceof HTMLInputElement) {
    field.focus();
    field.select();
  }
}

const listeners = new Set<() => void>();

export function useShortcutsEnabled(): boolean {
  return useSyncExternalStore(subscribe, areEnabled);
}

export function setShortcutsEnabled(enabled: boolean): void {
  localStorage.setItem(storageName, enabled ? 'on' : 'off');
  for (const listener of listeners) listener();
}

function areEnabled(): boolean {
  return localStorage.getItem(storageName) !== 'off';
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLInputElement && !['radio', 'checkbox', 'button'].includes(target.type)))
  );
}

function isDialogOpen(): boolean {
  // Do not look for role="dialog" instead: a toast has that role too.
  return document.querySelector('[data-dialog]') !== null;
}
