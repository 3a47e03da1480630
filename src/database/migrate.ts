// Brings a database to this program's schema: numbered files, each run once, each remembered with its
// checksum, all under one lock, so that any number of processes may start at the same moment.
// Always true: a database that is newer than the program, or whose past was edited, stops the start.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type Database, type Queryable, type Statement, StatementFailed } from './database.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}

const migrationsFolder = new URL('./migrations/', import.meta.url);
const waitForOthersMilliseconds = 120_000;

/** The migrations of this program, in order. A gap or a doubled number in the folder is an error. */
export function readMigrations(folder: URL = migrationsFolder): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return names.map((name, index) => {
    const number = Number(/^(\d{4})-[a-z0-9-]+\.sql$/.exec(name)?.[1]);
    if (number !== index + 1) throw new SchemaMismatch(`Migration ${name} is not number ${index + 1}.`);
    const sql = readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n');
    return { number, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

/** Runs what is missing and returns its names. @throws SchemaMismatch */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = readMigrations(),
): Promise<string[]> {
  return database.transaction(
    async (transaction) => {
      // One lock for all processes, let go by COMMIT. "create if not exists" alone is not safe in parallel.
      // A process that pauses meanwhile is not gone; one that is gone does not hold the lock for ever.
      await transaction.query({
        name: '',
        text: `set local statement_timeout = 0;
          set local idle_in_transaction_session_timeout = ${waitForOthersMilliseconds}`,
      });
      await transaction.query({ name: '', text: 'select pg_advisory_xact_lock(7355608)' });
      await transaction.query({
        name: '',
        text: `create table if not exists schema_migrations (
          number int primary key, name text not null, checksum text not null, applied_at timestamptz not null
        )`,
      });
      const applied = await readApplied(transaction);
      checkPast(applied, migrations);
      const missing = migrations.slice(applied.length);
      for (const { number, name, sql, checksum } of missing) {
        // Without parameters the whole file travels as one simple query.
        await transaction.query({ name: '', text: sql }).catch((error) => {
          if (error instanceof StatementFailed) error.message = `Migration ${name}: ${error.message}`;
          throw error;
        });
        await transaction.query(
          { name: '', text: 'insert into schema_migrations values ($1, $2, $3, now())' },
          [number, name, checksum],
        );
      }
      return missing.map(({ name }) => name);
    },
    { timeoutMilliseconds: waitForOthersMilliseconds },
  );
}

/** Whether the database has exactly this program's schema: what /readyz asks. */
export async function isMigrated(database: Queryable, migrations: readonly Migration[]): Promise<boolean> {
  const applied = await readApplied(database);
  return (
    applied.length === migrations.length &&
    migrations.every(({ checksum }, index) => applied[index]?.checksum === checksum)
  );
}

const selectApplied: Statement = {
  name: 'select_migrations',
  text: 'select number, name, checksum from schema_migrations order by number',
};

interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

async function readApplied(database: Queryable): Promise<AppliedMigration[]> {
  const rows = await database.query(selectApplied);
  return rows.map((row) => ({
    number: Number(row['number']),
    name: String(row['name']),
    checksum: String(row['checksum']),
  }));
}

function checkPast(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  for (const { number, name, checksum } of applied) {
    const ours = migrations[number - 1];
    if (ours === undefined) {
      throw new SchemaMismatch(
        `The database is newer than this program: it has migration ${name}. Start the version that made it, or a later one.`,
      );
    }
    if (ours.checksum !== checksum) {
      throw new SchemaMismatch(`Migration ${ours.name} was changed after it ran on this database.`);
    }
  }
}
