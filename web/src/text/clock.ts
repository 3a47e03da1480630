// Times are shown and entered in the browser's zone or UTC, as the person chose (stored by the service). Fixed before pages
// load, like the language (language.ts).

import type { Clock } from '../../../src/shared/clocks.ts';
import { keep, readKept } from '../api/browser-storage.ts';

const storageName = 'sellthrough-clock';

export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
export const isUtc = keptClock() === 'utc';
/** "Europe/Berlin", "UTC". */
export const zone = isUtc ? 'UTC' : browserZone;

export function keptClock(): Clock {
  return readKept(storageName) === 'utc' ? 'utc' : null;
}

/** True: the pages must be reloaded. */
export function keepClock(chosen: Clock): boolean {
  // Without storage, the browser's zone applies.
  return keep(storageName, chosen) && (chosen === 'utc') !== isUtc;
}
