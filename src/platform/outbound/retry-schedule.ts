// When an attempt that failed is made again, and when an endpoint has failed for so long that it is switched off. Pure.

import type { EpochSeconds } from '../../shared/times.ts';

const minute = 60;
const hour = 3_600;

/** Seconds from one attempt to the next, beginning with the first: the contract's own list. */
const delaysSeconds = [
  0,
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;

/** Attempts for one event. */
const attemptsMax = delaysSeconds.length;

/** What lies further ahead was written by a clock that was wrong. */
export const delaySecondsMax = Math.max(...delaysSeconds);

/** From the first attempt to the last, without jitter. */
export const scheduleSeconds = delaysSeconds.reduce((sum, delay) => sum + delay, 0);

/** Earlier than the list says by a tenth at most, and a minute at most: many that failed together do not come back together. */
const jitterShare = 0.1;
const jitterSecondsMax = minute;
/** By so much at most the last attempt comes early. */
export const scheduleSlackSeconds = attemptsMax * jitterSecondsMax;

/**
 * When the next attempt is due, after `step` that failed; null: there is none.
 * `random` from 0 to 1.
 */
export function nextAttemptAt(step: number, now: EpochSeconds, random: number): EpochSeconds | null {
  const delay = delaysSeconds[step];
  if (delay === undefined) return null;
  return now + delay - Math.floor(random * Math.min(delay * jitterShare, jitterSecondsMax));
}

/** A clock that was set back does not make anybody wait for longer than the list does. */
export function isDue(dueAt: EpochSeconds | null, now: EpochSeconds): boolean {
  return dueAt === null || dueAt <= now || dueAt > now + 2 * delaySecondsMax;
}

const switchOffSeconds = 5 * 24 * hour;
/** Failures after a pause of this length begin to be counted anew: nothing was sent meanwhile. */
const pauseSeconds = 2 * delaySecondsMax;

export interface Failures {
  /** Since the last success. */
  readonly failuresInARow: number;
  readonly failingSince: EpochSeconds | null;
  readonly failedAt: EpochSeconds | null;
}

export const noFailures: Failures = { failuresInARow: 0, failingSince: null, failedAt: null };

export function oneMoreFailure(earlier: Failures, now: EpochSeconds): Failures {
  const { failingSince, failedAt, failuresInARow } = earlier;
  const isAnew = failingSince === null || failedAt === null || now - failedAt > pauseSeconds;
  return isAnew
    ? { failuresInARow: 1, failingSince: now, failedAt: now }
    : { failuresInARow: failuresInARow + 1, failingSince: Math.min(failingSince, now), failedAt: now };
}

/** A clock that jumps ahead by days is not enough: as many attempts as one event gets must have failed. */
export function isLongFailing({ failuresInARow, failingSince }: Failures, now: EpochSeconds): boolean {
  return failingSince !== null && now - failingSince >= switchOffSeconds && failuresInARow >= attemptsMax;
}
