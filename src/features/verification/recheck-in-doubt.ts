// Checks findings again that may go away by themselves. With accounts on several servers, a prepared transaction commits on
// one server first; after a crash this state can last a minute (citus.recover_2pc_interval).
// Invariant: a finding counts only if every check in a row finds it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../platform/database/database.ts';
import { isAnythingPrepared } from '../../platform/database/shards/citus.ts';

const looksMax = 4;
const defaultPauseMilliseconds = 250;
/** While transactions are prepared, checks for two minutes. After that a finding counts. */
const looksInDoubtMax = 480;

/** Returns what every `look` finds. Usually the first one finds nothing. */
export async function recheckInDoubt<Found extends number | string>(
  database: Queryable,
  look: () => Promise<readonly Found[]>,
  signal: AbortSignal,
  pauseMilliseconds = defaultPauseMilliseconds,
): Promise<readonly Found[]> {
  let found = await look();
  for (let looks = 1; looks < looksInDoubtMax && found.length > 0; looks += 1) {
    await sleep(pauseMilliseconds, undefined, { signal });
    // Ask this before looking. Then a commit in between only costs another look.
    const isInDoubt = await isAnythingPrepared(database);
    const again = new Set(await look());
    found = found.filter((one) => again.has(one));
    if (looks + 1 >= looksMax && !isInDoubt) break;
  }
  return found;
}
