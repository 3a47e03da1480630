// Usernames by account id, from any shard, for lists that name an actor of another account.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';

const findUsernames: SqlStatement = {
  name: 'find_usernames',
  text: 'select id, username from accounts where id = any($1::int[])',
};

export async function findAccountNames(
  database: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await queryShards(database, findUsernames, [], { accounts: ids });
  return new Map(rows.map((row) => [Number(row['id']), String(row['username'])]));
}
