// A page or dialog whose code is fetched when it is needed. Without a connection it is fetched as soon as there is one again, and
// until then the page before it stays. Many browsers keep a module that failed as failed for as long as the document lives:
// so where the last answer is old, the service is asked first, and what has failed all the same needs the document anew.

import { isSurelyReachable, untilReachable } from '../api/connection.ts';

const attemptsMax = 2;

/** Rejects once the service answers and the code still cannot be had; lazyRouteComponent then loads the document anew, once. */
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
