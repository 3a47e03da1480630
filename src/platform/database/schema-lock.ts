// The lock under which the schema is changed: one for all processes.

import type { Queryable } from './database.ts';

export const schemaLockKey = 7355608;

/** Released by COMMIT or by the end of its holder. */
export async function lockSchema(transaction: Queryable): Promise<void> {
  await transaction.query({ name: '', text: `select pg_advisory_xact_lock(${schemaLockKey})` });
}
