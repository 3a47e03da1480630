// Marks the database in the transaction that loads a backup. The mark is removed once the database has a new incarnation: a
// service started before that would issue ids again that the lost database has already issued.

import type { Queryable } from './database.ts';
import { SchemaMismatch } from './schema-mismatch.ts';

/** The mark is an empty table, because older schemas have no column for it. */
export const unfinishedRestore = 'unfinished_restore';

export async function refuseUnfinishedRestore(database: Queryable): Promise<void> {
  const [row] = await database.query({
    name: '',
    text: `select to_regclass('${unfinishedRestore}') is not null as has`,
  });
  if (row?.['has'] !== true) return;
  throw new SchemaMismatch(
    'A restore into this database was interrupted. Restore the backup again into a new one: give DATA_DIR a new folder, or DATABASE_URL a new database.',
  );
}
