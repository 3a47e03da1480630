// What a package was at a time, and what the audit log holds of a change.

import type { EpochSeconds } from '../../shared/times.ts';
import type { Package } from '../packages/package-catalog.ts';
import type { Prices } from '../packages/price-lines.ts';

/** What the rules ask about a package. */
export interface Terms extends Pick<Package, 'isTrial' | 'retired' | 'durationDays'> {
  readonly prices: Prices;
}

/** An entry of the audit log about one thing: what it was before and after; null where it is not known. */
export interface Recorded<State> {
  readonly at: EpochSeconds;
  readonly before: State | null;
  readonly after: State | null;
}
