// MT940 as real banks write it: line ends, forms of field 86, returns, and files that are refused.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type BankFileProblem,
  BankFileRefused,
  type BankLine,
} from '../../src/features/payments/bank/bank-statement.ts';
import { readMt940 } from '../../src/features/payments/bank/mt940-reader.ts';

const german = [
  ':20:STARTUMS',
  ':25:37040044/0532013000',
  ':28C:00012/001',
  ':60F:C261124EUR100,00',
  ':61:2611251125CR12,50N166NONREF//B-1',
  ':86:166?00GUTSCHR. UEBERWEISUNG?109310?20EREF+E-77?21SVWZ+Top-up RF83?22',
  '0000 1003?30ABNANL2A?31NL91ABNA0417164300?32Ada und S\u00f6hne?33 GmbH',
  ':61:2611251125DR2,5N020KREF+//B-2',
  ':86:020?00LASTSCHRIFT?20Miete?32Landlord',
  ':62F:C261125EUR110,',
  '-',
];

const bytesOf = (lines: readonly string[], end = '\r\n') => Buffer.from(lines.join(end) + end);

function assertRefused(file: Uint8Array, problem: BankFileProblem): void {
  assert.throws(
    () => readMt940(file),
    (error) => error instanceof BankFileRefused && error.problem === problem,
    problem,
  );
}

/** `sum`: with its sign, as in the balance. */
function lineOf(statementLine: string, details: string, sum: string): BankLine {
  const [mark, digits] = sum.startsWith('-') ? ['D', sum.slice(1)] : ['C', sum];
  const [statement] = readMt940(
    bytesOf([
      ':20:1',
      ':25:NL91ABNA0417164300EUR',
      ':28C:1',
      ':60F:C261124EUR0,',
      ...(statementLine === '' ? [] : [`:61:${statementLine}`]),
      ...(details === '' ? [] : [`:86:${details}`]),
      `:62F:${mark}261125EUR${digits}`,
    ]),
  );
  const [line] = statement?.lines ?? [];
  assert.ok(line !== undefined);
  return line;
}

test('a line has what the bank says of a booking', () => {
  const [statement] = readMt940(bytesOf(german));
  assert.equal(statement?.iban, null);
  assert.equal(statement?.localAccount, '37040044/0532013000');
  assert.equal(statement?.currency, 'EUR');
  assert.deepEqual(statement?.lines, [
    {
      place: 5,
      bookedOn: '2026-11-25',
      amountCents: 1250n,
      currency: 'EUR',
      payerName: 'Ada und S\u00f6hne GmbH',
      payerIban: 'NL91ABNA0417164300',
      text: 'Top-up RF83\n0000 1003',
      reference: null,
      endToEndId: 'E-77',
      bankId: 'B-1',
      isReturn: false,
      isBooked: true,
      isUnsplitBatch: false,
      partOf: null,
    },
    {
      place: 8,
      bookedOn: '2026-11-25',
      amountCents: -250n,
      currency: 'EUR',
      payerName: 'Landlord',
      payerIban: null,
      text: 'Miete',
      reference: null,
      endToEndId: null,
      bankId: 'B-2',
      isReturn: false,
      isBooked: true,
      isUnsplitBatch: false,
      partOf: null,
    },
  ]);
});

describe('odd line ends and envelopes change nothing', () => {
  const expected = readMt940(bytesOf(german))[0]?.lines.map(({ place: _, ...line }) => line);
  const table: [title: string, file: Uint8Array][] = [
    ['LF', bytesOf(german, '\n')],
    ['CR alone', bytesOf(german, '\r')],
    ['CR CR LF', bytesOf(german, '\r\r\n')],
    ['mixed', Buffer.from(german.map((line, index) => line + (index % 2 ? '\n' : '\r\n')).join(''))],
    ['@@ instead of line ends', bytesOf(german, '@@')],
    ['no end of the last line', Buffer.from(german.slice(0, -1).join('\r\n'))],
    ['spaces behind each line', bytesOf(german.map((line) => `${line}   `))],
    ['empty lines', bytesOf(german, '\r\n\r\n')],
    ['a byte order mark', Buffer.from(`\ufeff${german.join('\n')}`)],
    ['Latin-1', Buffer.from(german.join('\r\n'), 'latin1')],
    ['SWIFT’s envelope', bytesOf(['{1:F01BANKDEFFXXX}{2:I940USXXXXN}{4:', ...german.slice(0, -1), '-}'])],
    [
      'the envelope on the first line',
      bytesOf([`{1:F01X}{2:I940}{4:${german[0]}`, ...german.slice(1, -1), '-}{5:}']),
    ],
    [
      'a colon alone',
      bytesOf(german.flatMap((line) => (line.startsWith(':86:166') ? [':', line.slice(1)] : [line]))),
    ],
    ['a break before the amount', bytesOf(german.map((line) => line.replace('25CR12', '25CR\r\n12')))],
  ];
  for (const [title, file] of table)
    test(title, () =>
      assert.deepEqual(
        readMt940(file)[0]?.lines.map(({ place: _, ...line }) => line),
        expected,
      ),
    );
});

describe('the statement line', () => {
  const table: [line: string, sum: string, expected: Partial<BankLine>][] = [
    ['2611251125C1,00NTRFNONREF', '1,00', { amountCents: 100n, bankId: null, reference: null }],
    ['261125C1,NMSCINV-9//B-1/2', '1,00', { bookedOn: '2026-11-25', reference: 'INV-9', bankId: 'B-1/2' }],
    ['2612310102C1,00NTRFNONREF', '1,00', { bookedOn: '2027-01-02' }],
    ['2701011231C1,00NTRFNONREF', '1,00', { bookedOn: '2026-12-31' }],
    ['2602300301C1,00NTRFNONREF', '1,00', { bookedOn: '2026-03-01' }],
    ['2802280229C1,00NTRFNONREF', '1,00', { bookedOn: '2028-02-29' }],
    ['261125D1,00NTRFNONREF', '-1,00', { amountCents: -100n, isReturn: false }],
    ['261125RC1,00NTRFNONREF', '-1,00', { amountCents: -100n, isReturn: true }],
    ['261125RCR1,00NTRFNONREF', '-1,00', { amountCents: -100n, isReturn: true }],
    ['261125RD1,00NTRFNONREF', '1,00', { amountCents: 100n, isReturn: true }],
    ['261125D1,00NRTINONREF', '-1,00', { amountCents: -100n, isReturn: true }],
    ['261125C0000000000000001,00NTRFNONREF', '1,00', { amountCents: 100n }],
    ['261125C1.00NTRFNONREF', '1,00', { amountCents: 100n }],
    ['261125C1,500NTRFNONREF', '1,50', { amountCents: 150n }],
    ['261125EC1,00NTRFNONREF', '0,00', { amountCents: 100n, isBooked: false }],
    ['261125C1,00NTRFNONREF\r\nRF8300001003', '1,00', { text: 'RF8300001003' }],
    [
      '2611251125C119,NMSC341241773/1XXX//O/341241774',
      '119,',
      { reference: '341241773/1XXX', bankId: 'O/341241774' },
    ],
  ];
  for (const [line, sum, expected] of table)
    test(JSON.stringify(line), () => assert.partialDeepStrictEqual(lineOf(line, '', sum), expected));
});

describe('field 86', () => {
  const table: [details: string, expected: Partial<BankLine>][] = [
    ['Top-up RF83\r\n0000 1003', { text: 'Top-up RF83\n0000 1003' }],
    ['at 20:44:45 clita\r\n:08 cards, :44:45', { text: 'at 20:44:45 clita\n:08 cards, :44:45' }],
    ['166?20SVWZ+Frage?\r\n21Ja?21Nein', { text: 'Frage\nJa\nNein' }],
    ['166?20SVWZ+What? Yes?32Ada', { text: 'What? Yes', payerName: 'Ada' }],
    ['166<00X<20SVWZ+RF8300001003<32Ada', { text: 'RF8300001003', payerName: 'Ada' }],
    ['166?20EREF+RF8300?21001003?22SVWZ+x', { endToEndId: 'RF8300001003', text: 'x' }],
    [
      '166?20EREF+NOTPROVIDED?21IBAN+NL91 ABNA 0417 1643 00',
      { endToEndId: null, payerIban: 'NL91ABNA0417164300' },
    ],
    ['123/2026 RF8300001003', { text: '123/2026 RF8300001003' }],
    ['Top-up RF83\r\n:86:0000 1003', { text: 'Top-up RF83\n0000 1003' }],
    ['194?00SAMMLER?20KREF+1', { isUnsplitBatch: true, text: '' }],
    ['166?20a?29b?60c?63d', { text: 'a\nb\nc\nd' }],
    ['159?20SVWZ+Retoure', { isReturn: true }],
    ['166?20RREF+1?21SVWZ+back', { isReturn: true, text: 'back' }],
    [
      '/TRTP/SEPA OVERBOEKING/IBAN/NL91ABNA0417164300/BIC/ABNANL2A/NAME/Ada/RE\r\nMI/Top-up RF83\r\n0000 1003/EREF/E-77',
      {
        payerIban: 'NL91ABNA0417164300',
        payerName: 'Ada',
        text: 'Top-up RF83\n0000 1003',
        endToEndId: 'E-77',
      },
    ],
    [
      ['/EREF/NOTPROVIDED', 'CNTP/NL91ABNA0417164300/INGBNL2A/Ada', '/REMI/USTD', 'RF8300001003/'].join('//'),
      { payerIban: 'NL91ABNA0417164300', payerName: 'Ada', text: 'RF8300001003', endToEndId: null },
    ],
    ['/REMI/STRD/CUR/RF8300001003/', { reference: 'RF8300001003', text: '' }],
    ['/RTRN/MS03/REMI/back', { isReturn: true, text: 'back' }],
    ['=HYPERLINK("http://192.0.2.1")', { text: '=HYPERLINK("http://192.0.2.1")' }],
  ];
  for (const [details, expected] of table)
    test(JSON.stringify(details), () =>
      assert.partialDeepStrictEqual(lineOf('261125C1,00NTRFNONREF', details, '1,00'), expected),
    );
});

describe('the account', () => {
  const table: [field: string, iban: string | null, localAccount: string | null][] = [
    ['NL91ABNA0417164300', 'NL91ABNA0417164300', null],
    ['NL91ABNA0417164300EUR', 'NL91ABNA0417164300', null],
    ['NL91 ABNA 0417 1643 00', 'NL91ABNA0417164300', null],
    ['ABNANL2A/NL91ABNA0417164300', 'NL91ABNA0417164300', null],
    ['37040044/0532013000EUR', null, '37040044/0532013000'],
    ['0532013000', null, '0532013000'],
  ];
  for (const [field, iban, localAccount] of table)
    test(field, () => {
      const [statement] = readMt940(
        bytesOf([':20:1', `:25:${field}`, ':60F:C261124EUR0,', ':62F:C261124EUR0,']),
      );
      assert.deepEqual([statement?.iban, statement?.localAccount], [iban, localAccount]);
    });
});

test('the pages and days of a file are messages of their own', () => {
  const page = (number: number, from: string, to: string) => [
    ':20:STARTUMS',
    ':25:37040044/0532013000',
    `:28C:12/${number}`,
    `:60${number === 1 ? 'F' : 'M'}:C261124EUR${from}`,
    ':61:261125C1,00NTRFNONREF',
    `:62${number === 1 ? 'M' : 'F'}:C261125EUR${to}`,
    ':86:for the whole statement',
    '-',
  ];
  const statements = readMt940(bytesOf([...page(1, '5,00', '6,00'), ...page(2, '6,00', '7,00')]));
  assert.deepEqual(
    statements.map(({ lines }) => lines.map(({ text }) => text)),
    [[''], ['']],
  );
  assert.notEqual(statements[0]?.id, statements[1]?.id);
});

describe('it refuses', () => {
  const without = (start: string) => bytesOf(german.filter((line) => !line.startsWith(start)));
  const table: [title: string, file: Uint8Array, problem: BankFileProblem][] = [
    ['a file without its end', bytesOf(german.slice(0, -3)), 'truncated'],
    ['a first message without its end', bytesOf([...german.slice(0, -2), ...german]), 'truncated'],
    ['a missing line', without(':61:2611251125DR'), 'balance_differs'],
    [
      'a booking that a payer wrote into the text',
      bytesOf(german.map((line) => line.replace('0000 1003', ':61:2611251125CR9000,00NTRFNONREF'))),
      'balance_differs',
    ],
    ['no opening balance', without(':60F:'), 'missing_field'],
    [
      'an interim report',
      bytesOf([':20:1', ':25:1/2', ':34F:EUR0,', ':13D:2611251200+0100']),
      'unsupported_message',
    ],
    [
      'a statement line without a mark',
      bytesOf(german.map((line) => line.replace('CR12,50', 'XY12,50'))),
      'bad_amount',
    ],
    ['three decimals', bytesOf(german.map((line) => line.replace('CR12,50', 'CR12,505'))), 'bad_amount'],
    [
      'a day that does not exist',
      bytesOf(german.map((line) => line.replace('2611251125CR', '2602300230CR'))),
      'bad_date',
    ],
    ['other text', bytesOf(['Dear all', 'nothing']), 'unknown_format'],
    ['an empty file', Buffer.alloc(0), 'unknown_format'],
  ];
  for (const [title, file, problem] of table) test(title, () => assertRefused(file, problem));
});

test('more than 100,000 lines are refused', () => {
  const count = 100_001;
  const line = [':61:261125C1,00NTRFNONREF', ':86:166?20SVWZ+RF8300001003'];
  const file = bytesOf([
    ...german.slice(0, 3),
    ':60F:C261124EUR0,',
    ...Array(count).fill(line).flat(),
    `:62F:C261125EUR${count},`,
  ]);
  assertRefused(file, 'too_many_lines');
});
