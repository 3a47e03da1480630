// Captures what people type while a dialog loads, and puts it into the dialog's field.

import { useEffect, useRef } from 'react';

let held = '';
let receive: ((text: string) => void) | null = null;
let stop: (() => void) | null = null;

export function holdTyping(onGivenUp: () => void): void {
  letTypingGo();
  const onKey = (event: KeyboardEvent) => {
    if (isInDialog(event.target)) {
      letTypingGo();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    event.stopImmediatePropagation();
    if (event.key === 'Tab') return;
    event.preventDefault();
    if (event.key === 'Escape') {
      letTypingGo();
      onGivenUp();
      return;
    }
    held = event.key === 'Backspace' ? held.slice(0, -1) : held + (event.key.length === 1 ? event.key : '');
    receive?.(held);
  };
  window.addEventListener('keydown', onKey, { capture: true });
  stop = () => window.removeEventListener('keydown', onKey, { capture: true });
}

export function letTypingGo(): void {
  stop?.();
  stop = null;
  held = '';
}

export function useTypedAhead(onText: (text: string) => void): void {
  const latest = useRef(onText);
  latest.current = onText;
  useEffect(() => {
    receive = (text) => latest.current(text);
    if (held !== '') latest.current(held);
    return () => {
      receive = null;
      letTypingGo();
    };
  }, []);
}

function isInDialog(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-dialog]') !== null;
}
