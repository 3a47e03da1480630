// The mark that a restore leaves in the transaction that loads the rows, and removes when the database has its new
// incarnation: no service may start in between, because it would give out ids of the lost database a second time.

import type { Queryable } from './database.ts';
import { SchemaMismatch } from './schema-mismatch.ts';

/** An empty table: older schemas have no column to say it in. */
export const unfinishedRestore = 'unfinished_restore';

/** @throws SchemaMismatch */
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
