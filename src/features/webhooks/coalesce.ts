// Merges concurrent requests for the same work. All requests made during a run share one further run.

import { setTimeout as pause } from 'node:timers/promises';

export interface Coalesced {
  /** Resolves when a run that began after this call has ended, even if it failed. */
  ask(): Promise<void>;
}

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
