// What looks false where the two halves of one fact are on several servers: a transaction that is prepared on both is
// committed on one of them a moment earlier, and who looks at that moment sees half of it. Called by the audits.
// Always true: what one look in a row does not find is no problem.

import { setTimeout as sleep } from 'node:timers/promises';

const looksMax = 4;
const pauseMilliseconds = 250;

/** What `look` finds each of several times, by its number or name; mostly it finds nothing the first time. */
export async function stillThere<Found extends number | string>(
  look: () => Promise<readonly Found[]>,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  let found = await look();
  for (let looks = 1; looks < looksMax && found.length > 0; looks += 1) {
    await sleep(pauseMilliseconds, undefined, { signal });
    const again = new Set(await look());
    found = found.filter((one) => again.has(one));
  }
  return found;
}
