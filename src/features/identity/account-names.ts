// Usernames of accounts by their ids, whichever account group they are in. Called by lists that name whoever did something,
// and by those of one group where it lies on another server than the groups of the others (Queryable.isSpread).

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { ofAccounts } from '../../platform/database/shards/query-shards.ts';

const findUsernames: SqlStatement = {
  name: 'find_usernames',
  text: 'select id, username from accounts where id = any($1::int[])',
};

/** Ids to usernames. */
export async function findAccountNames(
  database: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await ofAccounts(database, ids, findUsernames);
  return new Map(rows.map((row) => [Number(row['id']), String(row['username'])]));
}
