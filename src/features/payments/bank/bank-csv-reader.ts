// Reads a bank's CSV export. The request names the columns; delimiter, decimal sign and order of dates are found, or named
// where the file leaves two readings.
// Invariant: cells are text. A formula is never evaluated. An export must neutralize it, as csv-text.ts does.

import { CsvError, parse } from 'csv-parse/sync';
import { parseIban } from './bank-account-numbers.ts';
import { calendarDay, parseBankAmount, parseIsoDay } from './bank-amounts-and-dates.ts';
import { decodePlainText } from './bank-file-text.ts';
import {
  BankFileRefused,
  type BankLine,
  type BankStatement,
  limitBankLines,
  meaningfulId,
} from './bank-statement.ts';

export interface BankCsvProfile {
  /** The names in the file's header. */
  readonly columns: {
    readonly date: string;
    readonly amount: string;
    readonly text?: string | undefined;
    readonly reference?: string | undefined;
    readonly payer?: string | undefined;
    /** The payer's account. */
    readonly iban?: string | undefined;
    /** The bank's own id of the booking. */
    readonly id?: string | undefined;
    readonly currency?: string | undefined;
    /** Debit or credit, of a bank that writes amounts without a sign. Without it, debits would be read as credits. */
    readonly direction?: string | undefined;
  };
  /** Of lines that name none. */
  readonly currency: string;
  readonly delimiter?: ',' | ';' | '\t' | '|' | undefined;
  readonly decimal?: ',' | '.' | undefined;
  readonly dates?: 'day_first' | 'month_first' | undefined;
}

/** A request may have other names, of any type. */
const columnNames = [
  'date',
  'amount',
  'text',
  'reference',
  'payer',
  'iban',
  'id',
  'currency',
  'direction',
] as const satisfies readonly (keyof BankCsvProfile['columns'])[];
type Column = (typeof columnNames)[number];
type Places = Partial<Readonly<Record<Column, number>>>;

interface Row {
  readonly line: number;
  readonly cellOf: (column: Column) => string;
}

const delimiters = [';', ',', '\t', '|'] as const;
/** Banks put the account, the period and balances above the header. */
const linesBeforeHeaderMax = 50;

/** @throws BankFileRefused */
export function readBankCsv(bytes: Uint8Array, profile: BankCsvProfile): BankStatement[] {
  const rows = rowsOf(decodePlainText(bytes), profile);
  limitBankLines(rows.length);
  const decimal = profile.decimal ?? decimalOf(rows);
  const isMonthFirst = profile.dates === undefined ? findMonthFirst(rows) : profile.dates === 'month_first';
  const lines = rows.map(({ line, cellOf }): BankLine => {
    const { cents, currency } = moneyOf(cellOf('amount'), decimal, line);
    const payer = cellOf('payer');
    const account = cellOf('iban');
    return {
      place: line,
      bookedOn: dayOf(cellOf('date'), isMonthFirst, line),
      amountCents:
        profile.columns.direction === undefined ? cents : inDirection(cents, cellOf('direction'), line),
      currency: cellOf('currency').toUpperCase() || (currency ?? profile.currency),
      payerName: payer === '' ? null : payer,
      payerIban: parseIban(account) ?? (account === '' ? null : account),
      text: cellOf('text'),
      reference: meaningfulId(cellOf('reference')),
      endToEndId: null,
      bankId: meaningfulId(cellOf('id')),
      isReturn: false,
      isBooked: true,
      isUnsplitBatch: false,
      partOf: null,
    };
  });
  return [{ id: null, iban: null, localAccount: null, currency: profile.currency, lines }];
}

function rowsOf(text: string, profile: BankCsvProfile): Row[] {
  const found = findHeader(text, profile);
  const { places, columnCount } = found;
  const records = parseCsv(text.slice(found.start), found.delimiter, found.line);
  const needed = Math.max(...Object.values(places));
  return records.slice(1).flatMap(({ record, line }) => {
    const cellOf = (column: Column) => {
      const place = places[column];
      return place === undefined ? '' : (record[place] ?? '').trim();
    };
    // Totals below the lines.
    if (cellOf('date') === '' && cellOf('amount') === '') return [];
    if (record.length <= needed)
      throw new BankFileRefused(
        'truncated',
        line,
        `the line has ${record.length} columns, the header has ${columnCount}. Is the file complete?`,
      );
    return [{ line, cellOf }];
  });
}

interface Header {
  readonly delimiter: string;
  readonly places: Places;
  readonly columnCount: number;
  /** Where it begins in the text, and its line. */
  readonly start: number;
  readonly line: number;
}

/** The first line that has all columns of the profile decides about the delimiter too. */
function findHeader(text: string, { columns, delimiter: named }: BankCsvProfile): Header {
  const wanted = columnNames.flatMap((column) => {
    const name = columns[column];
    return name === undefined ? [] : [[column, name] as const];
  });
  let start = 0;
  for (let line = 1; line <= linesBeforeHeaderMax && start < text.length; line += 1) {
    const [end = ''] = /\r\n|\r|\n|$/.exec(text.slice(start, start + 20_000)) ?? [];
    const length = text.slice(start, start + 20_000).search(/\r\n|\r|\n|$/);
    const content = text.slice(start, start + length);
    for (const delimiter of named === undefined ? delimiters : [named]) {
      const names = headerNames(content, delimiter);
      const places = wanted.map(([column, name]) => [column, names.indexOf(simple(name))] as const);
      if (places.every(([, place]) => place >= 0))
        return { delimiter, places: Object.fromEntries(places), columnCount: names.length, start, line };
    }
    start += length + end.length;
  }
  throw new BankFileRefused(
    'missing_column',
    null,
    `No line near the top has the columns ${wanted.map(([, name]) => JSON.stringify(name)).join(', ')}.`,
  );
}

function headerNames(line: string, delimiter: string): string[] {
  try {
    return (parse(line, { bom: true, delimiter, relax_column_count: true })[0] ?? []).map(simple);
  } catch {
    return []; // not the delimiter of this file
  }
}

function simple(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
}

function parseCsv(text: string, delimiter: string, firstLine: number): { record: string[]; line: number }[] {
  try {
    const rows = parse(text, {
      delimiter,
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    }) as unknown as { record: string[]; info: { lines: number } }[];
    return rows.map(({ record, info }) => ({ record, line: info.lines + firstLine - 1 }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED';
    const place = Number(error['lines'] ?? 1) + firstLine - 1;
    throw new BankFileRefused(
      isOpen ? 'truncated' : 'malformed',
      place,
      isOpen ? 'a quote is not closed. Is the file complete?' : 'the quotes of this line are not CSV.',
    );
  }
}

interface Money {
  readonly sign: bigint;
  readonly digits: string;
  readonly currency: string | null;
}

/** Splits a sign and a currency from the digits and their separators. */
function partsOf(cell: string): Money | null {
  const pattern =
    /^(?<before>[A-Z]{3}|€)?\s*(?<sign>[-+\u2212])?\s*(?<digits>\d(?:[\d.,'’\s]*\d)?)(?<behind>[-+\u2212])?\s*(?<after>[A-Z]{3}|€)?$/;
  const { before, sign, digits, behind, after } = pattern.exec(cell.toUpperCase())?.groups ?? {};
  if (digits === undefined || (sign && behind) || (before && after)) return null;
  const currency = before ?? after ?? null;
  return {
    sign: /[-\u2212]/.test(sign ?? behind ?? '') ? -1n : 1n,
    digits: digits.replace(/[\s'’]/g, "'"),
    currency: currency === '€' ? 'EUR' : currency,
  };
}

/** Digits with thousands. */
const grouped = {
  ',': /^\d{1,3}([.'])\d{3}(?:\1\d{3})*(?:,\d*)?$/,
  '.': /^\d{1,3}([,'])\d{3}(?:\1\d{3})*(?:\.\d*)?$/,
};

function moneyOf(cell: string, decimal: ',' | '.', line: number): { cents: bigint; currency: string | null } {
  const { sign = 1n, digits = '', currency = null } = partsOf(cell) ?? {};
  const plain = grouped[decimal].test(digits)
    ? digits.replace(/[.,']/g, (separator) => (separator === decimal ? separator : ''))
    : digits;
  const cents = parseBankAmount(plain, decimal);
  if (cents === null)
    throw new BankFileRefused('bad_amount', line, `${JSON.stringify(cell)} is not an amount.`);
  return { cents: sign * cents, currency };
}

/** Of banks that write amounts without a sign: German, English, French, Dutch and ISO words. */
const debitWords = new Set(['-', 'S', 'SOLL', 'D', 'DEBIT', 'DÉBIT', 'DBIT', 'AF']);
const creditWords = new Set(['+', 'H', 'HABEN', 'C', 'CREDIT', 'CRÉDIT', 'CRDT', 'BIJ']);

function inDirection(cents: bigint, cell: string, line: number): bigint {
  const word = cell.toUpperCase();
  if (debitWords.has(word)) return cents < 0n ? cents : -cents;
  if (creditWords.has(word) && cents >= 0n) return cents;
  throw new BankFileRefused(
    'bad_amount',
    line,
    `the direction ${JSON.stringify(cell)} is not known, or the amount contradicts it.`,
  );
}

/** "1,234" alone can be either; every other amount of the file helps to decide. */
function decimalOf(rows: readonly Row[]): ',' | '.' {
  let found: ',' | '.' | null = null;
  let unclear: number | null = null;
  for (const { line, cellOf } of rows) {
    const digits = partsOf(cellOf('amount'))?.digits ?? '';
    const [, last, decimals = ''] = /([.,])(\d*)$/.exec(digits) ?? [];
    if (last !== ',' && last !== '.') continue;
    const other = last === ',' ? '.' : ',';
    const isDecimal = decimals.length !== 3 || digits.includes(other);
    const isThousands = !isDecimal && digits.split(last).length > 2;
    if (!isDecimal && !isThousands) {
      unclear ??= line;
      continue;
    }
    const decimal = isDecimal ? last : other;
    if (found !== null && found !== decimal)
      throw new BankFileRefused(
        'ambiguous_amount',
        line,
        'the amounts have both decimal commas and decimal points. Name the decimal sign.',
      );
    found = decimal;
  }
  if (found === null && unclear !== null)
    throw new BankFileRefused(
      'ambiguous_amount',
      unclear,
      'the amount could have thousands or three decimals. Name the decimal sign.',
    );
  return found ?? '.';
}

const dayAndMonth = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?:[ T].*)?$/;

function dayOf(cell: string, isMonthFirst: boolean, line: number): string {
  const [, first, separator, second, year = ''] = dayAndMonth.exec(cell) ?? [];
  const inOrder = isMonthFirst && separator !== '.' ? [second, first] : [first, second];
  const [day, month] = inOrder.map(Number);
  const found =
    first === undefined
      ? parseIsoDay(cell)
      : calendarDay(Number(year) + (year.length === 2 ? 2000 : 0), month ?? 0, day ?? 0);
  if (found === null) throw new BankFileRefused('bad_date', line, `${JSON.stringify(cell)} is not a date.`);
  return found;
}

/** Points mean that the day comes first. With slashes or hyphens, a number above 12 must decide. */
function findMonthFirst(rows: readonly Row[]): boolean {
  let unclear: number | null = null;
  let found: boolean | null = null;
  for (const { line, cellOf } of rows) {
    const [, first, separator, second] = dayAndMonth.exec(cellOf('date')) ?? [];
    if (first === undefined || separator === '.') continue;
    if (Number(first) > 12) found ??= false;
    else if (Number(second) > 12) found ??= true;
    else if (first !== second) unclear ??= line;
  }
  if (found === null && unclear !== null)
    throw new BankFileRefused(
      'ambiguous_date',
      unclear,
      'the date could begin with the day or with the month. Name the order.',
    );
  return found ?? false;
}
