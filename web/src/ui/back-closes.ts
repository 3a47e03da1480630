// Makes Back close an open dialog instead of the page: the dialog adds a spare history entry with the page's URL.
// Invariant: the next navigation replaces the spare entry, and Back skips one left by a closed dialog. Closing never
// navigates back, because that could leave a page that is just being opened.

import { useEffect, useRef } from 'react';

interface OpenDialog {
  readonly close: () => void;
  readonly isDismissible: () => boolean;
}

const open: OpenDialog[] = [];
let wasOnSpare = false;

/** While the component is rendered, Back calls `onClose`. If the dialog is not dismissible, Back does nothing. */
export function useBackCloses(onClose: () => void, isDismissible = true): void {
  const latest = useRef({ onClose, isDismissible });
  latest.current = { onClose, isDismissible };
  useEffect(() => {
    const dialog: OpenDialog = {
      close: () => latest.current.onClose(),
      isDismissible: () => latest.current.isDismissible,
    };
    open.push(dialog);
    standOnSpare();
    return () => {
      open.splice(open.indexOf(dialog), 1);
    };
  }, []);
}

/** Call once, before the router is created, because the router captures the history's methods. */
export function keepSpareEntries(): void {
  wasOnSpare = isOnSpare();
  const { pushState } = window.history;
  window.history.pushState = (state, unused, url) => {
    if (isOnSpare()) window.history.replaceState(state, unused, url);
    else pushState.call(window.history, state, unused, url);
    wasOnSpare = isOnSpare();
  };
  addSpare = () => {
    pushState.call(window.history, { ...readState(), spare: true }, '');
    wasOnSpare = true;
  };
  // `capture` runs this before the router's listener.
  window.addEventListener('popstate', onPop, { capture: true });
}

let addSpare: () => void = () => undefined;

function onPop(event: PopStateEvent): void {
  const left = wasOnSpare;
  wasOnSpare = isOnSpare();
  // The move was between a page and its spare entry, which are the same to the router.
  if (left === wasOnSpare) return;
  if (indexOf(readState()) !== shownIndex) return;
  event.stopImmediatePropagation();
  if (wasOnSpare) return;
  const top = open.at(-1);
  if (top === undefined) {
    window.history.back();
    return;
  }
  if (top.isDismissible()) top.close();
  setTimeout(() => {
    if (open.length > 0) standOnSpare();
  });
}

/** The router's index of the page's entry below the spare one. */
let shownIndex: unknown;

function standOnSpare(): void {
  shownIndex = indexOf(readState());
  if (!isOnSpare()) addSpare();
}

function isOnSpare(): boolean {
  const isSpare = readState()['spare'] === true;
  if (isSpare) shownIndex = indexOf(readState());
  return isSpare;
}

function indexOf(state: Readonly<Record<string, unknown>>): unknown {
  return state['__TSR_index'];
}

function readState(): Readonly<Record<string, unknown>> {
  const state: unknown = window.history.state;
  return typeof state === 'object' && state !== null ? { ...state } : {};
}
