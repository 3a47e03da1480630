// The person's time zone or UTC, as chosen. Fixed before the pages load, like the language (language.ts).

import type { Clock } from '../../../src/shared/clocks.ts';
import { keep, readKept } from '../api/browser-storage.ts';

const storageName = 'sellthrough-clock';

export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
export const isUtc = keptClock() === 'utc';
/** For example "Europe/Berlin" or "UTC". */
export const zone = isUtc ? 'UTC' : browserZone;

export function keptClock(): Clock {
  return readKept(storageName) === 'utc' ? 'utc' : null;
}

/** Returns true if the pages must be reloaded. */
export function keepClock(chosen: Clock): boolean {
  // If the browser refuses storage, its own time zone applies.
  return keep(storageName, chosen) && (chosen === 'utc') !== isUtc;
}
