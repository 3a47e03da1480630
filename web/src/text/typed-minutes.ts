// Values of datetime-local inputs, in the reader's time zone (clock.ts).

import { isUtc } from './clock.ts';

/** Such as 2026-11-25T08:30. */
export function typedMinute(moment: Date): string {
  const shift = isUtc ? 0 : moment.getTimezoneOffset() * 60_000;
  return new Date(moment.getTime() - shift).toISOString().slice(0, 16);
}

export function readTypedMinute(typed: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(typed)) return null;
  const at = new Date(isUtc ? `${typed}Z` : typed);
  return Number.isNaN(at.getTime()) ? null : `${at.toISOString().slice(0, 19)}Z`;
}
