// Detects the end of a product outage. One per run of the caller. Pure.

import type { EpochSeconds } from '../../shared/times.ts';

export interface ProductOutage {
  failed(at: EpochSeconds): void;
  /** True: this answer ended an outage. */
  answered(at: EpochSeconds): boolean;
}

/** Fewer or shorter failures concern single calls, whose own schedule is soon enough. */
const failuresMin = 2;
const secondsMin = 30;

/** Another process may have seen earlier failures, so a run's first answer ends an outage. */
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
