// Loads a page's code when it is needed; meanwhile the previous page stays. Browsers may remember a failed module until the
// document is reloaded, so this probes the service first if its last answer is old.

import { isSurelyReachable, untilReachable } from '../api/connection.ts';

const attemptsMax = 2;

/** Rejects if the service answers but the code cannot be loaded. lazyRouteComponent then reloads the document, once. */
export function untilLoaded<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    if (!isSurelyReachable()) await untilReachable();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await load();
      } catch (error) {
        await untilReachable();
        if (attempt === attemptsMax) throw error;
      }
    }
  };
}
