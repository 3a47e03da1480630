// CSV of banks: headers, delimiters, amounts and dates, and files that leave two readings.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BankCsvProfile, readBankCsv } from '../../src/features/payments/bank/bank-csv-reader.ts';
import {
  type BankFileProblem,
  BankFileRefused,
  type BankLine,
} from '../../src/features/payments/bank/bank-statement.ts';

const profile: BankCsvProfile = {
  columns: { date: 'Date', amount: 'Amount', text: 'Text', payer: 'Payer', iban: 'Account', id: 'Id' },
  currency: 'EUR',
};

function linesOf(text: string, change: Partial<BankCsvProfile> = {}): readonly BankLine[] {
  return readBankCsv(Buffer.from(text), { ...profile, ...change })[0]?.lines ?? [];
}

function assertRefused(
  text: string | Uint8Array,
  problem: BankFileProblem,
  line: number | null,
  change: Partial<BankCsvProfile> = {},
): void {
  assert.throws(
    () => readBankCsv(Buffer.from(text), { ...profile, ...change }),
    (error) => error instanceof BankFileRefused && error.problem === problem && error.line === line,
    `${problem} in line ${line}`,
  );
}

const header = 'Date;Payer;Account;Text;Id;Amount';

test('a line has the named columns', () => {
  const [line] = linesOf(
    `${header}\r\n25.11.2026;Ada;NL91 ABNA 0417 1643 00;"Top-up\nRF83 0000 1003";B-1;"1.234,50"\r\n`,
  );
  assert.deepEqual(line, {
    place: 3,
    bookedOn: '2026-11-25',
    amountCents: 123_450n,
    currency: 'EUR',
    payerName: 'Ada',
    payerIban: 'NL91ABNA0417164300',
    text: 'Top-up\nRF83 0000 1003',
    reference: null,
    endToEndId: null,
    bankId: 'B-1',
    isReturn: false,
    isBooked: true,
    isUnsplitBatch: false,
    partOf: null,
  });
});

describe('the header is found', () => {
  const rows = '2026-11-25;Ada;;x;;1,50\n';
  const table: [title: string, file: string][] = [
    ['on the first line', `${header}\n${rows}`],
    ['with a byte order mark', `\ufeff${header}\n${rows}`],
    ['below what the bank writes first', `Account;DE89\n\n"Period";"Nov; 2026"\n${header}\n${rows}`],
    ['in other case and spacing', `date; PAYER ;account;Text;"Id";amount\n${rows}`],
    ['with more columns', `Bank;${header};Balance\nX;${rows.trim()};9,00\n`],
    ['with commas', `${header}\n2026-11-25;Ada;;x;;"1,50"\n`.replace(/;/g, ',').replace('"1,50"', '1.50')],
    ['with tabs', `${header}\n${rows}`.replace(/;/g, '\t')],
    ['with bars', `${header}\n${rows}`.replace(/;/g, '|')],
    ['with CR alone', `${header}\r${rows.trim()}\r`],
    ['above lines without a booking', `${header}\n${rows};;;;;\n\nTotal;\n`.replace('Total;', ';;Total;;;')],
  ];
  for (const [title, file] of table)
    test(title, () => {
      const lines = linesOf(file);
      assert.equal(lines.length, 1);
      assert.equal(lines[0]?.amountCents, 150n);
      assert.equal(lines[0]?.payerName, 'Ada');
    });

  test('with the delimiter that is named', () => {
    const file = 'Date,Amount;Date;Amount\n1;2026-11-25;1,00\n';
    const columns = { date: 'Date', amount: 'Amount' };
    assert.equal(linesOf(file, { columns, delimiter: ';' })[0]?.amountCents, 100n);
  });
});

describe('an amount', () => {
  const table: [cell: string, cents: bigint, currency?: string][] = [
    ['1', 100n],
    ['1,5', 150n],
    ['1.5', 150n],
    ['1.234,56', 123_456n],
    ['1,234.56', 123_456n],
    ["1'234.56", 123_456n],
    ['1 234,56', 123_456n],
    ['1\u00a0234\u00a0567,00', 123_456_700n],
    ['1.234.567', 123_456_700n],
    ['-12,30', -1230n],
    ['\u221212,30', -1230n],
    ['12,30-', -1230n],
    ['+12,30', 1230n],
    ['12,30 EUR', 1230n],
    ['\u20ac 12,30', 1230n, 'EUR'],
    ['12,30 CHF', 1230n, 'CHF'],
    ['0,00', 0n],
  ];
  for (const [cell, cents, currency = 'EUR'] of table)
    test(`"${cell}" is ${cents} cents`, () => {
      const [line] = linesOf(`${header}\n2026-11-25;;;;;"${cell}"\n`);
      assert.equal(line?.amountCents, cents);
      assert.equal(line?.currency, currency);
    });

  const bad = [
    '',
    'x',
    '1,2,3',
    '12.34,56',
    '1,505',
    '=1+1',
    '--1',
    '-1-',
    '(1,00)',
    '0x10',
    '1e3',
    '99999999999999,00',
  ];
  for (const cell of bad)
    test(`"${cell}" is refused with its line`, () =>
      assertRefused(`${header}\n2026-11-25;;;;;1,00\n2026-11-25;;;;;"${cell}"\n`, 'bad_amount', 3));

  test('of thousands or three decimals needs another amount or the sign', () => {
    const row = '2026-11-25;;;;;1.234\n';
    assertRefused(`${header}\n${row}`, 'ambiguous_amount', 2);
    assert.equal(linesOf(`${header}\n${row}2026-11-25;;;;;1,50\n`)[0]?.amountCents, 123_400n);
    assert.equal(linesOf(`${header}\n${row}`, { decimal: ',' })[0]?.amountCents, 123_400n);
    assertRefused(`${header}\n${row}`, 'bad_amount', 2, { decimal: '.' });
  });

  test('with a comma and one with a point in a file are refused', () =>
    assertRefused(`${header}\n2026-11-25;;;;;1,50\n2026-11-25;;;;;1.50\n`, 'ambiguous_amount', 3));
});

describe('a column with the direction', () => {
  const table: [direction: string, amount: string, expected: bigint | null][] = [
    ['S', '1,00', -100n],
    ['soll', '-1,00', -100n],
    ['Debit', '1,00', -100n],
    ['Af', '1,00', -100n],
    ['-', '1,00', -100n],
    ['H', '1,00', 100n],
    ['Bij', '1,00', 100n],
    ['CRDT', '1,00', 100n],
    ['H', '-1,00', null],
    ['', '1,00', null],
    ['x', '1,00', null],
  ];
  const columns = { date: 'Date', amount: 'Amount', direction: 'S/H' };
  for (const [direction, amount, expected] of table)
    test(`"${direction}" ${amount}: ${expected ?? 'refused'}`, () => {
      const file = `Date;Amount;S/H\n2026-11-25;${amount};${direction}\n`;
      if (expected === null) assertRefused(file, 'bad_amount', 2, { columns });
      else assert.equal(linesOf(file, { columns })[0]?.amountCents, expected);
    });
});

test('a column with the currency comes first', () => {
  const columns = { date: 'Date', amount: 'Amount', currency: 'Currency' };
  const file = 'Date;Amount;Currency\n2026-11-25;1,00;chf\n2026-11-25;1,00;\n';
  assert.deepEqual(
    linesOf(file, { columns }).map(({ currency }) => currency),
    ['CHF', 'EUR'],
  );
});

describe('a date', () => {
  const table: [cell: string, day: string][] = [
    ['2026-11-05', '2026-11-05'],
    ['2026-11-05T10:00:00Z', '2026-11-05'],
    ['2026-11-05 10:00', '2026-11-05'],
    ['05.11.2026', '2026-11-05'],
    ['5.11.26', '2026-11-05'],
    ['25/11/2026', '2026-11-25'],
    ['11/25/2026', '2026-11-25'],
    ['25-11-2026', '2026-11-25'],
    ['11/11/2026', '2026-11-11'],
  ];
  for (const [cell, day] of table)
    test(`"${cell}" is ${day}`, () => assert.equal(linesOf(`${header}\n${cell};;;;;1\n`)[0]?.bookedOn, day));

  for (const cell of ['31.02.2026', '2026-13-01', 'x', '1', '05.11/2026', '20261105'])
    test(`"${cell}" is refused`, () => assertRefused(`${header}\n${cell};;;;;1\n`, 'bad_date', 2));

  test('that could begin with either needs another date or the order', () => {
    const row = '05/11/2026;;;;;1\n';
    assertRefused(`${header}\n${row}`, 'ambiguous_date', 2);
    assert.equal(linesOf(`${header}\n${row}25/11/2026;;;;;1\n`)[0]?.bookedOn, '2026-11-05');
    assert.equal(linesOf(`${header}\n${row}11/25/2026;;;;;1\n`)[0]?.bookedOn, '2026-05-11');
    assert.equal(linesOf(`${header}\n${row}`, { dates: 'month_first' })[0]?.bookedOn, '2026-05-11');
  });

  test('with points begins with the day in any order', () =>
    assert.equal(linesOf(`${header}\n05.11.2026;;;;;1\n11/25/2026;;;;;1\n`)[0]?.bookedOn, '2026-11-05'));

  test('of both orders in a file is refused', () =>
    assertRefused(`${header}\n25/11/2026;;;;;1\n11/25/2026;;;;;1\n`, 'bad_date', 3));
});

test('a formula is text', () => {
  const formula = '=HYPERLINK(""http://192.0.2.1"",1)';
  const [line] = linesOf(`${header}\n2026-11-25;"@SUM(1)";;"${formula}";"+1";1\n`);
  assert.equal(line?.text, '=HYPERLINK("http://192.0.2.1",1)');
  assert.equal(line?.payerName, '@SUM(1)');
  assert.equal(line?.bankId, '+1');
});

describe('it refuses', () => {
  const table: [title: string, file: string, problem: BankFileProblem, line: number | null][] = [
    ['a missing column', 'Date;Amount\n2026-11-25;1\n', 'missing_column', null],
    ['an empty file', '', 'missing_column', null],
    ['a header beyond the first fifty lines', `${'\n'.repeat(50)}${header}\n`, 'missing_column', null],
    ['a quote that is not closed', `${header}\n2026-11-25;;;"x;;1\n`, 'truncated', 2],
    ['a quote within a cell', `${header}\n2026-11-25;;;"x"y;;1\n`, 'malformed', 2],
    ['a short line', `\n${header}\n2026-11-25;;;;;1\n2026-11-25;;`, 'truncated', 4],
    ['more than 100,000 lines', `${header}\n${'2026-11-25;;;;;1\n'.repeat(100_001)}`, 'too_many_lines', null],
  ];
  for (const [title, file, problem, line] of table) test(title, () => assertRefused(file, problem, line));
});

test('Latin-1 is read as well as UTF-8', () => {
  const file = `${header}\n2026-11-25;S\u00f6hne;;x;;1\n`;
  for (const encoding of ['latin1', 'utf8'] as const)
    assert.equal(readBankCsv(Buffer.from(file, encoding), profile)[0]?.lines[0]?.payerName, 'S\u00f6hne');
});

test('a request may name other columns, with values of any type', () => {
  const columns = JSON.parse('{"date":"Date","amount":"Amount","__proto__":["x"],"other":7}');
  const [line] = linesOf('Date,Amount\n2026-01-14,12.50\n', { columns });
  assert.equal(line?.amountCents, 1250n);
});
