// Deletes old rows in short statements so that orders never wait long. Cleanup jobs call it and can stop it after any of them.

import type { Queryable, SqlStatement } from './database.ts';

export interface OldRows {
  readonly deletion: SqlStatement;
  readonly atOnceMax: number;
}

/** @returns true if the signal aborted */
export async function deleteInPieces(
  database: Queryable,
  { deletion, atOnceMax }: OldRows,
  values: readonly unknown[],
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    const [row] = await database.query(deletion, values);
    if (Number(row?.['count'] ?? 0) < atOnceMax) return false;
  }
  return true;
}
