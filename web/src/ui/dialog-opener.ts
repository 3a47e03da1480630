// Where the focus goes back to when a dialog is closed. Apart from the dialogs, which are loaded when the first one opens.

import { createContext, type RefObject, useContext, useState } from 'react';

/** What had the focus before the first of the dialogs that follow one another. */
export const DialogOpener = createContext<RefObject<Element | null>>({ current: null });

/** Where the focus goes when the dialog is closed: for its `finalFocus`. */
export function useDialogOpener(): () => HTMLElement | true {
  const opener = useContext(DialogOpener);
  // Before the focus moves in. Where this one follows another, that one's opener is meant.
  useState(() => {
    if (document.querySelector('[data-dialog]') === null) opener.current = document.activeElement;
  });
  return () => (opener.current instanceof HTMLElement && opener.current.isConnected ? opener.current : true);
}
