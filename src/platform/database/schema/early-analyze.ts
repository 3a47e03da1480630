// Runs ANALYZE on a young database after a process's first 100 orders, then after 1,000, 10,000 and 100,000. Otherwise a
// plan made for empty tables may read an account's whole history for each order, without an error. Autoanalyze comes a
// minute too late.
// Tables already known to be large are skipped: their plans are right, and sampling would read 30,000 pages.

import type { Database, SqlStatement } from '../database.ts';
import { accountTables } from '../shards/sharded-tables.ts';
import { textArray } from '../sql-arrays.ts';

export interface EarlyAnalyze {
  count(orders: number): void;
}

const firstAt = 100;
/** In orders and in rows of a table. Beyond this the server's own autoanalyze keeps up. */
const lastAt = 100_000;

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
