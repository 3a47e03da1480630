// Usernames of accounts by their ids, whichever account group they are in. Called by lists that name whoever did something,
// and by those of one group where it lies on another server than the groups of the others (Queryable.isSpread).

import type { Queryable, Statement } from './database.ts';
import { fromTheirGroups } from './over-groups.ts';
import { numberArray } from './sql-arrays.ts';

const findUsernames: Statement = {
  name: 'find_usernames',
  text: 'select id, username from accounts where id = any($1::int[])',
};

/** Ids to usernames. */
export async function findAccountNames(
  database: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const wanted = [...new Set(ids)];
  const rows = database.isSpread
    ? await fromTheirGroups(
        database,
        wanted,
        (id) => id,
        findUsernames,
        (some) => [numberArray(some)],
      )
    : await database.query(findUsernames, [numberArray(wanted)]);
  return new Map(rows.map((row) => [Number(row['id']), String(row['username'])]));
}
