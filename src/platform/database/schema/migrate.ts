// Brings a database to this program's schema. Each numbered file runs once, and its checksum is recorded.
// Invariant: the start fails if the database is newer than the program or if a recorded migration was edited. Each migration
// is one transaction, so an interrupted start can resume (docs/decisions/0014-long-migrations.md).

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import {
  type Database,
  type Queryable,
  type SqlStatement,
  StatementFailed,
  type Transaction,
} from '../database.ts';
import { lockSchema, schemaLockKey } from '../schema-lock.ts';
import { SchemaMismatch } from '../schema-mismatch.ts';
import { findDivisionIfAny } from '../shards/find-shards.ts';
import { putViewsUp, takeViewsDown } from '../shards/shard-views.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

const migrationsFolder = new URL('./migrations/', import.meta.url);

/** @returns the migrations in order @throws SchemaMismatch if a number is missing or used twice */
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

/** `holder`: the process that is changing the schema while this one waits. */
export type MigrationProgress =
  | { readonly seconds: number; readonly holder: string }
  | { readonly seconds: number; readonly migration: string };

export interface Notices {
  readonly say: (sentence: string, progress: MigrationProgress) => void;
  readonly everyMilliseconds: number;
}

/** @returns the names of those that this process ran @throws SchemaMismatch */
export async function migrate(
  database: Database,
  { migrations = readMigrations(), notices }: { migrations?: readonly Migration[]; notices?: Notices } = {},
): Promise<string[]> {
  const ran: string[] = [];
  for (;;) {
    const migration = await database.transaction(
      (transaction) => runNext(database, transaction, migrations, notices),
      { timeoutMilliseconds: null },
    );
    if (migration === null) return ran;
    ran.push(migration.name);
  }
}

export const insufficientPrivilege = '42501';

/** Expected where the service's role does not own the tables, so that it cannot remove what protects the ledger. */
const notTheOwner =
  'The database does not have the schema of this version, and the role of DATABASE_URL may not change it: run "sellthrough migrate" as the role that owns the tables (docs/postgresql.md).';

/** Turns lookupPlanner (pg-session.ts) off, because migrations may read whole tables. */
const wholeTables = ['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan']
  .map((way) => `set local enable_${way} = on`)
  .join('; ');

async function runNext(
  database: Database,
  transaction: Transaction,
  migrations: readonly Migration[],
  notices: Notices | undefined,
): Promise<Migration | null> {
  await withNotices(
    lockSchema(transaction),
    async (seconds) => {
      const holder = await nameHolder(database);
      return [
        `Waiting for ${holder} to finish changing the schema (${timeText(seconds)}).`,
        { seconds, holder },
      ];
    },
    notices,
  );
  const [table] = await transaction.query({
    name: '',
    text: "select to_regclass('schema_migrations') is not null as has",
  });
  if (table?.['has'] !== true) {
    // Looked up first, because "create table if not exists" needs CREATE, which the service's role may not have.
    const create = `create table schema_migrations (
      number int primary key, name text not null, checksum text not null, applied_at timestamptz not null
    )`;
    await transaction.query({ name: '', text: create }).catch(throwAsMessage);
  }
  const applied = await readApplied(transaction);
  checkPast(applied, migrations);
  const next = migrations[applied.length];
  if (next === undefined) return null;
  const { number, name, sql, checksum } = next;
  await transaction.query({ name: '', text: wholeTables });
  const running = runSql(transaction, sql).catch((error) => {
    if (error instanceof StatementFailed) error.message = `Migration ${name}: ${error.message}`;
    throwAsMessage(error);
  });
  await withNotices(
    running,
    async (seconds) => [
      `Migration ${name} (${number} of ${migrations.length}) has been running for ${timeText(seconds)}.`,
      { seconds, migration: name },
    ],
    notices,
  );
  await transaction.query({ name: '', text: 'insert into schema_migrations values ($1, $2, $3, now())' }, [
    number,
    name,
    checksum,
  ]);
  return next;
}

/** Comments in a migration: the SQL below such a line runs once per shard, or once in total. */
const sectionMark = /^-- (in each account group|once)$/m;

/** On a divided database, runs the sections about account tables once in each shard's schema. */
async function runSql(transaction: Queryable, sql: string): Promise<void> {
  const division = await findDivisionIfAny(transaction);
  // Without parameters, the whole file is sent as one simple query.
  if (division === null) return run(transaction, sql);
  const [first = '', ...rest] = sql.split(sectionMark);
  await run(transaction, first);
  for (let place = 0; place + 1 < rest.length; place += 2) {
    const [mark, text = ''] = rest.slice(place, place + 2);
    if (mark === 'once') await run(transaction, text);
    else {
      const views = await takeViewsDown(transaction, division.shared);
      const [path] = await transaction.query({
        name: '',
        text: "select current_setting('search_path') as path",
      });
      for (const group of division.groups) {
        await run(transaction, `set local search_path = ${group}, ${division.shared}`);
        await run(transaction, text);
      }
      await run(transaction, `set local search_path = ${path?.['path']}`);
      await putViewsUp(transaction, division, views);
    }
  }
}

async function run(transaction: Queryable, text: string): Promise<void> {
  await transaction.query({ name: '', text });
}

function throwAsMessage(error: unknown): never {
  const isForbidden = error instanceof StatementFailed && error.code === insufficientPrivilege;
  throw isForbidden ? new SchemaMismatch(notTheOwner, { cause: error }) : error;
}

async function withNotices<Result>(
  work: Promise<Result>,
  report: (seconds: number) => Promise<Parameters<Notices['say']>>,
  notices: Notices | undefined,
): Promise<Result> {
  if (notices === undefined) return work;
  const began = performance.now();
  let isOver = false;
  const timer = setInterval(async () => {
    const said = await report(Math.round((performance.now() - began) / 1000));
    if (!isOver) notices.say(...said);
  }, notices.everyMilliseconds);
  try {
    return await work;
  } finally {
    isOver = true;
    clearInterval(timer);
  }
}

function timeText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (seconds < 120) return `${seconds} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const findHolder: SqlStatement = {
  name: '',
  text: `select a.pid, host(a.client_addr) as host from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = ${schemaLockKey} and l.objsubid = 1
      and l.database = (select oid from pg_database where datname = current_database())`,
};

async function nameHolder(database: Database): Promise<string> {
  const [row] = await database.query(findHolder, [], 'lookups').catch(() => []);
  if (row === undefined) return 'another process';
  const host = row['host'] === null ? '' : ` of ${String(row['host'])}`;
  return `another process (PostgreSQL process ${String(row['pid'])}${host})`;
}

export async function isMigrated(database: Queryable, migrations: readonly Migration[]): Promise<boolean> {
  const applied = await readApplied(database);
  return (
    applied.length === migrations.length &&
    migrations.every((migration, index) => isOf(migration, applied[index]?.checksum))
  );
}

/** @throws SchemaMismatch when the database is newer than this program, or a migration it recorded was edited */
export async function checkMigrations(
  database: Queryable,
  migrations: readonly Migration[] = readMigrations(),
): Promise<void> {
  checkPast(await readApplied(database), migrations);
}

/** Checksums of migrations that were rewritten before a release. The old text made the same schema and stays accepted. */
const replacedChecksums: Readonly<Record<string, string>> = {
  '0004-plan-changes.sql': '782bfe995e4e1af3728fc5e8aecbc28c5efaee8931739214ec285b2dd033beeb',
};

export function isOf({ name, checksum }: Migration, applied: string | undefined): boolean {
  return applied === checksum || (applied !== undefined && applied === replacedChecksums[name]);
}

const selectApplied: SqlStatement = {
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
    if (!isOf(ours, checksum)) {
      throw new SchemaMismatch(`Migration ${ours.name} was changed after it ran on this database.`);
    }
  }
}
