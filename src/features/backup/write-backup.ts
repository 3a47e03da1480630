// Writes a consistent snapshot to a file (backup-format.ts) with constant memory, while orders continue.
// Invariant: the file gets its name only when it is complete, fsynced and read back.

import { createHash } from 'node:crypto';
import {
  closeSync,
  createWriteStream,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { quoteName } from '../../platform/database/quote-name.ts';
import {
  listMigrations,
  listSequences,
  listTables,
  type Table,
} from '../../platform/database/schema/table-catalog.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { programVersion } from '../../shared/version.ts';
import {
  addLines,
  type BackupContent,
  type BackupHead,
  createTableSum,
  formatVersion,
  readBackup,
  textOf,
} from './backup-format.ts';

export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}

export interface BackupFile {
  readonly path: string;
  readonly unfinished: string;
  readonly copyFolder: string;
  discard(): void;
}

const unfinishedEnding = '.unfinished';
const copyEnding = '.unfinished-copy';

/** Files left by backups that were killed, or still in use by a running one. */
export function findUnfinished(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(unfinishedEnding) || name.endsWith(copyEnding))
    .sort()
    .map((name) => join(folder, name));
}

/** Call first, so that a path that cannot be written is reported at once. @throws BackupRefused */
export function createBackupFile(path: string): BackupFile {
  if (existsSync(path))
    throw new BackupRefused(`${path} already exists. A backup never replaces a file: choose another name.`);
  const unfinished = `${path}${unfinishedEnding}`;
  const copyFolder = `${path}${copyEnding}`;
  const discard = () => {
    // Retry, because a file may still be open for writing.
    for (const left of [unfinished, copyFolder])
      rmSync(left, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  };
  try {
    discard();
    closeSync(openSync(unfinished, 'wx', 0o600));
  } catch (error) {
    throw notWritten(path, error);
  }
  return { path, unfinished, copyFolder, discard };
}

function notWritten(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  return new BackupRefused(`${path} cannot be written: ${error.message}.`, { cause: error });
}

export const wholeDatabaseMilliseconds = 86_400_000;
const rowsPerFetch = 500;

export async function writeBackup(
  database: Database,
  { path, unfinished }: BackupFile,
  now: EpochSeconds,
): Promise<BackupContent> {
  await database.transaction((transaction) => writeSnapshot(transaction, database.kind, unfinished, now), {
    timeoutMilliseconds: wholeDatabaseMilliseconds,
    isSnapshot: true,
  });
  const content = await readBackup(unfinished);
  renameSync(unfinished, path);
  syncToDisk(dirname(path));
  return content;
}

async function writeSnapshot(
  transaction: Transaction,
  kind: Database['kind'],
  path: string,
  now: EpochSeconds,
): Promise<void> {
  await prepareLongReading(transaction);
  const tables = await listTables(transaction);
  const [state] = await run(
    transaction,
    `select currency, secret_key_check, current_setting('server_version') as version from service_state`,
  );
  if (state === undefined) {
    throw new BackupRefused('No service was ever started on this database: there is nothing to back up.');
  }
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
  const lines = Readable.from(everyLine(transaction, head, tables));
  try {
    await pipeline(lines, createGzip(), createWriteStream(path, { flags: 'r+', flush: true }));
  } catch (error) {
    throw notWritten(path, error);
  }
}

async function* everyLine(
  transaction: Transaction,
  head: BackupHead,
  tables: readonly Table[],
): AsyncGenerator<string> {
  const whole = createHash('sha256');
  const summed = (lines: readonly string[]) => {
    addLines(whole, lines);
    return textOf(lines);
  };
  let rows = 0;
  yield summed([JSON.stringify(head)]);
  for (const table of tables) {
    yield summed([JSON.stringify({ table: table.name })]);
    const sum = createTableSum(table.name);
    for await (const lines of readRows(transaction, table)) {
      sum.add(lines);
      yield summed(lines);
    }
    const written = sum.sum();
    rows += written.rows;
    yield summed([JSON.stringify(written)]);
  }
  yield textOf([JSON.stringify({ end: true, rows, sha256: whole.digest('hex') })]);
}

/** Allows long reads, and makes values look the same on every server. */
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

export async function* readRows(
  transaction: Transaction,
  { name, columns, orderBy }: Table,
): AsyncGenerator<readonly string[]> {
  const values = columns.map((column) => `${quoteName(column.name)}::text`).join(', ');
  await run(
    transaction,
    `declare backup_rows no scroll cursor for select json_build_array(${values})::text as line from ${quoteName(name)}
      ${orderBy === '' ? '' : `order by ${orderBy}`}`,
  );
  for (;;) {
    const rows = await run(transaction, `fetch ${rowsPerFetch} from backup_rows`);
    if (rows.length > 0) yield rows.map((row) => String(row['line']));
    if (rows.length < rowsPerFetch) break;
  }
  await run(transaction, 'close backup_rows');
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
