// The retry schedule of deliveries, and when a failing endpoint is switched off. Pure functions.

import type { EpochSeconds } from '../../shared/times.ts';

const minute = 60;
const hour = 3_600;

/** The delay before each attempt, beginning with the first. Part of the API contract. */
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

const attemptsMax = delaysSeconds.length;

/** A due time much further ahead than this comes from a wrong clock. */
export const delaySecondsMax = Math.max(...delaysSeconds);

export const scheduleSeconds = delaysSeconds.reduce((sum, delay) => sum + delay, 0);

/** An attempt is early by up to a tenth of its delay, at most a minute, so that simultaneous failures spread out. */
const jitterShare = 0.1;
const jitterSecondsMax = minute;
export const scheduleSlackSeconds = attemptsMax * jitterSecondsMax;

/** The time of the attempt after failed attempt `step`; null after the last one. `random` is 0 to 1. */
export function nextAttemptAt(step: number, now: EpochSeconds, random: number): EpochSeconds | null {
  const delay = delaysSeconds[step];
  if (delay === undefined) return null;
  return now + delay - Math.floor(random * Math.min(delay * jitterShare, jitterSecondsMax));
}

/** A clock that was set back does not delay an attempt beyond the schedule. */
export function isDue(dueAt: EpochSeconds | null, now: EpochSeconds): boolean {
  return dueAt === null || dueAt <= now || dueAt > now + 2 * delaySecondsMax;
}

const switchOffSeconds = 5 * 24 * hour;
/** After a pause of this length, in which nothing was sent, failures are counted from zero. */
const pauseSeconds = 2 * delaySecondsMax;

export interface Failures {
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

/** Also requires a full schedule of failed attempts, because a clock may jump by days. */
export function isLongFailing({ failuresInARow, failingSince }: Failures, now: EpochSeconds): boolean {
  return failingSince !== null && now - failingSince >= switchOffSeconds && failuresInARow >= attemptsMax;
}
