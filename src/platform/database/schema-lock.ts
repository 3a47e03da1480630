// The advisory lock for schema changes, shared by all processes.

import type { Queryable } from './database.ts';

export const schemaLockKey = 7355608;

export async function lockSchema(transaction: Queryable): Promise<void> {
  await transaction.query({ name: '', text: `select pg_advisory_xact_lock(${schemaLockKey})` });
}
