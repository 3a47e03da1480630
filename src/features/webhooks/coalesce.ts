// Work that is asked for often and done once: whoever asks while it runs has it run once more, for all of them together.

import { setTimeout as pause } from 'node:timers/promises';

export interface Coalesced {
  /** Resolves when a run that began after it was asked for has ended, well or not. */
  ask(): Promise<void>;
}

/** Never rejects: what a run throws is told to `onProblem`. */
export function coalesce(
  work: () => Promise<void>,
  onProblem: (error: unknown) => void,
  restMilliseconds = 0,
): Coalesced {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  async function run(): Promise<void> {
    try {
      await work();
    } catch (error) {
      onProblem(error);
    }
  }

  function ask(): Promise<void> {
    if (next !== null) return next;
    if (running === null) {
      running = run().finally(() => {
        running = null;
      });
      return running;
    }
    next = running
      .then(() => (restMilliseconds > 0 ? pause(restMilliseconds, undefined, { ref: false }) : undefined))
      .then(() => {
        next = null;
        return ask();
      });
    return next;
  }

  return { ask };
}
