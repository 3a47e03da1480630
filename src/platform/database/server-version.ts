import type { Queryable, SqlStatement } from './database.ts';

const findVersion: SqlStatement = {
  name: 'find_database_version',
  text: "select current_setting('server_version') as version",
};

export async function readServerVersion(database: Queryable): Promise<string> {
  const [row] = await database.query(findVersion);
  return String(row?.['version'] ?? '');
}
