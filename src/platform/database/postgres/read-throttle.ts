// Throttles reads while orders keep PostgreSQL busy, because reads on other connections still compete for its processor.
// Reads then run one at a time and pause in between, in proportion to their duration. One connection always stays free for
// changes.
// Invariant: with few orders, reads pause only if they slow batches down. Under constant orders, reads keep a share.

import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailable } from '../database.ts';

export interface ReadThrottleLimits {
  /** After each read, reads pause for this many times its duration, as long as there are orders. */
  readonly restFactor: number;
  /** Upper limit of that pause, so that a slow read does not delay the next one for long. */
  readonly restMillisecondsMax: number;
  /** Orders count as running for this long after the last batch, because there are gaps between batches. */
  readonly quietMilliseconds: number;
  /** Reads are throttled once batches have been running for at least this share (0 to 1) of the recent time. */
  readonly busyShareMin: number;
  readonly shareMilliseconds: number;
  readonly waitMilliseconds: number;
}

export interface ReadPlaces {
  readonly count: number;
  readonly waitMilliseconds: number;
}

export interface ReadThrottle {
  order<Result>(work: () => Promise<Result>): Promise<Result>;
  /** @throws DatabaseUnavailable when the wait times out */
  read<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createReadThrottle(
  limits: ReadThrottleLimits,
  places: ReadPlaces,
  monotonicNow: () => number,
  rest: (milliseconds: number) => Promise<unknown> = pause,
): ReadThrottle {
  let batches = 0;
  let lastBatchAt = Number.NEGATIVE_INFINITY;
  let restUntil = Number.NEGATIVE_INFINITY;
  let turn: Promise<void> = Promise.resolve();
  const share = createBusyShare(limits.shareMilliseconds, monotonicNow());

  const isBusy = () =>
    (batches > 0 || monotonicNow() < lastBatchAt + limits.quietMilliseconds) &&
    share.at(monotonicNow()) >= limits.busyShareMin;

  let reading = 0;
  const waiting: (() => void)[] = [];

  function takePlace(): Promise<void> {
    if (reading < places.count) {
      reading += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const take = () => {
        clearTimeout(patience);
        resolve();
      };
      const patience = setTimeout(() => {
        waiting.splice(waiting.indexOf(take), 1);
        reject(new DatabaseUnavailable('Too many reads are running.'));
      }, places.waitMilliseconds);
      waiting.push(take);
    });
  }

  async function inPlace<Result>(work: () => Promise<Result>): Promise<Result> {
    await takePlace();
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) reading -= 1;
      else next();
    }
  }

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const arrived = monotonicNow();
    const before = turn;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    turn = promise;
    try {
      await before;
      for (let left = restUntil - monotonicNow(); left > 0 && isBusy(); left = restUntil - monotonicNow()) {
        await rest(Math.min(limits.quietMilliseconds, left));
      }
      const began = monotonicNow();
      if (began - arrived > limits.waitMilliseconds)
        throw new DatabaseUnavailable('The read timed out because orders kept the database busy.');
      try {
        return await inPlace(work);
      } finally {
        const ended = monotonicNow();
        restUntil = ended + Math.min(limits.restFactor * (ended - began), limits.restMillisecondsMax);
      }
    } finally {
      end();
    }
  }

  return {
    async order(work) {
      if (batches === 0) share.begin(monotonicNow());
      batches += 1;
      try {
        return await work();
      } finally {
        batches -= 1;
        lastBatchAt = monotonicNow();
        if (batches === 0) share.end(lastBatchAt);
      }
    },
    read: (work) => (isBusy() ? inTurn(work) : inPlace(work)),
  };
}

/** The share of time with a batch running, over the last one to two windows; 1 until the first window has passed. */
function createBusyShare(windowMilliseconds: number, windowBegan: number) {
  let began: number | null = null;
  let busy = 0;
  let before = { busy: 0, length: 0 };

  function count(now: number): void {
    if (began !== null) {
      busy += now - began;
      began = now;
    }
    const length = now - windowBegan;
    if (length < windowMilliseconds) return;
    before = { busy, length };
    windowBegan = now;
    busy = 0;
  }

  return {
    begin(now: number): void {
      count(now);
      began = now;
    },
    end(now: number): void {
      count(now);
      began = null;
    },
    at(now: number): number {
      count(now);
      const length = before.length + now - windowBegan;
      return length === 0 ? 1 : (before.busy + busy) / length;
    },
  };
}
