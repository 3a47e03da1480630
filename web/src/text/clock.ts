// On which clock the pages show and take times: that of the browser's zone, or UTC, by which figures and statements count. The
// person's choice, which the service keeps; decided once, before any page is loaded, as the language is (language.ts).

import type { Clock } from '../../../src/shared/clocks.ts';

const storageName = 'sellthrough-clock';

export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
export const isUtc = keptClock() === 'utc';
/** As it is said beside times: "Europe/Berlin", "UTC". */
export const zone = isUtc ? 'UTC' : browserZone;

/** What was chosen in this browser. */
export function keptClock(): Clock {
  try {
    return window.localStorage.getItem(storageName) === 'utc' ? 'utc' : null;
  } catch {
    return null;
  }
}

/** True where the pages go by another clock now, and must be loaded anew. */
export function keepClock(chosen: Clock): boolean {
  try {
    if (chosen === null) window.localStorage.removeItem(storageName);
    else window.localStorage.setItem(storageName, chosen);
  } catch {
    // A browser that keeps nothing goes by its own zone.
    return false;
  }
  return (chosen === 'utc') !== isUtc;
}
