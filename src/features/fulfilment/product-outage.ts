// Whether the product has just come back after an outage. One per run of the caller. Pure: times are arguments.

import type { EpochSeconds } from '../../shared/times.ts';

export interface ProductOutage {
  /** An attempt had no answer that counts. */
  failed(at: EpochSeconds): void;
  /** The product took or refused a call. True: an outage ended with it. */
  answered(at: EpochSeconds): boolean;
}

/** Fewer failures than these, or a shorter time, are about single calls: their own schedule is soon enough. */
const failuresMin = 2;
const secondsMin = 30;

/** A new run knows no earlier failures: another process may have seen them, so its first answer ends an outage. */
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
