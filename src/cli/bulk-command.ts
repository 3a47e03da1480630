// sellthrough bulk: places a file's orders, 500 at a time, as fast as the rate limit admits. Safe to interrupt and repeat:
// idempotency keys are derived from the file's lines, so nothing is charged twice.

import { readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { isSellthroughError, type PlaceOrdersInBulkAnswer, type Sellthrough } from '../../sdk/src/index.ts';
import { type CsvCell, csvLines } from '../shared/csv-text.ts';
import { type FileFormat, type FileOrder, readOrders } from './bulk-file.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { commandIo, fromCommandFolder } from './command-io.ts';
import { readEndingPlans } from './ending-plans.ts';
import { wholeFrom } from './listing.ts';
import { createProgressLine, type ProgressLine } from './progress-line.ts';
import { textTable } from './text-table.ts';
import { withService } from './with-service.ts';

type Result = PlaceOrdersInBulkAnswer['results'][number];
type Refused = Extract<Result, { error: unknown }>;

interface Failure extends FileOrder {
  readonly result: Refused;
}

interface Options {
  readonly format?: FileFormat;
  readonly run: string;
  readonly failures?: string;
  readonly renewEnding?: number;
  readonly json: boolean;
}

const ordersMax = 500;
/** The API accepts bodies of 524,288 bytes. The JSON around the orders is small. */
const orderBytesMax = 500_000;
const attemptsMax = 4;
const shownFailuresMax = 20;
/** How long to wait for a service that answered before, such as during a restart or an upgrade. */
const awaySecondsMax = 120;
const awayPauseSeconds = 2;

export function bulkCommand(): Command {
  return new Command('bulk')
    .description('place the orders and renewals of a file; safe to repeat: no order is charged twice')
    .argument('[file]', 'CSV with a header of order fields, or one JSON object on each line')
    .option(
      '--renew-ending <days>',
      'instead of a file: renew active plans that end within this many days',
      wholeFrom(1),
    )
    .addOption(
      new Option(
        '--format <format>',
        'needed if the file name does not end in .csv, .jsonl or .ndjson',
      ).choices(['csv', 'jsonl']),
    )
    .option('--run <name>', 'a name for this run; under another name the same orders are placed again', '')
    .option(
      '--failures <file>',
      'where to write what was refused (default: beside the file, if there is one)',
    )
    .option('--json', 'print the result as JSON', false)
    .action((file: string | undefined, options: Options) =>
      withService(async (service) => {
        const { format, orders } = await ordersOf(service, file, options);
        const progress = createProgressLine(orders.length);
        const outcome: Outcome = { placed: 0, replayed: 0, balance: null, failures: [] };
        try {
          await sendAll(service, orders, outcome, progress);
        } catch (error) {
          const stand = outcome.placed + outcome.replayed;
          progress.say(
            `${stand} of ${orders.length} orders are known to be placed. Repeat the command: no order is charged twice.`,
          );
          throw error;
        } finally {
          progress.end();
        }
        report(file, format, options, orders.length, outcome);
      }),
    );
}

async function ordersOf(
  service: Sellthrough,
  file: string | undefined,
  { format: wantedFormat, run, renewEnding }: Options,
): Promise<{ readonly format: FileFormat; readonly orders: readonly FileOrder[] }> {
  if ((file === undefined) === (renewEnding === undefined)) {
    throw new CommandFailed('Name a file or use --renew-ending <days>, but not both.', exitCodes.usage);
  }
  if (file === undefined) {
    return { format: wantedFormat ?? 'csv', orders: await readEndingPlans(service, renewEnding ?? 0) };
  }
  const format = wantedFormat ?? formatOf(file);
  const orders = readOrders(readText(file), format, run);
  if (orders.length === 0) throw new CommandFailed(`There are no orders in ${file}.`);
  return { format, orders };
}

interface Outcome {
  placed: number;
  replayed: number;
  balance: string | null;
  failures: Failure[];
}

async function sendAll(
  service: Sellthrough,
  orders: readonly FileOrder[],
  outcome: Outcome,
  progress: ProgressLine,
): Promise<void> {
  let waiting = [...orders];
  for (let attempt = 1; waiting.length > 0; attempt += 1) {
    const later: Failure[] = [];
    let size = ordersMax;
    for (let from = 0; from < waiting.length; ) {
      const bulk = firstOf(waiting, from, size);
      const sent = await sendOne(service, bulk, outcome.balance !== null, (why) => show(why));
      if (typeof sent === 'number') {
        size = sent;
        continue;
      }
      outcome.balance = sent.balance;
      for (const [index, item] of bulk.entries()) {
        const result = sent.results[index];
        if (result === undefined)
          throw new CommandFailed(
            'The service returned fewer results than orders. Send the file again; nothing is charged twice.',
          );
        if (!('error' in result)) outcome[result.replayed ? 'replayed' : 'placed'] += 1;
        else (result.status >= 500 ? later : outcome.failures).push({ ...item, result });
      }
      from += bulk.length;
      show('', later.length);
    }
    if (later.length > 0 && attempt < attemptsMax) await pause(1_000 * 2 ** attempt);
    else outcome.failures.push(...later);
    waiting = attempt < attemptsMax ? later : [];
  }
  outcome.failures.sort((one, other) => one.line - other.line);

  function show(note: string, later = 0): void {
    const { placed, replayed, failures } = outcome;
    const parts = [
      failures.length === 0 ? '' : `${failures.length} refused`,
      later === 0 ? '' : `${later} to be sent again`,
      note,
    ];
    progress.show(placed + replayed + failures.length, parts.filter((part) => part !== '').join(', '));
  }
}

function firstOf(orders: readonly FileOrder[], from: number, size: number): FileOrder[] {
  const bulk: FileOrder[] = [];
  let bytes = 0;
  for (const item of orders.slice(from, from + size)) {
    bytes += Buffer.byteLength(JSON.stringify(item.order)) + 1;
    if (bulk.length > 0 && bytes > orderBytesMax) break;
    bulk.push(item);
  }
  return bulk;
}

/** @returns the answer, or how many orders would fit */
async function sendOne(
  service: Sellthrough,
  bulk: readonly FileOrder[],
  wasHeard: boolean,
  onWait: (why: string) => void,
): Promise<PlaceOrdersInBulkAnswer | number> {
  let isThere = wasHeard;
  let awaySince: number | null = null;
  for (;;) {
    try {
      return await service.placeOrdersInBulk({ orders: bulk.map(({ order }) => order) });
    } catch (error) {
      if (isSellthroughError(error, 'rate_limited')) {
        const { orders_max: most } = error.details;
        if (most !== undefined && most < bulk.length) return most;
        const seconds = error.retryAfterSeconds ?? 1;
        isThere = true;
        awaySince = null;
        onWait(`waiting ${seconds} s for the rate limit`);
        await pause(seconds * 1_000);
        continue;
      }
      if (!isSellthroughError(error) || !error.retryable) throw error;
      isThere ||= error.mayHaveHappened;
      awaySince ??= performance.now();
      if (!isThere || performance.now() - awaySince > awaySecondsMax * 1_000) throw error;
      onWait('the service is away');
      await pause(awayPauseSeconds * 1_000);
    }
  }
}

function report(
  file: string | undefined,
  format: FileFormat,
  { failures: wantedPath, json }: Options,
  orders: number,
  { placed, replayed, balance, failures }: Outcome,
): void {
  const path = wantedPath ?? file?.replace(/(\.[^./\\]*)?$/, `.failed$1`);
  if (failures.length > 0) {
    if (path !== undefined)
      writeFileSync(fromCommandFolder(path), failuresText(failures, format), { mode: 0o600 });
    commandIo().exitCode = exitCodes.findings;
  }
  const value = {
    orders,
    placed,
    replayed,
    failed: failures.length,
    balance,
    failures: failures.map(({ line, order, result }) => ({
      line,
      idempotency_key: order.idempotency_key,
      ...result,
    })),
    failures_file: failures.length > 0 ? (path ?? null) : null,
  };
  const again =
    replayed === orders && file !== undefined
      ? 'All of them were placed before: nothing was charged. To place the same orders once more, name the run with --run.\n'
      : '';
  const failed =
    failures.length === 0 ? '' : `${failuresTable(failures)}${path === undefined ? '' : writtenTo(path)}`;
  answer(
    json,
    value,
    `${failed}${orders} orders: ${placed} placed, ${replayed} placed before, ${failures.length} failed.${balance === null ? '' : ` Balance ${balance}.`}\n${again}`,
  );
}

function writtenTo(path: string): string {
  return `Written to ${path}: correct it and send it; no order is charged twice.\n`;
}

function failuresTable(failures: readonly Failure[]): string {
  const shown = failures.slice(0, shownFailuresMax);
  const table = textTable<Failure>(
    [
      { title: 'LINE', value: ({ line }) => line, align: 'right' },
      { title: 'ORDER', value: ({ order }) => nameOf(order), mayShrink: true },
      { title: 'ERROR', value: ({ result }) => result.error.code },
      { title: 'REASON', value: ({ result }) => result.error.message, mayShrink: true },
    ],
    shown,
  );
  return failures.length > shown.length ? `${table}and ${failures.length - shown.length} more\n` : table;
}

function nameOf(order: FileOrder['order']): string {
  if ('renew' in order) return `renew ${order.renew}`;
  if ('renew_customer' in order) return `renew ${order.renew_customer}`;
  return String(order.customer ?? '');
}

function failuresText(failures: readonly Failure[], format: FileFormat): string {
  const rows = failures.map(({ line, order, result }) => ({
    ...order,
    line,
    error: result.error.code,
    reason: result.error.message,
  }));
  if (format === 'jsonl') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row: Readonly<Record<string, unknown>>) =>
    columns.map((name) => cellOf(row[name])),
  );
  return csvLines([columns, ...cells]);
}

function cellOf(value: unknown): CsvCell {
  return typeof value === 'string' ? { text: value } : String(value ?? '');
}

function formatOf(file: string): FileFormat {
  const ending = extname(file).toLowerCase();
  if (ending === '.csv') return 'csv';
  if (ending === '.jsonl' || ending === '.ndjson') return 'jsonl';
  throw new CommandFailed(
    `The format of ${file} is unclear. Use --format csv, or --format jsonl for one JSON object per line.`,
    exitCodes.usage,
  );
}

function readText(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(fromCommandFolder(file)));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const why = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : code;
    throw new CommandFailed(`The file ${file} cannot be read (${why}).`);
  }
}
