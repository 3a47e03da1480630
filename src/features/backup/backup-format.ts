// The backup file: gzipped JSON lines, the same for both databases.
// |   {"sellthrough_backup": 1, "made_at": …, "migrations": […], "tables": […], …}      the head
// {"table": "accounts"}                                                             for each table
// ["1", "admin", null, …]                                                           its rows, in key order
// {"table": "accounts", "rows": 2, "sha256": "…"}                                   over the rows' lines
// {"end": true, "rows": 731, "sha256": "…"}                                         over every line before it
// | Values are PostgreSQL's own text (session in UTC, ISO dates) or null, so they survive byte for byte.
// Invariant: a truncated, recombined or altered file is refused.

import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { isJsonObject, type JsonObject } from '../../shared/json.ts';

export const formatVersion = 1;

export interface BackupHead {
  readonly sellthrough_backup: typeof formatVersion;
  readonly made_at: string;
  readonly program_version: string;
  readonly database: 'embedded' | 'postgres';
  readonly server_version: string;
  readonly currency: string;
  /** Sealed under SECRET_KEY, so it identifies the key without revealing it. */
  readonly secret_key_check: string;
  readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  readonly sequences: readonly {
    readonly table: string;
    readonly column: string;
    readonly last: string | null;
  }[];
}

export interface TableSum {
  readonly table: string;
  readonly rows: number;
  readonly sha256: string;
}

export interface BackupContent {
  readonly head: BackupHead;
  readonly sums: readonly TableSum[];
  readonly rows: number;
}

export class BackupDamaged extends Error {
  override readonly name = 'BackupDamaged';
}

export function createTableSum(table: string): { add(lines: readonly string[]): void; sum(): TableSum } {
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add(lines) {
      rows += lines.length;
      addLines(hash, lines);
    },
    sum: () => ({ table, rows, sha256: hash.digest('hex') }),
  };
}

export interface BackupReader {
  onHead?(head: BackupHead): void | Promise<void>;
  onRows?(table: string, lines: readonly string[]): Promise<void>;
  onTable?(sum: TableSum): Promise<void>;
}

const lineBytesMax = 16 * 1024 * 1024;
const pieceRowsMax = 500;
const pieceBytesMax = 1024 * 1024;

/** Reads the file and verifies every checksum, with constant memory. @throws BackupDamaged */
export async function readBackup(path: string, reader: BackupReader = {}): Promise<BackupContent> {
  const whole = createHash('sha256');
  const sums: TableSum[] = [];
  let head: BackupHead | null = null;
  let table: { name: string; sum: ReturnType<typeof createTableSum> } | null = null;
  let piece: string[] = [];
  let pieceBytes = 0;
  let ended: JsonObject | null = null;

  const flush = async () => {
    if (table !== null && piece.length > 0) {
      addLines(whole, piece);
      table.sum.add(piece);
      await reader.onRows?.(table.name, piece);
    }
    piece = [];
    pieceBytes = 0;
  };

  for await (const line of linesOf(path)) {
    if (ended !== null) throw new BackupDamaged('it has data after its end');
    if (head === null) {
      head = parseHead(line);
      addLines(whole, [line]);
      await reader.onHead?.(head);
      continue;
    }
    if (line.startsWith('[')) {
      if (table === null) throw new BackupDamaged('it has a row outside a table');
      piece.push(line);
      pieceBytes += line.length;
      if (piece.length >= pieceRowsMax || pieceBytes >= pieceBytesMax) await flush();
      continue;
    }
    const mark = parseObject(line);
    if (mark['end'] === true) {
      ended = mark;
      continue;
    }
    await flush();
    addLines(whole, [line]);
    if (table === null) {
      const expected = head.tables[sums.length]?.name;
      if (typeof mark['table'] !== 'string' || mark['table'] !== expected || 'rows' in mark) {
        throw new BackupDamaged('its tables do not match its header');
      }
      table = { name: expected, sum: createTableSum(expected) };
      continue;
    }
    const sum = table.sum.sum();
    if (mark['table'] !== sum.table || mark['rows'] !== sum.rows || mark['sha256'] !== sum.sha256) {
      throw new BackupDamaged(`the rows of ${table.name} do not match their checksum`);
    }
    sums.push(sum);
    table = null;
    await reader.onTable?.(sum);
  }
  if (head === null || ended === null || table !== null || sums.length !== head.tables.length) {
    throw new BackupDamaged('it is incomplete');
  }
  const rows = sums.reduce((total, sum) => total + sum.rows, 0);
  if (ended['rows'] !== rows || ended['sha256'] !== whole.digest('hex')) {
    throw new BackupDamaged('its checksum is wrong');
  }
  return { head, sums, rows };
}

/** Hashes many lines at once, because a call per line costs more than the hash. */
export function addLines(hash: Hash, lines: readonly string[]): void {
  if (lines.length > 0) hash.update(textOf(lines));
}

export function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

/** Splits only at line feeds, because row texts may contain other line separators. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const source = createReadStream(path);
  const lines = createGunzip();
  source.on('error', (error) => lines.destroy(error));
  source.pipe(lines);
  let rest: Buffer[] = [];
  let restBytes = 0;
  try {
    for await (const chunk of lines) {
      const bytes: Buffer = chunk;
      let from = 0;
      for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
        rest.push(bytes.subarray(from, at));
        yield Buffer.concat(rest).toString('utf8');
        rest = [];
        restBytes = 0;
        from = at + 1;
      }
      rest.push(bytes.subarray(from));
      restBytes += bytes.length - from;
      if (restBytes > lineBytesMax) throw new BackupDamaged('it has a line that is too long');
    }
  } catch (error) {
    throw error instanceof BackupDamaged ? error : unreadable(error);
  } finally {
    source.destroy();
  }
  if (restBytes > 0) throw new BackupDamaged('it is incomplete');
}

function unreadable(error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'Z_BUF_ERROR') return new BackupDamaged('it is incomplete', { cause: error });
  if (code.startsWith('Z_')) return new BackupDamaged('it is damaged or not a backup', { cause: error });
  return error instanceof Error ? error : new Error(String(error));
}

function parseHead(line: string): BackupHead {
  const head = parseObject(line);
  const version = head['sellthrough_backup'];
  if (typeof version !== 'number') throw new BackupDamaged('it is not a backup made by "sellthrough backup"');
  if (version !== formatVersion)
    throw new BackupDamaged(`its format ${version} is not known to this version`);
  const isWhole =
    ['made_at', 'program_version', 'server_version', 'currency', 'secret_key_check'].every(
      (name) => typeof head[name] === 'string',
    ) &&
    (head['database'] === 'embedded' || head['database'] === 'postgres') &&
    isListOf(
      head['migrations'],
      (one) => typeof one['name'] === 'string' && typeof one['checksum'] === 'string',
    ) &&
    isListOf(head['tables'], (one) => typeof one['name'] === 'string' && Array.isArray(one['columns'])) &&
    isListOf(
      head['sequences'],
      (one) => typeof one['table'] === 'string' && typeof one['column'] === 'string',
    );
  if (!isWhole) throw new BackupDamaged('its header is incomplete');
  return head as unknown as BackupHead;
}

function isListOf(value: unknown, fits: (one: JsonObject) => boolean): boolean {
  return Array.isArray(value) && value.every((one) => isJsonObject(one) && fits(one));
}

function parseObject(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    if (isJsonObject(value)) return value;
  } catch {
    // Fall through to the same refusal as for other invalid values.
  }
  throw new BackupDamaged('it is not a backup made by "sellthrough backup"');
}
