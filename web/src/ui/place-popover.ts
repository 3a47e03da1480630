import type { ToggleEvent } from 'react';

const gapPixels = 6;
const edgePixels = 16;

/** Native popovers close by themselves, but the page has to position them. */
export function placeNearButton({ currentTarget: note }: ToggleEvent<HTMLElement>): void {
  const button = document.querySelector(`[popovertarget="${CSS.escape(note.id)}"]`);
  if (button === null) return;
  const { bottom, left } = button.getBoundingClientRect();
  const room = document.documentElement.clientWidth - note.offsetWidth - edgePixels;
  note.style.top = `${bottom + gapPixels}px`;
  note.style.left = `${Math.max(edgePixels, Math.min(left - gapPixels, room))}px`;
}
