// Replaces autovacuum, which the embedded database lacks. The job vacuums one table at a time, and only after enough
// changes, so that orders never wait for the whole database.

import type { Queryable, Row, SqlStatement } from '../database.ts';

/** A vacuum takes longer the more pages were changed. Numbers of rows approximate that (docs/decisions/0016-jobs.md). */
const insertedRowsMax = 20_000;
const deadRowsMin = 1_000;
const changedRowsMin = 50;
const changedShare = 0.1;
/** In transactions. Well below the 2 billion at which PostgreSQL stops accepting writes. */
const transactionAgeMax = 100_000_000;

// PostgreSQL's counters begin at its last start, so each table is due once after a start. VACUUM includes a table's TOAST.
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

/** @returns the number of due tables that are left because the signal aborted */
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
