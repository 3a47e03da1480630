// A package at a point in time, and its changes in the audit log.

import type { EpochSeconds } from '../../shared/times.ts';
import type { Package } from '../packages/package-catalog.ts';
import type { Prices } from '../packages/price-lines.ts';

/** What the rules need of a package. */
export interface Terms extends Pick<Package, 'isTrial' | 'retired' | 'durationDays' | 'periods'> {
  readonly prices: Prices;
}

export interface Recorded<State> {
  readonly at: EpochSeconds;
  readonly before: State | null;
  readonly after: State | null;
}
