// What the audit log says about a package: its terms at a point in time, and their changes.

import type { EpochSeconds } from '../../shared/times.ts';
import type { Package } from '../packages/package-catalog.ts';
import type { Prices } from '../packages/price-lines.ts';

/** The parts of a package that the rules need. */
export interface Terms extends Pick<Package, 'isTrial' | 'retired' | 'durationDays' | 'periods'> {
  readonly prices: Prices;
}

export interface Recorded<State> {
  readonly at: EpochSeconds;
  readonly before: State | null;
  readonly after: State | null;
}
