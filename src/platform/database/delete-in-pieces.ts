// Deletes old rows in short statements so that orders never wait long. Called by cleanup jobs, which can be stopped.

import type { Queryable, SqlStatement } from './database.ts';

export interface OldRows {
  readonly deletion: SqlStatement;
  readonly atOnceMax: number;
}

/** true: the signal aborted, and rows may be left. */
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
