// With --statements: what an order costs PostgreSQL, statement by statement, as pg_stat_statements counts it. Also how many
// updates were HOT, which leave the indexes alone.

import type { Stage } from './bench-stage.ts';

/** Settings for PostgreSQL's start. @see https://www.postgresql.org/docs/15/pgstatstatements.html */
export const statementSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
  'pg_stat_statements.track_utility': 'on',
} as const;

export interface StatementCosts {
  /** Resets all counters. */
  begin(): Promise<void>;
  /** Prints what was counted since begin(). The service's orders must be the only load. */
  print(): Promise<void>;
}

const microseconds = 1000;
/** Statements that take less time per order than this are left out. */
const leastMicroseconds = 0.05;
const textLength = 60;
const ordersText = 'insert into orders (%';

export function createStatementCosts(stage: Stage): StatementCosts {
  return {
    async begin() {
      await stage.query('postgres', 'create extension if not exists pg_stat_statements');
      await stage.query('postgres', 'select pg_stat_statements_reset()');
    },
    async print() {
      // Only the statements of the database with the most orders, because others may have run the same ones.
      const statements = await stage.query(
        'postgres',
        `with loaded as (
          select dbid, rows::float8 as orders from pg_stat_statements where query ilike $1 order by rows desc limit 1)
        select d.datname, orders, left(regexp_replace(query, '\\s+', ' ', 'g'), ${textLength}) as statement,
          total_exec_time * ${microseconds} / orders as executing, total_plan_time * ${microseconds} / orders as planning,
          calls / orders as calls, shared_blks_hit / orders as hit, shared_blks_read / orders as read,
          shared_blks_written / orders as written, wal_records / orders as records, wal_fpi / orders as images,
          wal_bytes::float8 / orders as bytes
        from loaded join pg_stat_statements using (dbid) join pg_database d on d.oid = dbid
        where (total_exec_time + total_plan_time) * ${microseconds} / orders > ${leastMicroseconds}
        order by total_exec_time + total_plan_time desc`,
        [ordersText],
      );
      const [{ datname, orders } = {}] = statements;
      // The embedded database keeps no such statistics.
      if (typeof datname !== 'string') return;
      const columns = [
        'executing',
        'planning',
        'calls',
        'hit',
        'read',
        'written',
        'records',
        'images',
        'bytes',
      ];
      const line = (cells: readonly string[], statement: unknown) =>
        `  ${cells.map((cell) => cell.padStart(9)).join('')}  ${statement}\n`;
      const sums = columns.map((column) => statements.reduce((sum, row) => sum + Number(row[column]), 0));
      const figures = (values: readonly number[]) => values.map((value) => value.toFixed(value < 10 ? 2 : 0));
      process.stdout.write(
        [
          `  For each of ${orders} orders, as pg_stat_statements counts: µs executing and planning, calls, pages found in\n`,
          '  shared buffers, read in and written out; records, full-page images and bytes of WAL.\n',
          line(columns, 'statement'),
          ...statements.map((row) =>
            line(figures(columns.map((column) => Number(row[column]))), row['statement']),
          ),
          line(figures(sums), 'all of these'),
        ].join(''),
      );
      const updated = await stage.query(
        datname,
        `select relname, n_tup_hot_upd, n_tup_upd from pg_stat_user_tables where n_tup_upd > 0 order by n_tup_upd desc`,
      );
      for (const { relname, n_tup_hot_upd, n_tup_upd } of updated) {
        process.stdout.write(`  HOT updates of ${relname}: ${n_tup_hot_upd} of ${n_tup_upd}\n`);
      }
    },
  };
}
