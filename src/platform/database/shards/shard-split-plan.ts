// Estimates the rows, bytes and time that dividing a database takes, by copying a sample and rolling back.

import type { Database, Queryable } from '../database.ts';
import { run } from './shard-views.ts';
import { accountTables } from './sharded-tables.ts';

export interface DivisionPlan {
  readonly tables: number;
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly bytesPerSecond: number;
}

const sampledTables = 4;
const sampleRowsMax = 50_000;
/** The time for statements, locks and empty tables of one shard. */
const millisecondsPerGroup = 1000;
/** The real run is slower: the sample fits in memory and never waits for the WAL. */
const slowerThanSample = 1.5;

export async function planDivision(database: Database, count: number): Promise<DivisionPlan> {
  const tables = Object.keys(accountTables);
  const measured = await database.transaction(
    async (transaction) => {
      await run(transaction, 'set local enable_seqscan = on');
      const sizes: { readonly name: string; readonly rows: number; readonly bytes: number }[] = [];
      for (const name of tables) {
        const [row] = await run(
          transaction,
          `select count(*) as rows, pg_total_relation_size('${name}') as bytes from ${name}`,
        );
        sizes.push({ name, rows: Number(row?.['rows']), bytes: Number(row?.['bytes']) });
      }
      return sizes;
    },
    { timeoutMilliseconds: null },
  );
  const largest = measured.toSorted((one, other) => other.bytes - one.bytes).slice(0, sampledTables);
  let [sampledBytes, sampledMilliseconds] = [0, 0];
  for (const { name, rows } of largest) {
    if (rows === 0) continue;
    const { bytes, milliseconds } = await sample(database, name);
    sampledBytes += bytes;
    sampledMilliseconds += milliseconds;
  }
  const bytes = measured.reduce((sum, table) => sum + table.bytes, 0);
  const perMillisecond =
    sampledMilliseconds === 0 ? Infinity : sampledBytes / sampledMilliseconds / slowerThanSample;
  const milliseconds = bytes / perMillisecond + (count + 1) * millisecondsPerGroup;
  return {
    tables: tables.length,
    rows: measured.reduce((sum, table) => sum + table.rows, 0),
    bytes,
    seconds: Math.ceil(milliseconds / 1000),
    bytesPerSecond: Math.round(bytes / (milliseconds / 1000)),
  };
}

function sample(database: Database, name: string): Promise<{ bytes: number; milliseconds: number }> {
  return database.transaction(
    async (transaction: Queryable) => {
      await run(transaction, 'set local enable_seqscan = on');
      await run(transaction, 'savepoint before_sample');
      const began = performance.now();
      await run(
        transaction,
        `create table ${name}_sample (like ${name} including all excluding identity excluding comments)`,
      );
      await run(transaction, `insert into ${name}_sample select * from ${name} limit ${sampleRowsMax}`);
      const milliseconds = performance.now() - began;
      const [row] = await run(transaction, `select pg_total_relation_size('${name}_sample') as bytes`);
      await run(transaction, 'rollback to before_sample');
      return { bytes: Number(row?.['bytes']), milliseconds };
    },
    { timeoutMilliseconds: null },
  );
}
