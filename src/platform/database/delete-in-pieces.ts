// Deletes many rows in short statements, so that orders wait for none of them for long. Used by features whose rows
// grow old (sessions, login links, the request log), from jobs that can be told to stop.

import type { Queryable, SqlStatement } from './database.ts';

export interface OldRows {
  /** Deletes up to `atOnceMax` rows and answers with their `count`. */
  readonly deletion: SqlStatement;
  readonly atOnceMax: number;
}

/** Whether rows may be left: only when the signal said stop. */
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
