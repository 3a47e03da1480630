// Decides where the focus returns after a dialog closes. Separate from the dialogs, which are loaded on first use.

import { createContext, type RefObject, useContext, useState } from 'react';

export const DialogOpener = createContext<RefObject<Element | null>>({ current: null });

export function useDialogOpener(): () => HTMLElement | boolean {
  const opener = useContext(DialogOpener);
  // Remember the focus before it moves into this dialog: in a dialog below, or what opened the first dialog.
  const [below] = useState(() => {
    const { activeElement } = document;
    const dialog = [...document.querySelectorAll('[data-dialog]')].at(-1);
    if (dialog === undefined) opener.current = activeElement;
    // A click outside takes the focus from the dialog's controls. Then return to the dialog itself.
    return dialog?.contains(activeElement) === true ? [activeElement, dialog] : [dialog];
  });
  return () => [...below, opener.current].find(isThere) ?? focusContent();
}

/** Used if nothing had the focus or its element is gone. Base UI would focus the page's first control. */
export function focusContent(): boolean {
  const content = document.getElementById('content');
  content?.focus({ preventScroll: true });
  return content === null;
}

function isThere(element: Element | null | undefined): element is HTMLElement {
  return element instanceof HTMLElement && element.isConnected && element !== document.body;
}
