// Writes one consistent snapshot of a database into one file (backup-format.ts), a piece at a time: memory stays
// flat, however large the database is. Orders go on meanwhile: on PostgreSQL, a snapshot holds nobody up.
// Always true: the file has its name only once it is whole, on disk, and read back.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, createWriteStream, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type EpochSeconds, formatTime } from '../contract/times.ts';
import { programVersion } from '../contract/version.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import {
  listMigrations,
  listSequences,
  listTables,
  quoteName,
  type Table,
} from '../database/table-catalog.ts';
import {
  addLines,
  type BackupContent,
  type BackupHead,
  createTableSum,
  formatVersion,
  readBackup,
  type TableSum,
  textOf,
} from './backup-format.ts';

/** A file of this name is there already. */
export class BackupExists extends Error {
  override readonly name = 'BackupExists';
}

/** What one snapshot may take: a day. */
export const wholeDatabaseMilliseconds = 86_400_000;
const rowsPerFetch = 500;

/** @throws BackupExists */
export async function writeBackup(
  database: Database,
  path: string,
  now: EpochSeconds,
): Promise<BackupContent> {
  if (existsSync(path)) throw new BackupExists(`${path} exists already: a backup never replaces a file.`);
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { force: true });
  try {
    await database.transaction((transaction) => writeSnapshot(transaction, database.kind, unfinished, now), {
      timeoutMilliseconds: wholeDatabaseMilliseconds,
      isSnapshot: true,
    });
    syncToDisk(unfinished);
    const content = await readBackup(unfinished);
    renameSync(unfinished, path);
    syncToDisk(dirname(path));
    return content;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

async function writeSnapshot(
  transaction: Transaction,
  kind: Database['kind'],
  path: string,
  now: EpochSeconds,
): Promise<void> {
  await prepareLongReading(transaction);
  const tables = await listTables(transaction);
  const [state = {}] = await run(
    transaction,
    `select currency, secret_key_check, current_setting('server_version') as version from service_state`,
  );
  const head: BackupHead = {
    sellthrough_backup: formatVersion,
    made_at: formatTime(now),
    program_version: programVersion,
    database: kind,
    server_version: String(state['version']),
    currency: String(state['currency']),
    secret_key_check: String(state['secret_key_check']),
    migrations: await listMigrations(transaction),
    tables: tables.map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) })),
    sequences: await listSequences(transaction),
  };

  const lines = createGzip();
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  // Whichever of the two fails, what is written to the other must not wait for it.
  file.on('error', (error) => lines.destroy(error));
  const written = finished(lines.pipe(file));
  written.catch(() => undefined);
  const whole = createHash('sha256');
  const write = async (some: readonly string[]) => {
    if (lines.destroyed) await written;
    if (!lines.write(textOf(some))) await Promise.race([once(lines, 'drain'), written]);
  };
  const writeSummed = (some: readonly string[]) => {
    addLines(whole, some);
    return write(some);
  };

  let rows = 0;
  try {
    await writeSummed([JSON.stringify(head)]);
    for (const table of tables) {
      await writeSummed([JSON.stringify({ table: table.name })]);
      const sum = await readRows(transaction, table, writeSummed);
      rows += sum.rows;
      await writeSummed([JSON.stringify(sum)]);
    }
    await write([JSON.stringify({ end: true, rows, sha256: whole.digest('hex') })]);
    lines.end();
    await written;
  } catch (error) {
    file.destroy();
    throw error;
  }
}

/** Long reads are right here; and values look the same on every server. */
export async function prepareLongReading(transaction: Transaction): Promise<void> {
  const settings = [
    'statement_timeout = 0',
    'idle_in_transaction_session_timeout = 0',
    'enable_seqscan = on',
    'enable_hashjoin = on',
    'enable_bitmapscan = on',
    'plan_cache_mode = auto',
    "datestyle = 'ISO, YMD'",
    "timezone = 'UTC'",
  ];
  for (const setting of settings) await run(transaction, `set local ${setting}`);
}

/** Hands out every row of a table as its line, in the order of the primary key, some at a time. */
export async function readRows(
  transaction: Transaction,
  { name, columns, orderBy }: Table,
  onLines: (lines: readonly string[]) => Promise<void> | void,
): Promise<TableSum> {
  const sum = createTableSum(name);
  const values = columns.map((column) => `${quoteName(column.name)}::text`).join(', ');
  await run(
    transaction,
    `declare backup_rows no scroll cursor for select json_build_array(${values})::text as line from ${quoteName(name)}
      ${orderBy === '' ? '' : `order by ${orderBy}`}`,
  );
  for (;;) {
    const rows = await run(transaction, `fetch ${rowsPerFetch} from backup_rows`);
    const lines = rows.map((row) => String(row['line']));
    sum.add(lines);
    if (lines.length > 0) await onLines(lines);
    if (rows.length < rowsPerFetch) break;
  }
  await run(transaction, 'close backup_rows');
  return sum.sum();
}

function run(queryable: Queryable, text: string) {
  return queryable.query({ name: '', text });
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
