// What autovacuum does on a server, for the embedded database, which has none: removes dead rows, and keeps
// the statistics and the age of transactions fresh. Run as a job (src/service/scheduled-jobs.ts), one table after
// another, each only when enough has changed in it: orders wait for one table's new pages and never for a
// whole database.

import type { Queryable, Row, SqlStatement } from '../database.ts';

/** A vacuum reads the pages that changed, so what it costs goes by these (docs/decisions/0016-jobs.md). */
const insertedRowsMax = 20_000;
const deadRowsMin = 1_000;
const changedRowsMin = 50;
const changedShare = 0.1;
/** Far from the two thousand million at which a database has to stop. */
const transactionAgeMax = 100_000_000;

// What changed before the last start is not counted: each table is looked at once after it. Toast goes with its table.
const listDue: SqlStatement = {
  name: 'list_tables_to_vacuum',
  text: `select s.relid::regclass::text as name,
      s.n_dead_tup > ${deadRowsMin} + ${changedShare} * s.n_live_tup or s.n_ins_since_vacuum > ${insertedRowsMax}
        or s.last_vacuum is null or age(c.relfrozenxid) > ${transactionAgeMax} as wants_vacuum,
      s.schemaname = current_schema() and s.n_mod_since_analyze > ${changedRowsMin} + ${changedShare} * s.n_live_tup
        as wants_analyze
    from pg_stat_all_tables s join pg_class c on c.oid = s.relid
    where c.relkind = 'r' and s.schemaname <> 'information_schema'
    order by s.last_vacuum nulls first, s.relid`,
};

/** Returns how many tables are left, because the signal said stop. */
export async function vacuumTables(database: Queryable, signal: AbortSignal): Promise<number> {
  const due = (await database.query(listDue)).filter((row) => wantsVacuum(row) || wantsAnalyze(row));
  for (const [index, row] of due.entries()) {
    const name = String(row['name']);
    if (signal.aborted) return due.length - index;
    if (wantsVacuum(row)) await database.query({ name: '', text: `vacuum (truncate false) ${name}` });
    if (wantsAnalyze(row)) await database.query({ name: '', text: `analyze ${name}` });
  }
  return 0;
}

function wantsVacuum(row: Row): boolean {
  return row['wants_vacuum'] === true;
}

function wantsAnalyze(row: Row): boolean {
  return row['wants_analyze'] === true;
}
