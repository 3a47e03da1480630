// The queue for the embedded database's only session. A piece of work is one statement or transaction.
// Invariant: one piece runs at a time, each rank is FIFO, and the second rank keeps a share of the time under constant load.

import { DatabaseUnavailable } from '../database.ts';

export interface RankedQueue {
  /** @throws DatabaseUnavailable when the wait times out or the rank's queue is full */
  run<Result>(rank: 'first' | 'second', work: () => Promise<Result>): Promise<Result>;
  idle(): Promise<void>;
}

export interface RankedQueueLimits {
  /** After each piece, the second rank rests for this many times the piece's duration while the first rank has work. */
  readonly restFactor: number;
  /** Upper limit of that rest, so that the pieces behind a long one do not time out. */
  readonly restMillisecondsMax: number;
  /** The first rank counts as busy for this long after its last work, because its queue is empty between two batches. */
  readonly quietMilliseconds: number;
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
            reject(
              new DatabaseUnavailable('The read timed out because orders kept the embedded database busy.'),
            );
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
