// How fast PostgreSQL is read while orders keep it busy. Connections of their own keep reads from an order's place in
// the line, but not from its processor: on a small machine three exports take what the orders need. So while batches of
// orders are under way for much of the time, reads go one after another, and after each the orders have a multiple of
// its time. And never do all connections read: one is left for what people change. Called by postgres.ts.
// Always true: beside few orders nothing rests, unless reads make their batches slow; beside orders that never pause,
// reads still get their share.

import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailable } from '../database.ts';

export interface ReadThrottleLimits {
  /** After a read the orders have this many times its duration, while there are any. */
  readonly restFactor: number;
  /** But never longer than this: a slow read is no reason to keep the next one waiting for long. */
  readonly restMillisecondsMax: number;
  /** Orders count as under way for this long after the last one: between two batches there is none. */
  readonly quietMilliseconds: number;
  /** Of the last moments, the part during which a batch was under way from which on reads are throttled: 0 to 1. */
  readonly busyShareMin: number;
  /** How long a moment is: the share is that of the last one to two of them. */
  readonly shareMilliseconds: number;
  readonly waitMilliseconds: number;
}

/** Reads that may be under way at once, and how long another one waits for its place. */
export interface ReadPlaces {
  readonly count: number;
  readonly waitMilliseconds: number;
}

export interface ReadThrottle {
  /** Carries out a batch of orders, at once. */
  order<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Carries out a read when it is its turn. @throws DatabaseUnavailable when that is not in time */
  read<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** `monotonicNow` in milliseconds; `rest` waits for that many of them. */
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
        reject(new DatabaseUnavailable('Too many reads are under way.'));
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
        throw new DatabaseUnavailable('Orders left the database no time for this read.');
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

/** Which part of the last one to two windows something was under way; 1 before anything is known. */
function createBusyShare(windowMilliseconds: number, windowBegan: number) {
  let began: number | null = null;
  let busy = 0;
  let before = { busy: 0, length: 0 };

  /** Counts what is under way up to now, and begins a window where the last one is over. */
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
