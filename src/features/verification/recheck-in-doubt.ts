// What looks false where the two halves of one fact are on several servers: a transaction that is prepared on both is
// committed on one of them a moment earlier, and who looks at that moment sees half of it. A server that crashes makes a minute
// of the moment: Citus then ends what is prepared when it next looks (citus.recover_2pc_interval). Called by the audits.
// Always true: what one look in a row does not find is no problem.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../platform/database/database.ts';
import { isAnythingPrepared } from '../../platform/database/shards/citus.ts';

const looksMax = 4;
const pauseMilliseconds = 250;
/** Looks while something is prepared: for two minutes, and what is found after them is a problem whatever else is under way. */
const looksInDoubtMax = 480;

/** What `look` finds each of several times, by its number or name; mostly it finds nothing the first time. */
export async function recheckInDoubt<Found extends number | string>(
  database: Queryable,
  look: () => Promise<readonly Found[]>,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  let found = await look();
  for (let looks = 1; looks < looksInDoubtMax && found.length > 0; looks += 1) {
    await sleep(pauseMilliseconds, undefined, { signal });
    // Asked before the look: what ends in between is looked at once more for nothing.
    const isInDoubt = await isAnythingPrepared(database);
    const again = new Set(await look());
    found = found.filter((one) => again.has(one));
    if (looks + 1 >= looksMax && !isInDoubt) break;
  }
  return found;
}
