// The queue of the embedded database's one session. Two ranks: the first goes before the second, which
// comes in pieces (one statement or one transaction each). Called by embedded.ts.
// Always true: one piece of work at a time; within a rank in the order of arrival; beside a load that never
// pauses the second rank still gets its share of the session's time.

import { DatabaseUnavailable } from '../database.ts';

export interface RankedQueue {
  /** @throws DatabaseUnavailable when it is not its turn in time, or when too much of its rank waits */
  run<Result>(rank: 'first' | 'second', work: () => Promise<Result>): Promise<Result>;
  /** Settles when nothing runs and nothing waits. */
  idle(): Promise<void>;
}

export interface RankedQueueLimits {
  /** After a piece of the second rank the first has this many times its duration, if it has work. */
  readonly restFactor: number;
  /** But never longer than this: one long piece is no reason to refuse those that wait behind it. */
  readonly restMillisecondsMax: number;
  /** The first rank counts as busy for this long after its last work: between two batches its queue is empty. */
  readonly quietMilliseconds: number;
  /** Of the second rank. */
  readonly waitingMax: number;
  readonly waitMilliseconds: number;
}

interface Waiting {
  start(): void;
}

export function createRankedQueue(limits: RankedQueueLimits, monotonicNow: () => number): RankedQueue {
  const first: Waiting[] = [];
  const second: Waiting[] = [];
  let isRunning = false;
  let isWaking = false;
  /** Until then the second rank rests while the first has work. */
  let restUntil = Number.NEGATIVE_INFINITY;
  let firstEndedAt = Number.NEGATIVE_INFINITY;
  let whenIdle: (() => void)[] = [];

  function next(): void {
    if (isRunning) return;
    const chosen = choose();
    chosen?.start();
    if (chosen !== undefined || second.length > 0) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
  }

  function choose(): Waiting | undefined {
    if (second.length === 0) return first.shift();
    const now = monotonicNow();
    if (now >= restUntil) return second.shift();
    if (first.length > 0) return first.shift();
    const turnAt = Math.min(restUntil, firstEndedAt + limits.quietMilliseconds);
    if (now >= turnAt) return second.shift();
    if (!isWaking) setTimeout(wake, turnAt - now);
    isWaking = true;
    return undefined;
  }

  function wake(): void {
    isWaking = false;
    next();
  }

  async function run<Result>(rank: 'first' | 'second', work: () => Promise<Result>): Promise<Result> {
    isRunning = true;
    const began = monotonicNow();
    try {
      return await work();
    } finally {
      isRunning = false;
      const ended = monotonicNow();
      if (rank === 'first') firstEndedAt = ended;
      else restUntil = ended + Math.min(limits.restFactor * (ended - began), limits.restMillisecondsMax);
      next();
    }
  }

  return {
    run(rank, work) {
      return new Promise((resolve, reject) => {
        const line = rank === 'first' ? first : second;
        let patience: NodeJS.Timeout | undefined;
        const waiting: Waiting = {
          start() {
            clearTimeout(patience);
            run(rank, work).then(resolve, reject);
          },
        };
        if (rank === 'second') {
          if (second.length >= limits.waitingMax) {
            reject(new DatabaseUnavailable('Too many reads are waiting for the embedded database.'));
            return;
          }
          patience = setTimeout(() => {
            second.splice(second.indexOf(waiting), 1);
            reject(new DatabaseUnavailable('Orders left the embedded database no time for this read.'));
            next();
          }, limits.waitMilliseconds);
        }
        line.push(waiting);
        next();
      });
    },
    idle: () =>
      isRunning || first.length + second.length > 0
        ? new Promise((resolve) => {
            whenIdle.push(resolve);
          })
        : Promise.resolve(),
  };
}
