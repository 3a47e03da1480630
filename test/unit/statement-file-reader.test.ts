// Which format a bank file has, and how large it may be.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type BankFileProblem, BankFileRefused } from '../../src/features/payments/bank/bank-statement.ts';
import { readStatementFile } from '../../src/features/payments/bank/statement-file-reader.ts';
import { bankIban, camtFile } from '../harness/camt-file.ts';
import '../harness/fixed-seed.ts';

const camt = camtFile({ entries: [{ amount: '1' }] });
const mt940 = `:20:1\n:25:${bankIban}\n:60F:C261124EUR0,\n:61:261125C1,NTRFNONREF\n:62F:C261125EUR1,\n-\n`;

describe('the format is seen', () => {
  const table: [title: string, file: Uint8Array][] = [
    ['camt', Buffer.from(camt)],
    [
      'camt behind spaces and a mark',
      Buffer.from(`\ufeff${camt.replace('<?xml version="1.0" encoding="UTF-8"?>', '\n ')}`),
    ],
    ['camt in UTF-16', Buffer.from(`\ufeff${camt}`, 'utf16le')],
    ['MT940', Buffer.from(mt940)],
    ['MT940 behind an empty line', Buffer.from(`\r\n${mt940}`)],
    ['MT940 in an envelope', Buffer.from(`{1:F01X}{2:I940}{4:\n${mt940}`)],
  ];
  for (const [title, file] of table)
    test(title, () => {
      const [statement] = readStatementFile(file, null);
      assert.equal(statement?.iban, bankIban);
      assert.equal(statement?.lines[0]?.amountCents, 100n);
    });
});

test('a file is CSV if its columns are named', () => {
  const csv = { columns: { date: 'd', amount: 'a' }, currency: 'EUR' };
  assert.equal(readStatementFile(Buffer.from('d;a\n2026-11-25;1\n'), csv)[0]?.lines[0]?.amountCents, 100n);
});

describe('it refuses', () => {
  const table: [title: string, file: Uint8Array, problem: BankFileProblem][] = [
    ['CSV without columns', Buffer.from('d;a\n2026-11-25;1\n'), 'unknown_format'],
    ['an archive', Buffer.from('PK\u0003\u0004camt.xml'), 'unknown_format'],
    ['an empty file', Buffer.alloc(0), 'unknown_format'],
    ['more than 10 MiB', Buffer.alloc(10 * 2 ** 20 + 1, '<'), 'too_large'],
  ];
  for (const [title, file, problem] of table)
    test(title, () =>
      assert.throws(
        () => readStatementFile(file, null),
        (error) => error instanceof BankFileRefused && error.problem === problem,
      ),
    );
});

test('a damaged file is read or refused, and never fails otherwise', () => {
  const csv = { columns: { date: 'd', amount: 'a', text: 't' }, currency: 'EUR' };
  const details = ':86:166?00X?20EREF+1?21SVWZ+x?32Ada\n:86:/REMI/STRD/CUR/RF8300001003/NAME/Ada\n';
  const files = [
    { file: Buffer.from(camt), profile: null },
    { file: Buffer.from(`\ufeff${camt}`, 'utf16le'), profile: null },
    { file: Buffer.from(mt940.replace(':62F', `${details}:62F`)), profile: null },
    { file: Buffer.from('d;a;t\n25.11.2026;"1.234,50";=1+1\n2026-11-25;-1,00 EUR;x\n'), profile: csv },
  ];
  const damage = fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      removed: fc.integer({ min: 0, max: 40 }),
      added: fc.oneof(
        fc.uint8Array({ maxLength: 6 }),
        fc
          .constantFrom('<', '</Ntry>', '&#0;', '&x;', ':61:', '\r', '"', ';', '-', '0')
          .map((text) => Buffer.from(text)),
      ),
    }),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(fc.constantFrom(...files), damage, ({ file, profile }, changes) => {
      let damaged = file;
      for (const { at, removed, added } of changes) {
        const start = Math.floor(at * damaged.length);
        damaged = Buffer.concat([damaged.subarray(0, start), added, damaged.subarray(start + removed)]);
      }
      try {
        readStatementFile(damaged, profile);
      } catch (error) {
        if (!(error instanceof BankFileRefused)) throw error;
        assert.match(error.message, /\.$|\?$/);
      }
    }),
    { numRuns: 500 },
  );
});
