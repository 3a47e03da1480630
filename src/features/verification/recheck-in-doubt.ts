// Rechecks findings that may be transient when the two halves of a fact are on several servers: a prepared transaction
// commits on one of them first. After a crash this can last a minute, until Citus finishes it (citus.recover_2pc_interval).
// Invariant: only what every look in a row finds is a problem.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../platform/database/database.ts';
import { isAnythingPrepared } from '../../platform/database/shards/citus.ts';

const looksMax = 4;
const pauseMilliseconds = 250;
/** While something is prepared, for two minutes; after that a finding counts. */
const looksInDoubtMax = 480;

/** Returns what every `look` finds; usually the first finds nothing. */
export async function recheckInDoubt<Found extends number | string>(
  database: Queryable,
  look: () => Promise<readonly Found[]>,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  let found = await look();
  for (let looks = 1; looks < looksInDoubtMax && found.length > 0; looks += 1) {
    await sleep(pauseMilliseconds, undefined, { signal });
    // Before the look: a commit in between only costs another look.
    const isInDoubt = await isAnythingPrepared(database);
    const again = new Set(await look());
    found = found.filter((one) => again.has(one));
    if (looks + 1 >= looksMax && !isInDoubt) break;
  }
  return found;
}
