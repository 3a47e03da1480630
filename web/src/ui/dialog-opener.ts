// Where the focus returns after a dialog. Separate from the dialogs, which are loaded on first use.

import { createContext, type RefObject, useContext, useState } from 'react';

/** The focus before the first of consecutive dialogs. */
export const DialogOpener = createContext<RefObject<Element | null>>({ current: null });

export function useDialogOpener(): () => HTMLElement | boolean {
  const opener = useContext(DialogOpener);
  // Captured before the focus moves in. Above another dialog it returns there; after a previous one, to that one's opener.
  const [below] = useState(() => {
    const { activeElement } = document;
    const dialog = [...document.querySelectorAll('[data-dialog]')].at(-1);
    if (dialog === undefined) opener.current = activeElement;
    // A click outside has removed the focus from it.
    return dialog?.contains(activeElement) === true ? [activeElement, dialog] : [dialog];
  });
  return () => [...below, opener.current].find(isThere) ?? focusContent();
}

/** The page's content, if nothing had the focus or its element is gone. Base UI would focus its first control. */
export function focusContent(): boolean {
  const content = document.getElementById('content');
  content?.focus({ preventScroll: true });
  return content === null;
}

function isThere(element: Element | null | undefined): element is HTMLElement {
  return element instanceof HTMLElement && element.isConnected && element !== document.body;
}
