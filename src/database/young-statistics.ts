// Statistics for a young database. A named statement keeps the plan that was made for empty tables; of two indexes
// that both begin with the account it may take the wrong one, and then read an account's whole history for
// each order, with no error anywhere. ANALYZE makes every session plan again. PostgreSQL runs it by itself, but only a
// minute or more after the first orders; so it is run here after the first hundred orders of this process, and
// after every tenfold of that.

import type { Database } from './database.ts';

export interface YoungStatistics {
  /** Hears of orders that became durable. */
  count(orders: number): void;
}

const firstAt = 100;
/** By then the server's own rounds keep up. */
const lastAt = 100_000;

export function createYoungStatistics(
  database: Database,
  tables: readonly string[],
  onFailed: (error: unknown) => void,
): YoungStatistics {
  let counted = 0;
  let next = firstAt;
  /** Table by table: orders go between them. */
  async function analyze(): Promise<void> {
    for (const table of tables) await database.query({ name: '', text: `analyze ${table}` });
  }

  return {
    count(orders) {
      counted += orders;
      if (counted < next || next > lastAt) return;
      while (next <= counted) next *= 10;
      analyze().catch(onFailed);
    },
  };
}
