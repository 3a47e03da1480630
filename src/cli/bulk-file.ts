// Parses the order file of `sellthrough bulk`, checked as a whole before anything is sent. Each order's idempotency key is
// derived from its line, so resending a file places nothing twice.
// Invariant: unknown fields are refused. The API would ignore them, including a misspelled max_charge.

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
/** Columns that a failures file has as well. Such a file can be corrected and sent again as it is. */
const failureFields = ['line', 'error', 'reason'];

/** `run`: a name. Under another name the same orders are placed again. @throws CommandFailed with the invalid line */
export function readOrders(text: string, format: FileFormat, run: string): FileOrder[] {
  const rows = format === 'csv' ? csvRows(text) : jsonRows(text);
  const seen = new Map<string, number>();
  return rows.map(({ line, values }) => {
    for (const name of Object.keys(values)) {
      if (!fields.includes(name) && !failureFields.includes(name))
        throw new CommandFailed(
          `Line ${line}: unknown field ${JSON.stringify(name)}. The fields are ${fields.join(', ')}.`,
        );
    }
    const order = Object.fromEntries(
      fields.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
    );
    if (order['idempotency_key'] === undefined) {
      const content = JSON.stringify([run, order]);
      // Equal lines are separate orders, so their keys are numbered.
      const repeats = (seen.get(content) ?? 0) + 1;
      seen.set(content, repeats);
      const hash = createHash('sha256').update(content).digest('base64url').slice(0, 32);
      order['idempotency_key'] = `file_${hash}_${repeats}`;
    }
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
    if (!isJsonObject(values)) throw new CommandFailed(`Line ${line} is not a JSON object.`);
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
      // Spreadsheets use semicolons in locales with decimal commas.
      delimiter: head.includes(';') && !head.includes(',') ? ';' : ',',
      skip_empty_lines: true,
      trim: true,
      info: true,
    }) as unknown as typeof lines;
  } catch (error) {
    throw new CommandFailed(error instanceof Error ? error.message : String(error));
  }
  return lines.map(({ record, info }) => {
    // Cells of a failures file have apostrophes that guard against formulas. In other files an apostrophe is data.
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

function fieldOf(name: string, cell: string): unknown {
  if (numbers.has(name) && /^\d{1,15}$/.test(cell)) return Number(cell);
  // A number of ten or more digits is a customer's id. A customer whose username is such a number must be named by id.
  if (name === 'renew_customer' && /^\d{10,16}$/.test(cell)) return Number(cell);
  if (name === 'return_login' && (cell === 'true' || cell === 'false')) return cell === 'true';
  return cell;
}
