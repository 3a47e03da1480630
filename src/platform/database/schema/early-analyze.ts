// Statistics for a young database. A named statement keeps the plan that was made for empty tables; of two indexes
// that both begin with the account it may take the wrong one, and then read an account's whole history for
// each order, with no error anywhere. ANALYZE makes every session plan again. PostgreSQL runs it by itself, but only a
// minute or more after the first orders; so it is run here after the first hundred orders of this process, and
// after every tenfold of that. A table that is known to be large is left alone: its plans are right, and to look at it
// again reads 30,000 of its pages.

import type { Database, SqlStatement } from '../database.ts';
import { accountTables } from '../shards/sharded-tables.ts';
import { textArray } from '../sql-arrays.ts';

export interface EarlyAnalyze {
  /** Hears of orders that became durable. */
  count(orders: number): void;
}

const firstAt = 100;
/** By then the server's own rounds keep up. */
const lastAt = 100_000;

/** Tables that had fewer rows when they were last looked at, or never were. */
const findUnanalyzed: SqlStatement = {
  name: 'find_unanalyzed_tables',
  text: `select name from unnest($1::text[]) with ordinality named (name, place) join pg_class c on c.oid = to_regclass(name)
    where c.reltuples < ${lastAt} order by place`,
};

const isOfAccounts = (table: string) => table in accountTables;

async function analyzeSmall(database: Database, tables: readonly string[]): Promise<void> {
  const young = await database.query(findUnanalyzed, [textArray(tables)]);
  for (const { name } of young) await database.query({ name: '', text: `analyze ${String(name)}` });
}

export function createEarlyAnalyze(
  database: Database,
  tables: readonly string[],
  onFailed: (error: unknown) => void,
): EarlyAnalyze {
  let counted = 0;
  let next = firstAt;
  /** Table by table: orders go between them. */
  async function analyze(): Promise<void> {
    const [ofAccounts, others] = [
      tables.filter(isOfAccounts),
      tables.filter((table) => !isOfAccounts(table)),
    ];
    for (const group of database.accountGroups()) await analyzeSmall(group, ofAccounts);
    await analyzeSmall(database, others);
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
