// Payment references of accounts: their check digits, and where they are found in what payers and banks write.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  accountIdOfReference,
  findNearlyNamedAccounts,
  findRfReferences,
  rfReference,
  spacedReference,
} from '../../src/features/payments/bank/rf-reference.ts';
import { accountIdMax } from '../../src/shared/identifiers.ts';
import '../harness/fixed-seed.ts';

const accountIds = fc.integer({ min: 1, max: accountIdMax });

test('account 1003 has RF83 0000 1003', () => {
  assert.equal(rfReference(1003), 'RF8300001003');
  assert.equal(spacedReference(rfReference(1003)), 'RF83 0000 1003');
});

test('the check digits are those of ISO 7064: the whole number is 1 modulo 97', () => {
  fc.assert(
    fc.property(accountIds, (id) => {
      const reference = rfReference(id);
      assert.match(reference, /^RF\d{10}$/);
      const digits = `${reference.slice(4)}2715${reference.slice(2, 4)}`;
      assert.equal(BigInt(digits) % 97n, 1n);
      assert.equal(accountIdOfReference(reference), id);
    }),
  );
});

test('only ids of accounts have a reference', () => {
  for (const id of [0, -1, 1.5, accountIdMax + 1, Number.NaN])
    assert.throws(() => rfReference(id), RangeError);
});

describe('an account is suggested where its reference has one mistake', () => {
  const table: [text: string, why: string, suggested: boolean][] = [
    ['RF84 0000 1003', 'wrong check digits', true],
    ['RF8300001008', 'one digit', true],
    ['RF8300001030', 'two digits swapped', true],
    ['Thanks! rf83-0000-0103.', 'two swapped, in a text', true],
    ['RF8300001003', 'none: it is credited without a person', false],
    ['RF8400001008', 'two mistakes', false],
    ['8400001003', 'without RF', false],
  ];
  for (const [text, why, suggested] of table)
    test(`${why}: ${JSON.stringify(text)}`, () =>
      assert.equal(findNearlyNamedAccounts(text).includes(1003), suggested));
});

test('one wrong digit, or two neighbors exchanged, is no reference', () => {
  fc.assert(
    fc.property(
      accountIds,
      fc.integer({ min: 2, max: 11 }),
      fc.integer({ min: 1, max: 9 }),
      (id, place, step) => {
        const reference = rfReference(id);
        const digits = [...reference];
        digits[place] = String((Number(digits[place]) + step) % 10);
        assert.deepEqual(findRfReferences(digits.join('')), []);
        const [left = '', right = ''] = [reference[place], reference[place + 1]];
        if (place < 11 && left !== right)
          assert.deepEqual(
            findRfReferences(reference.slice(0, place) + right + left + reference.slice(place + 2)),
            [],
          );
      },
    ),
  );
});

describe('a reference is found', () => {
  const table: [text: string, found: string[]][] = [
    ['RF8300001003', ['RF8300001003']],
    ['RF83 0000 1003', ['RF8300001003']],
    ['rf83 0000 1003', ['RF8300001003']],
    ['Top-up, Rf83-0000-1003.', ['RF8300001003']],
    ['R F 8 3 0 0 0 0 1 0 0 3', ['RF8300001003']],
    ['Top-up RF83 00\n00 1003', ['RF8300001003']],
    ['Top-up RF8300\r\n001003 thanks', ['RF8300001003']],
    ['R\nF8300001003', ['RF8300001003']],
    ['thanks\nRF8300001003\nthanks', ['RF8300001003']],
    ['SVWZ+RF8300001003', ['RF8300001003']],
    ['/REMI/RF8300001003/', ['RF8300001003']],
    ['RF83\u00a00000\u00a01003', ['RF8300001003']],
    ['RF83 0000 1003 500 EUR', ['RF8300001003']],
    ['RF8300001003 rf83 0000 1003', ['RF8300001003']],
    [`${rfReference(7)} and ${rfReference(1003)}`, [rfReference(7), 'RF8300001003']],
    ['RF RF8300001003', ['RF8300001003']],
    ['RF83 RF8300001003', ['RF8300001003']],
  ];
  for (const [text, found] of table)
    test(`in ${JSON.stringify(text)}`, () => assert.deepEqual(findRfReferences(text), found));
});

describe('no reference is found', () => {
  const table: [text: string, why: string][] = [
    ['RF8400001003', 'wrong check digits'],
    ['RF0000001003', 'check digits that do not exist'],
    ['XRF8300001003', 'a letter before it'],
    ['1RF8300001003', 'a digit before it'],
    ['ÄRF8300001003', 'a letter beyond ASCII before it'],
    ['RF8300001003X', 'a letter behind it'],
    ['RF83000010034', 'a digit behind it'],
    ['RF8300001003é', 'a letter beyond ASCII behind it'],
    ['RF830000100', 'too short'],
    ['RF83 1003', 'without its zeros'],
    ['RF18539007547034', 'of another creditor'],
    ['RF83______00001003', 'other characters within'],
    [`RF83${' '.repeat(5)}00001003`, 'too far apart'],
    ['RF8300000000', 'account 0'],
    ['', 'an empty text'],
  ];
  for (const [text, why] of table)
    test(`${why}: ${JSON.stringify(text)}`, () => assert.deepEqual(findRfReferences(text), []));
});

test('a reference is found with any case and any spaces and line ends within', () => {
  const gaps = fc.array(fc.constantFrom('', ' ', '\n', '\r\n', '-', '. '), { minLength: 11, maxLength: 11 });
  fc.assert(
    fc.property(accountIds, gaps, fc.boolean(), (id, between, isLower) => {
      const reference = rfReference(id);
      const written = [...reference].map((character, index) => character + (between[index] ?? '')).join('');
      const text = `invoice 12 ${isLower ? written.toLowerCase() : written}, thanks`;
      assert.deepEqual(findRfReferences(text), [reference]);
    }),
  );
});

test('a long text of beginnings is searched in linear time', () => {
  assert.deepEqual(findRfReferences('RF8 3 0000 '.repeat(100_000)), []);
  assert.deepEqual(findRfReferences('R    '.repeat(200_000)), []);
});
