// Where the focus goes back to when a dialog is closed. Apart from the dialogs, which are loaded when the first one opens.

import { createContext, type RefObject, useContext, useState } from 'react';

/** What had the focus before the first of the dialogs that follow one another. */
export const DialogOpener = createContext<RefObject<Element | null>>({ current: null });

/** Where the focus goes when the dialog is closed: for its `finalFocus`. */
export function useDialogOpener(): () => HTMLElement | boolean {
  const opener = useContext(DialogOpener);
  // Before the focus moves in. Over another dialog that stays, it goes back into that one; where this one follows another,
  // that one's opener is meant.
  const [below] = useState(() => {
    const { activeElement } = document;
    const dialog = [...document.querySelectorAll('[data-dialog]')].at(-1);
    if (dialog === undefined) opener.current = activeElement;
    // A press beside it has taken the focus out of it.
    return dialog?.contains(activeElement) === true ? [activeElement, dialog] : [dialog];
  });
  return () => [...below, opener.current].find(isThere) ?? focusContent();
}

/**
 * The content of the page, where reading goes on when nothing had the focus or its place is gone. By itself: Base UI would
 * focus the first control in it instead.
 */
export function focusContent(): boolean {
  const content = document.getElementById('content');
  content?.focus({ preventScroll: true });
  return content === null;
}

function isThere(element: Element | null | undefined): element is HTMLElement {
  return element instanceof HTMLElement && element.isConnected && element !== document.body;
}
