// Loads a page's code when needed, waiting for a connection; the previous page stays. Browsers may cache a failed module
// for the document's lifetime, so the service is probed first if the last answer is old, and a remaining failure needs a
// reload.

import { isSurelyReachable, untilReachable } from '../api/connection.ts';

const attemptsMax = 2;

/** Rejects if the service answers but the code fails; lazyRouteComponent then reloads the document, once. */
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
