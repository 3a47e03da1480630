// Reads bank statements in SWIFT's MT940 with the habits of real banks: any line ends, envelopes, pages, missing fields.
// Invariant: the lines of a message add up to its balances. That finds a truncated file, and a payer's text that begins a
// line like a booking.

import { parseIban } from './bank-account-numbers.ts';
import { calendarDay, parseBankAmount } from './bank-amounts-and-dates.ts';
import { decodePlainText } from './bank-file-text.ts';
import {
  BankFileRefused,
  type BankLine,
  type BankStatement,
  limitBankLines,
  meaningfulId,
} from './bank-statement.ts';
import { readDetails } from './mt940-details.ts';
import { isSwiftReturn } from './return-codes.ts';

interface Field {
  readonly tag: string;
  readonly line: number;
  readonly content: string[];
}

// Only these, because a line of remittance text may begin with ":08 " or ":44:".
const fieldStart = /^:(20|21|25P?|28C?|60[FM]|61|62[FM]|64|65|86|NS|13D?|34F|90[CD]):/;

/** @throws BankFileRefused */
export function readMt940(bytes: Uint8Array): BankStatement[] {
  const statements: BankStatement[] = [];
  let message: Field[] = [];
  let count = 0;
  function endMessage(): void {
    if (message.length === 0) return;
    const statement = statementOf(message);
    statements.push(statement);
    count += statement.lines.length;
    limitBankLines(count);
    message = [];
  }
  for (const field of fieldsOf(decodePlainText(bytes))) {
    if (field.tag === '20' || (field.tag === '25' && message.some(({ tag }) => tag.startsWith('62'))))
      endMessage();
    message.push(field);
  }
  endMessage();
  if (statements.length === 0)
    throw new BankFileRefused('unknown_format', null, 'The file has no MT940 message.');
  return statements;
}

function* fieldsOf(text: string): Generator<Field> {
  // Some German programs end lines with "@@" and have no line ends.
  const lines = /[\r\n]/.test(text) ? text.split(/\r\n|\r|\n/) : text.split('@@');
  let field: Field | null = null;
  let isColonAlone = false;
  for (const [index, raw] of lines.entries()) {
    // The tag can follow the envelope, or its colon stand on a line of its own.
    const line: string = (isColonAlone ? ':' : '') + raw.replace(/^\{1:.*\{4:/, '').trimEnd();
    isColonAlone = line === ':';
    if (line === '' || isColonAlone) continue;
    const [start, tag] = fieldStart.exec(line) ?? [];
    if (start !== undefined && tag !== undefined) {
      if (field !== null) yield field;
      field = { tag, line: index + 1, content: [line.slice(start.length)] };
    } else if (/^-(?:\}.*)?$/.test(line)) {
      if (field !== null) yield field;
      field = null;
    } else field?.content.push(line);
  }
  if (field !== null) yield field;
}

function statementOf(fields: readonly Field[]): BankStatement {
  const find = (pattern: RegExp) => fields.find(({ tag }) => pattern.test(tag));
  const [first] = fields;
  const place = first?.line ?? 1;
  const opening = find(/^60/);
  const closing = fields.findLast(({ tag }) => tag.startsWith('62'));
  if (opening === undefined && find(/^(?:34|13|90)/) !== undefined)
    throw new BankFileRefused(
      'unsupported_message',
      place,
      'this is an interim report (MT942), not a statement.',
    );
  if (opening === undefined)
    throw new BankFileRefused('missing_field', place, 'the message has no opening balance (field 60).');
  if (closing === undefined)
    throw new BankFileRefused(
      'truncated',
      place,
      'the message has no closing balance (field 62). Is the file complete?',
    );
  const before = balanceOf(opening);
  const after = balanceOf(closing);
  const currency = before.currency ?? after.currency;
  if (currency === null)
    throw new BankFileRefused('missing_field', opening.line, 'the balance has no currency.');

  const lines = fields.flatMap((field, index) =>
    field.tag === '61' ? [lineOf(field, detailsAfter(fields, index), currency)] : [],
  );
  const sum = lines
    .filter(({ isBooked }) => isBooked)
    .reduce((total, { amountCents }) => total + amountCents, 0n);
  if (before.cents + sum !== after.cents)
    throw new BankFileRefused(
      'balance_differs',
      closing.line,
      'the closing balance is not the opening balance plus the lines. Is the file complete?',
    );
  return {
    // Banks repeat numbers, but not together with the balances.
    id: [find(/^20$/), find(/^28/), opening, closing].map((field) => field?.content[0] ?? '').join('|'),
    ...accountOf(find(/^25/)?.content[0] ?? ''),
    currency,
    lines,
  };
}

function detailsAfter(fields: readonly Field[], index: number): readonly string[] {
  const lines: string[] = [];
  // Some banks repeat the tag on each line.
  for (let next = index + 1; fields[next]?.tag === '86'; next += 1)
    lines.push(...(fields[next]?.content ?? []));
  return lines;
}

function balanceOf(field: Field): { cents: bigint; currency: string | null } {
  const text = field.content.join('');
  const [, mark, currency, digits = ''] =
    /^([CD])\d{6}([A-Z]{3})?([\d,.]+)$/.exec(text.replace(/\s/g, '')) ?? [];
  const cents = parseSwiftAmount(digits);
  if (cents === null)
    throw new BankFileRefused('bad_amount', field.line, `${JSON.stringify(text)} is not a balance.`);
  return { cents: mark === 'D' ? -cents : cents, currency: currency ?? null };
}

/** The account: an IBAN, also with the currency behind it, or "bank code/number". */
function accountOf(text: string): Pick<BankStatement, 'iban' | 'localAccount'> {
  const account = text.replace(/\s/g, '');
  const iban =
    parseIban(account) ??
    parseIban(account.replace(/[A-Z]{3}$/, '')) ??
    parseIban(account.split('/').at(-1) ?? '');
  return {
    iban,
    localAccount: iban === null && account !== '' ? account.replace(/(?<=\d)[A-Z]{3}$/, '') : null,
  };
}

const statementLine =
  /^(?<value>\d{6})(?<entry>\d{4})?\s*(?<mark>R?[CD]|E[CD])[A-Z]?\s*(?<amount>[\d,.]+)(?<type>[A-Z][A-Z0-9 ]{3})?(?<rest>[^\n]*)(?:\n(?<supplement>[\s\S]*))?$/;

function lineOf(field: Field, details: readonly string[], currency: string): BankLine {
  // The first line can break before the amount.
  const content = field.content.join('\n').replace(/^(\d{6,10}\s*[RE]?[CD][A-Z]?)\n/, '$1');
  const groups = statementLine.exec(content)?.groups;
  const cents = parseSwiftAmount(groups?.['amount'] ?? '');
  const { value = '', entry, mark = '', type = '', rest = '', supplement = '' } = groups ?? {};
  if (groups === undefined || cents === null)
    throw new BankFileRefused(
      'bad_amount',
      field.line,
      `${JSON.stringify(field.content[0])} is not a statement line.`,
    );
  const bookedOn = bookingDay(value, entry);
  if (bookedOn === null)
    throw new BankFileRefused(
      'bad_date',
      field.line,
      `${JSON.stringify(value + (entry ?? ''))} is not a date.`,
    );
  const read = readDetails(details);
  const [own = '', ...banks] = rest.split('//');
  const ownReference = /^KREF\+/.test(own) ? null : meaningfulId(own);
  const isReversal = mark.startsWith('R');
  const isDebit = mark === 'D' || mark === 'RC' || mark === 'ED';
  return {
    place: field.line,
    bookedOn,
    amountCents: isDebit ? -cents : cents,
    currency,
    payerName: read.payerName,
    payerIban: read.payerIban,
    text: read.text || supplement.trim(),
    reference: read.reference ?? ownReference,
    endToEndId: read.endToEndId,
    bankId: meaningfulId(banks.join('//')),
    isReturn: isReversal || isSwiftReturn(type) || read.isReturn,
    isBooked: !mark.startsWith('E'),
    isUnsplitBatch: read.isUnsplitBatch,
    partOf: null,
  };
}

/** A comma by the standard, a point by some banks. */
function parseSwiftAmount(text: string): bigint | null {
  return parseBankAmount(text, text.includes(',') ? ',' : '.');
}

/** The booking date has no year: the one that brings it closest to the value date. */
function bookingDay(value: string, entry: string | undefined): string | null {
  const year = 2000 + Number(value.slice(0, 2));
  const month = Number(value.slice(2, 4));
  // Not as a day, because German banks have value dates of 30 February.
  if (entry === undefined) return calendarDay(year, month, Number(value.slice(4)));
  const entryMonth = Number(entry.slice(0, 2));
  let entryYear = year;
  if (entryMonth - month > 6) entryYear -= 1;
  if (month - entryMonth > 6) entryYear += 1;
  return calendarDay(entryYear, entryMonth, Number(entry.slice(2)));
}
