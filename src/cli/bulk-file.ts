// The orders of a file for `sellthrough bulk`: CSV whose header names fields, or one JSON object on each line. The whole file
// is read and looked through before anything is sent. Each order has an idempotency key made of its line, so that the same
// file sent again places nothing twice.
// Always true: a field that the API does not know is refused here. There it would be ignored, and a misspelt max_charge with it.

import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import type { PlaceOrdersInBulkBody } from '../../sdk/src/index.ts';
import { withoutGuards } from '../shared/csv-text.ts';
import { isJsonObject } from '../shared/json.ts';
import { CommandFailed } from './command-end.ts';

export type SentOrder = PlaceOrdersInBulkBody['orders'][number];
export type FileFormat = 'csv' | 'jsonl';

export interface FileOrder {
  readonly line: number;
  readonly order: SentOrder;
}

const fields = [
  'package_id',
  'customer',
  'renew',
  'renew_customer',
  'months',
  'period',
  'customer_name',
  'max_charge',
  'return_login',
  'idempotency_key',
];
/** What the file of failures has beside them: it can be mended and sent again as it is. */
const failureFields = ['line', 'error', 'reason'];

/**
 * @param run part of every key that is made here: the same orders again, but other ones
 * @throws CommandFailed with the line that cannot be read
 */
export function readOrders(text: string, format: FileFormat, run: string): FileOrder[] {
  const rows = format === 'csv' ? csvRows(text) : jsonRows(text);
  const seen = new Map<string, number>();
  return rows.map(({ line, values }) => {
    for (const name of Object.keys(values)) {
      if (!fields.includes(name) && !failureFields.includes(name))
        throw new CommandFailed(
          `Line ${line}: there is no field ${JSON.stringify(name)}; there are ${fields.join(', ')}.`,
        );
    }
    const order = Object.fromEntries(
      fields.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
    );
    if (order['idempotency_key'] === undefined) {
      const content = JSON.stringify([run, order]);
      // Lines that are equal are orders of their own.
      const repeats = (seen.get(content) ?? 0) + 1;
      seen.set(content, repeats);
      const hash = createHash('sha256').update(content).digest('base64url').slice(0, 32);
      order['idempotency_key'] = `file_${hash}_${repeats}`;
    }
    // The service judges what a field holds, and says so of this order alone.
    return { line, order: order as unknown as SentOrder };
  });
}

interface Row {
  readonly line: number;
  readonly values: Readonly<Record<string, unknown>>;
}

function jsonRows(text: string): Row[] {
  return text.split(/\r?\n/).flatMap((content, index) => {
    if (content.trim() === '') return [];
    const line = index + 1;
    let values: unknown;
    try {
      values = JSON.parse(content);
    } catch {
      throw new CommandFailed(`Line ${line} is not JSON.`);
    }
    if (!isJsonObject(values)) throw new CommandFailed(`Line ${line} is no JSON object.`);
    return [{ line, values }];
  });
}

function csvRows(text: string): Row[] {
  const [head = ''] = text.split(/\r?\n/, 1);
  let lines: { record: Record<string, string>; info: { lines: number } }[];
  try {
    lines = parse(text, {
      bom: true,
      columns: (names: string[]) => names.map((name) => name.trim()),
      // As spreadsheets write it where the comma is in the numbers.
      delimiter: head.includes(';') && !head.includes(',') ? ';' : ',',
      skip_empty_lines: true,
      trim: true,
      info: true,
    }) as unknown as typeof lines;
  } catch (error) {
    throw new CommandFailed(error instanceof Error ? error.message : String(error));
  }
  return lines.map(({ record, info }) => {
    // A file of failures was written with guards against formulas; in other files an apostrophe was typed.
    const read = failureFields.every((name) => name in record) ? withoutGuards : (cell: string) => cell;
    return {
      line: info.lines,
      values: Object.fromEntries(
        Object.entries(record).flatMap(([name, cell]) =>
          cell === '' ? [] : [[name, fieldOf(name, read(cell))]],
        ),
      ),
    };
  });
}

const numbers = new Set(['package_id', 'renew', 'months']);

/** A cell is text: what the API takes as a number or a truth value becomes one, if it can. */
function fieldOf(name: string, cell: string): unknown {
  if (numbers.has(name) && /^\d{1,15}$/.test(cell)) return Number(cell);
  // Ids have ten digits or more. A username of so many digits alone is named by its id.
  if (name === 'renew_customer' && /^\d{10,16}$/.test(cell)) return Number(cell);
  if (name === 'return_login' && (cell === 'true' || cell === 'false')) return cell === 'true';
  return cell;
}
