// Back closes a dialog, and not the page under it. An open dialog stands on a spare entry of the browser's history: the same
// address and the same state for the router, which therefore never hears of it. Always true: what follows a spare entry takes
// its place, and one whose dialog was closed otherwise is passed over on the way back. So nothing goes back when a dialog
// closes, which could meet a page that is just being opened.

import { useEffect, useRef } from 'react';

interface OpenDialog {
  readonly close: () => void;
  readonly isDismissible: () => boolean;
}

const open: OpenDialog[] = [];
let wasOnSpare = false;

/** While it is rendered, Back calls `onClose`; where the dialog must not be dismissed, Back does nothing. */
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

/** Once, before the router is made: it takes the history's methods as it finds them. */
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
  // Before the router's own.
  window.addEventListener('popstate', onPop, { capture: true });
}

let addSpare: () => void = () => undefined;

function onPop(event: PopStateEvent): void {
  const left = wasOnSpare;
  wasOnSpare = isOnSpare();
  // From a page under its spare entry, or from that to the page: the same to the router.
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

/** The router's own number of the entry that the spare one stands over. */
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
