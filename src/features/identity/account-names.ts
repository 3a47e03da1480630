// Usernames of accounts by their ids, whichever shard they are in. Called by lists that name an actor, and by those of one
// account where its shard is on another server than the actor's.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';

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
  const rows = await queryShards(database, findUsernames, [], { accounts: ids });
  return new Map(rows.map((row) => [Number(row['id']), String(row['username'])]));
}
