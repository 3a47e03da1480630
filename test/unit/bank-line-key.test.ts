// Each line of a bank is booked once, however files overlap, and equal genuine lines are all booked.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { keyBankLines } from '../../src/features/payments/bank/bank-line-key.ts';
import type { BankLine, BankStatement } from '../../src/features/payments/bank/bank-statement.ts';
import { readCamt } from '../../src/features/payments/bank/camt-reader.ts';
import { bankIban, type CamtEntry, camtFile } from '../harness/camt-file.ts';
import '../harness/fixed-seed.ts';

const line: BankLine = {
  place: 1,
  bookedOn: '2026-11-25',
  amountCents: 1000n,
  currency: 'EUR',
  payerName: 'Ada',
  payerIban: null,
  text: 'Top-up',
  reference: null,
  endToEndId: null,
  bankId: null,
  isReturn: false,
  isBooked: true,
  isUnsplitBatch: false,
  partOf: null,
};

function statementOf(lines: readonly BankLine[], id: string | null = null): BankStatement {
  return { id, iban: bankIban, localAccount: null, currency: 'EUR', lines };
}

/** As a table with a unique key does. */
function booked(files: readonly (readonly BankStatement[])[]): BankLine[] {
  const known = new Map<string, BankLine>();
  for (const file of files)
    for (const keyed of keyBankLines(file, bankIban))
      if (!known.has(keyed.key)) known.set(keyed.key, keyed.line);
  return [...known.values()];
}

const camt = (entries: CamtEntry[], kind: '053' | '054' = '053') =>
  readCamt(Buffer.from(camtFile({ kind, entries })));

describe('two lines are the same', () => {
  const table: [title: string, change: Partial<BankLine>, areSame: boolean][] = [
    ['wherever they are in the file', { place: 9 }, true],
    ['in other line ends, spaces and case', { text: ' top-\nUP', payerName: 'ADA' }, true],
    ['but not on another day', { bookedOn: '2026-11-26' }, false],
    ['but not of another amount', { amountCents: 1001n }, false],
    ['but not with another sign', { amountCents: -1000n }, false],
    ['but not in another currency', { currency: 'CHF' }, false],
    ['but not of another payer', { payerName: 'Bob' }, false],
    ['but not from another account', { payerIban: 'NL91ABNA0417164300' }, false],
    ['but not with another text', { text: 'Top-up 2' }, false],
    ['but not with another reference', { reference: 'RF8300001003' }, false],
    ['but not with another id of the payer', { endToEndId: 'E-1' }, false],
  ];
  for (const [title, change, areSame] of table)
    test(title, () =>
      assert.equal(
        booked([[statementOf([line])], [statementOf([{ ...line, ...change }])]]).length,
        areSame ? 1 : 2,
      ),
    );
});

describe('with the same id of the bank, two lines are the same', () => {
  const table: [title: string, change: Partial<BankLine>, areSame: boolean][] = [
    ['with any texts', { text: 'x', payerName: null, payerIban: 'y', endToEndId: 'z' }, true],
    ['but not on another day, as banks repeat ids', { bookedOn: '2026-11-26' }, false],
    ['but not of another amount', { amountCents: 1001n }, false],
    ['but not with another sign', { amountCents: -1000n }, false],
    ['but not with another id', { bankId: 'B-2' }, false],
  ];
  for (const [title, change, areSame] of table)
    test(title, () => {
      const first = { ...line, bankId: 'B-1' };
      assert.equal(
        booked([[statementOf([first])], [statementOf([{ ...first, ...change }])]]).length,
        areSame ? 1 : 2,
      );
    });
});

test('the lines of another own account are others', () => {
  const keys = [bankIban, 'NL91ABNA0417164300'].map(
    (iban) => keyBankLines([statementOf([line])], iban)[0]?.key,
  );
  assert.notEqual(keys[0], keys[1]);
});

test('two genuine equal lines on one day are two, and stay two', () => {
  const file = [statementOf([line, line])];
  assert.equal(booked([file, file, file]).length, 2);
  assert.equal(booked([[statementOf([line])], file]).length, 2);
  assert.equal(booked([[statementOf([line]), statementOf([line])]]).length, 2);
});

test('the same statement twice in one file is one', () => {
  const lines = [line, line, { ...line, text: 'x' }];
  assert.equal(booked([[statementOf(lines, 'S-1'), statementOf(lines, 'S-1')]]).length, 3);
  assert.equal(booked([[statementOf(lines, 'S-1'), statementOf(lines, 'S-2')]]).length, 6);
});

test('pending lines have no key', () => {
  assert.deepEqual(keyBankLines([statementOf([{ ...line, isBooked: false }])], bankIban), []);
});

test('the numbers of entries, which begin at 1 in every file, are not ids', () => {
  const day = (bookedOn: string) => camt([{ amount: '1.00', bookedOn }]);
  assert.equal(booked([day('2026-11-24'), day('2026-11-25')]).length, 2);
});

test('a statement and a notification of one booking are one', () => {
  const full = '<RltdPties><Dbtr><Nm>Ada</Nm></Dbtr></RltdPties><RmtInf><Ustrd>RF8300001003</Ustrd></RmtInf>';
  const statement = camt([{ amount: '5.00', id: 'A-1' }]);
  const notification = camt([{ amount: '5.00', id: 'A-1', transactions: [full] }], '054');
  assert.equal(booked([statement, notification]).length, 1);
  assert.equal(booked([notification, statement]).length, 1);
});

describe('a batch', () => {
  const part = (amount: string, payer: string) =>
    `<Amt Ccy="EUR">${amount}</Amt><RltdPties><Dbtr><Nm>${payer}</Nm></Dbtr></RltdPties>`;
  const split = camt(
    [{ amount: '5.00', id: 'A-1', transactions: ['Ada', 'Bob'].map((payer) => part('2.50', payer)) }],
    '054',
  );
  const other = camt([
    { amount: '5.00', id: 'A-1', transactions: ['Bob', 'Ada'].map((payer) => part('2.50', payer)) },
  ]);
  const whole = camt([{ amount: '5.00', id: 'A-1', announced: 2 }]);

  test('whose parts share its id and amount is booked part by part, once, in any order', () => {
    assert.deepEqual(
      booked([split, other, split]).map(({ payerName }) => payerName),
      ['Ada', 'Bob'],
    );
  });

  test('has parts that name the key of the whole', () => {
    const [wholeLine] = keyBankLines(whole, bankIban);
    const parts = keyBankLines(split, bankIban);
    assert.deepEqual(
      parts.map(({ wholeKey }) => wholeKey),
      [wholeLine?.key, wholeLine?.key],
    );
    assert.equal(wholeLine?.wholeKey, null);
    assert.ok(parts.every(({ key }) => key !== wholeLine?.key));
  });

  test('without an id has parts that name no whole', () => {
    const parts = camt([{ amount: '2', transactions: [part('1', 'Ada'), part('1', 'Bob')] }]);
    assert.deepEqual(
      keyBankLines(parts, bankIban).map(({ wholeKey }) => wholeKey),
      [null, null],
    );
  });
});

// What was booked on each of ten days. There are few values, so that equal lines are frequent.
const bookings = fc.array(
  fc.record({
    day: fc.integer({ min: 1, max: 10 }),
    amountCents: fc.constantFrom(1000n, 2000n, -1000n),
    payerName: fc.constantFrom('Ada', 'Bob', null),
    text: fc.constantFrom('Top-up', ''),
    // Banks repeat ids, in a batch or from day to day.
    id: fc.constantFrom('B-1', 'B-2', 'B-3', null),
    // A later notification of the same booking, with another text.
    otherText: fc.constantFrom('Top-up', 'TOP-UP RF8300001003'),
  }),
  { maxLength: 40 },
);
const periods = fc.array(
  fc.record({
    from: fc.integer({ min: 1, max: 10 }),
    days: fc.integer({ min: 1, max: 8 }),
    order: fc.integer(),
    isNotification: fc.boolean(),
  }),
  {
    maxLength: 12,
  },
);

test('any overlapping files of whole days book each line of their days once', () => {
  fc.assert(
    fc.property(bookings, periods, fc.boolean(), (bank, files, canDiffer) => {
      const lines = bank.map(({ day, amountCents, payerName, text, id, otherText }, index) => {
        const bankId = id ?? (canDiffer ? 'B-4' : null);
        const bookedOn = `2026-11-${String(day).padStart(2, '0')}`;
        return { ...line, place: index, bookedOn, amountCents, payerName, text, bankId, otherText, day };
      });
      const wanted = new Set<number>();
      const imported = files.map(({ from, days, order, isNotification }) => {
        const inside = lines.filter(({ day }) => day >= from && day < from + days);
        for (const { place } of inside) wanted.add(place);
        const shown = inside.map(({ otherText, day: _, ...each }) =>
          isNotification && canDiffer ? { ...each, text: otherText, payerName: null } : each,
        );
        return [statementOf(shuffled(shown, order))];
      });
      const found = booked(imported);
      assert.equal(found.length, wanted.size);
      // Equal lines are interchangeable, so compare their content.
      const summary = (all: readonly BankLine[]) =>
        all.map(({ bookedOn, amountCents }) => `${bookedOn} ${amountCents}`).sort();
      assert.deepEqual(summary(found), summary(lines.filter(({ place }) => wanted.has(place))));
    }),
  );
});

function shuffled<Item>(items: readonly Item[], order: number): Item[] {
  return items
    .map((item, index) => ({ item, rank: Math.imul(order ^ (index + 1), 2_654_435_761) >>> 0 }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}
