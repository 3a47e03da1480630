// Loads a verified backup into an empty database: the backup's schema, then all rows in one transaction that verifies each
// table before COMMIT, then later migrations and a new incarnation.
// Invariant: a database with rows is not touched, a failed load leaves no rows, and no old session, link or code works.

import type { Database, Queryable, SqlStatement, Transaction } from '../../platform/database/database.ts';
import { quoteName } from '../../platform/database/quote-name.ts';
import {
  isOf,
  type Migration,
  migrate,
  type Notices,
  readMigrations,
} from '../../platform/database/schema/migrate.ts';
import {
  findContent,
  isDataProblem,
  listMigrations,
  listTables,
  type Table,
} from '../../platform/database/schema/table-catalog.ts';
import { SchemaMismatch } from '../../platform/database/schema-mismatch.ts';
import { findDivisionIfAny } from '../../platform/database/shards/find-shards.ts';
import { unfinishedRestore } from '../../platform/database/unfinished-restore.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import {
  type BackupContent,
  BackupDamaged,
  type BackupHead,
  createTableSum,
  readBackup,
} from './backup-format.ts';
import { beginIncarnation } from './begin-incarnation.ts';
import { prepareLongReading, readRows, wholeDatabaseMilliseconds } from './write-backup.ts';

export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

/** @throws SchemaMismatch if the backup is from a newer program or has another migration history */
export function migrationsOf(
  head: BackupHead,
  migrations: readonly Migration[] = readMigrations(),
): Migration[] {
  return head.migrations.map(({ name, checksum }, index) => {
    const ours = migrations[index];
    if (ours === undefined) {
      throw new SchemaMismatch(
        `The backup is newer than this program: it has migration ${name}. Restore it with the version that made it, or a later one.`,
      );
    }
    if (!isOf(ours, checksum)) {
      throw new SchemaMismatch(`Migration ${ours.name} is not the one that the backup was made with.`);
    }
    return ours;
  });
}

/** Credentials other than keys and passwords. If they ended or were used after the backup, they must not work again. */
export const passTables = [
  'sessions',
  'account_views',
  'customer_sessions',
  'login_links',
  'login_codes',
  'password_links',
  'recovery_codes',
] as const;

export interface RestoreOptions {
  readonly notices?: Notices;
  /** null: the keys keep working. */
  readonly revokeKeysAt: EpochSeconds | null;
}

export interface Restored {
  readonly content: BackupContent;
  readonly migrated: readonly string[];
  readonly incarnation: string;
  readonly dropped: Readonly<Record<string, number>>;
}

/** Leaves out the credentials above. @throws RestoreRefused, BackupDamaged, SchemaMismatch */
export async function restoreBackup(
  database: Database,
  path: string,
  { head }: BackupContent,
  { notices, revokeKeysAt }: RestoreOptions,
): Promise<Restored> {
  const past = migrationsOf(head);
  const options = notices === undefined ? {} : { notices };
  await refuseForeign(database, past);
  await refuseDivided(database);
  await migrate(database, { migrations: past, ...options });
  const content = await database.transaction(
    async (transaction) => {
      const loaded = await load(transaction, path, head);
      await dropPasses(transaction);
      await giveMailsUp(transaction);
      if (revokeKeysAt !== null) await transaction.query(revokeEveryKey, [revokeKeysAt]);
      await run(transaction, `create table ${unfinishedRestore} ()`);
      return loaded;
    },
    { timeoutMilliseconds: wholeDatabaseMilliseconds },
  );
  const rows = new Map(content.sums.map((sum) => [sum.table, sum.rows]));
  const dropped = Object.fromEntries(passTables.map((table) => [table, rows.get(table) ?? 0]));
  const migrated = await migrate(database, options);
  const incarnation = await database.transaction(
    async (transaction) => {
      await run(transaction, `drop table ${unfinishedRestore}`);
      return beginIncarnation(transaction);
    },
    { timeoutMilliseconds: wholeDatabaseMilliseconds },
  );
  return { content, migrated, incarnation, dropped };
}

/** Rows are loaded into an undivided database. Shards are made afterwards. */
async function refuseDivided(database: Database): Promise<void> {
  const division = await findDivisionIfAny(database);
  if (division === null) return;
  throw new RestoreRefused(
    `The database is empty but already divided into ${division.groups.length} account groups. Set DATABASE_URL to a new database, and ACCOUNT_GROUPS to the number of groups it should have.`,
  );
}

/** Migrations fill these tables, so they are not empty in a new database. The backup's rows replace theirs. */
const filledByMigrations: ReadonlySet<string> = new Set(['limit_definitions']);

async function findForeignContent(database: Queryable, tables: readonly Table[]): Promise<string | null> {
  return findContent(
    database,
    tables.filter(({ name }) => !filledByMigrations.has(name)),
  );
}

async function refuseForeign(database: Database, past: readonly Migration[]): Promise<void> {
  const applied = await listMigrations(database);
  const tables = await listTables(database);
  const content = await findForeignContent(database, tables);
  if (content !== null) {
    throw new RestoreRefused(
      `The database already has data (table ${content}), and a backup is only restored into an empty one. Set DATA_DIR to a new folder, or DATABASE_URL to a new database.`,
    );
  }
  if (applied.length === 0 && tables.length > 0) {
    throw new RestoreRefused(
      `The database has tables that are not Sellthrough's (${tables[0]?.name}). Set DATABASE_URL to a new database.`,
    );
  }
  if (applied.length > past.length) {
    throw new RestoreRefused(
      'The database is empty, but its schema is newer than the backup. Set DATA_DIR to a new folder, or DATABASE_URL to a new database.',
    );
  }
}

async function load(transaction: Transaction, path: string, head: BackupHead): Promise<BackupContent> {
  await prepareLongReading(transaction);
  const tables = await listTables(transaction);
  checkShape(tables, head);
  // Lock all tables: a service that starts now waits, and then finds that the database is not its own.
  for (const { name } of tables) {
    await run(transaction, `lock table ${quoteName(name)} in share row exclusive mode`);
  }
  const content = await findForeignContent(transaction, tables);
  if (content !== null)
    throw new RestoreRefused(
      `Something else wrote to the database in the meantime (table ${content}). Restore into a new one.`,
    );
  for (const { name } of tables) {
    if (filledByMigrations.has(name)) await run(transaction, `delete from ${quoteName(name)}`);
  }

  const byName = new Map(tables.map((table) => [table.name, table]));
  const tableOf = (name: string): Table => {
    const found = byName.get(name);
    if (found === undefined)
      throw new BackupDamaged(`its table ${name} does not exist in this version's schema`);
    return found;
  };
  const loaded = await readBackup(path, {
    onRows: (name, lines) => insertRows(transaction, tableOf(name), lines),
    async onTable({ table, sha256 }) {
      const sum = createTableSum(table);
      for await (const lines of readRows(transaction, tableOf(table))) sum.add(lines);
      if (sum.sum().sha256 !== sha256) {
        throw new BackupDamaged(`the restored rows of ${table} differ from those in the file`);
      }
    },
  });
  for (const { table, column, last } of head.sequences) {
    if (last === null) continue;
    await transaction.query(
      { name: '', text: 'select setval(pg_get_serial_sequence(quote_ident($1), $2)::regclass, $3::bigint)' },
      [table, column, last],
    );
  }
  return loaded;
}

const revokeEveryKey: SqlStatement = {
  name: '',
  text: 'update api_keys set revoked_at = to_timestamp($1::bigint) where revoked_at is null',
};

async function dropPasses(transaction: Transaction): Promise<void> {
  // Old backups lack some of these tables.
  const present = new Set((await listTables(transaction)).map(({ name }) => name));
  for (const table of passTables) if (present.has(table)) await run(transaction, `delete from ${table}`);
}

/** Mail that is still queued may have been sent since the backup. */
async function giveMailsUp(transaction: Transaction): Promise<void> {
  const present = await listTables(transaction);
  if (!present.some(({ name }) => name === 'mails')) return;
  await run(
    transaction,
    `update mails set gave_up_at = created_at, sealed_body = null, last_error = 'unknown outcome: restored from a backup'
      where sent_at is null and gave_up_at is null`,
  );
}

/** Names from the file are only compared and never used in SQL. */
function checkShape(tables: readonly Table[], { tables: expected }: BackupHead): void {
  const shape = (list: readonly { name: string; columns: readonly string[] }[]) =>
    JSON.stringify(list.map(({ name, columns }) => [name, ...columns]).sort());
  const ours = tables.map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) }));
  if (shape(ours) !== shape(expected)) {
    throw new BackupDamaged('its tables do not match the schema version it names');
  }
}

async function insertRows(
  transaction: Transaction,
  { name, columns }: Table,
  lines: readonly string[],
): Promise<void> {
  const names = columns.map((column) => quoteName(column.name)).join(', ');
  const values = columns.map(({ type }, index) => `(r.v->>${index})::${type}`).join(', ');
  const text = `insert into ${quoteName(name)} (${names}) overriding system value
    select ${values} from unnest($1::text[]) with ordinality as l (line, place)
      cross join lateral (select l.line::jsonb as v offset 0) r order by l.place`;
  try {
    await transaction.query({ name: '', text }, [lines]);
  } catch (error) {
    if (!isDataProblem(error)) throw error;
    throw new BackupDamaged(`a row of ${name} does not fit its table (${error.message})`, { cause: error });
  }
}

function run(transaction: Transaction, text: string) {
  return transaction.query({ name: '', text });
}
