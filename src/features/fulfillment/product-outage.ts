// Detects when an outage of the product ends. Each run of the caller has one. Pure.

import type { EpochSeconds } from '../../shared/times.ts';

export interface ProductOutage {
  failed(at: EpochSeconds): void;
  /** Returns true if this answer ended an outage. */
  answered(at: EpochSeconds): boolean;
}

/** Fewer or shorter failures may be due to single calls, for which their own schedule is fast enough. */
const failuresMin = 2;
const secondsMin = 30;

/** A run's first answer also counts as the end of an outage, because another process may have seen failures before. */
export function createProductOutage(): ProductOutage {
  let isUnknown = true;
  let failures = 0;
  let since: EpochSeconds = 0;
  return {
    failed(at) {
      if (failures === 0) since = at;
      failures += 1;
    },
    answered(at) {
      const isOver = isUnknown || (failures >= failuresMin && at - since >= secondsMin);
      isUnknown = false;
      failures = 0;
      return isOver;
    },
  };
}
