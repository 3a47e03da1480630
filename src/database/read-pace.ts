// How fast PostgreSQL is read while orders are under way. Connections of their own keep reads from an order's place in
// the line, but not from its processor: on a small machine three exports take what the orders need. So while orders
// come, reads go one after another, and after each the orders have a multiple of its time. Called by postgres.ts.
// Always true: without orders nothing waits; beside orders that never pause, reads still get their share.

import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailable } from './database.ts';

export interface ReadPaceLimits {
  /** After a read the orders have this many times its duration, while there are any. */
  readonly restFactor: number;
  /** But never longer than this: a slow read is no reason to keep the next one waiting for long. */
  readonly restMillisecondsMax: number;
  /** Orders count as under way for this long after the last one: between two batches there is none. */
  readonly quietMilliseconds: number;
  readonly waitMilliseconds: number;
}

export interface ReadPace {
  /** Carries out a batch of orders, at once. */
  order<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Carries out a read when it is its turn. @throws DatabaseUnavailable when that is not in time */
  read<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** `monotonicNow` in milliseconds; `rest` waits for that many of them. */
export function createReadPace(
  limits: ReadPaceLimits,
  monotonicNow: () => number,
  rest: (milliseconds: number) => Promise<unknown> = pause,
): ReadPace {
  let batches = 0;
  let lastBatchAt = Number.NEGATIVE_INFINITY;
  let restUntil = Number.NEGATIVE_INFINITY;
  let turn: Promise<void> = Promise.resolve();

  const isBusy = () => batches > 0 || monotonicNow() < lastBatchAt + limits.quietMilliseconds;

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const arrived = monotonicNow();
    const before = turn;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    turn = promise;
    try {
      await before;
      while (isBusy() && monotonicNow() < restUntil) {
        await rest(Math.min(limits.quietMilliseconds, restUntil - monotonicNow()));
      }
      const began = monotonicNow();
      if (began - arrived > limits.waitMilliseconds)
        throw new DatabaseUnavailable('Orders left the database no time for this read.');
      try {
        return await work();
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
      batches += 1;
      try {
        return await work();
      } finally {
        batches -= 1;
        lastBatchAt = monotonicNow();
      }
    },
    read: (work) => (isBusy() ? inTurn(work) : work()),
  };
}
