// On which clock the pages show and take times: that of the browser's zone, or UTC, by which figures and statements count. The
// person's choice, which the service keeps; decided once, before any page is loaded, as the language is (language.ts).

import type { Clock } from '../../../src/shared/clocks.ts';
import { keep, readKept } from '../api/browser-storage.ts';

const storageName = 'sellthrough-clock';

export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
export const isUtc = keptClock() === 'utc';
/** As it is said beside times: "Europe/Berlin", "UTC". */
export const zone = isUtc ? 'UTC' : browserZone;

/** What was chosen in this browser. */
export function keptClock(): Clock {
  return readKept(storageName) === 'utc' ? 'utc' : null;
}

/** True where the pages go by another clock now, and must be loaded anew. */
export function keepClock(chosen: Clock): boolean {
  // A browser that keeps nothing goes by its own zone.
  return keep(storageName, chosen) && (chosen === 'utc') !== isUtc;
}
