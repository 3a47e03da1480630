import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatAmount, parseAmount, savingPercent } from '../../src/shared/amounts.ts';
import '../harness/fixed-seed.ts';

describe('amounts are shown with two decimals', () => {
  const table: [cents: bigint, text: string][] = [
    [0n, '0.00'],
    [1n, '0.01'],
    [99n, '0.99'],
    [100n, '1.00'],
    [123_456n, '1234.56'],
    [-5n, '-0.05'],
    [-100n, '-1.00'],
    [-123_456n, '-1234.56'],
    [100_000_000_000_000n, '1000000000000.00'],
    [9_007_199_254_740_993n, '90071992547409.93'], // one more than a double can count
  ];
  for (const [cents, text] of table) {
    test(`${cents} cents are ${text}`, () => assert.equal(formatAmount(cents), text));
  }
});

describe('amounts are read exactly or not at all', () => {
  const table: [text: unknown, cents: bigint | null][] = [
    ['0', 0n],
    ['12', 1200n],
    ['12.3', 1230n],
    ['12.34', 1234n],
    ['-12.34', -1234n],
    ['-0.05', -5n],
    ['007.50', 750n],
    ['999999999999.99', 99_999_999_999_999n],
    ['1000000000000', null],
    ['12.345', null],
    ['12.', null],
    ['.5', null],
    ['+1', null],
    ['--1', null],
    ['1,50', null],
    ['1e3', null],
    [' 1', null],
    ['1\n', null],
    ['', null],
    ['-', null],
    ['٣', null],
    ['NaN', null],
    [12, null],
    [12n, null],
    [null, null],
    [undefined, null],
    [['12'], null],
  ];
  for (const [text, cents] of table) {
    const shown = typeof text === 'string' ? JSON.stringify(text) : `${typeof text} ${String(text)}`;
    test(`${shown} is ${cents}`, () => assert.equal(parseAmount(text), cents));
  }

  test('what is shown is read back as the same cents', () => {
    const cents = fc.bigInt({ min: -99_999_999_999_999n, max: 99_999_999_999_999n });
    fc.assert(fc.property(cents, (amount) => parseAmount(formatAmount(amount)) === amount));
  });
});

describe('the saving is whole percents, rounded down, never below 0', () => {
  const table: [price: bigint, monthly: bigint, months: number, percent: number][] = [
    [1000n, 1000n, 1, 0],
    [2700n, 1000n, 3, 10],
    [9600n, 1000n, 12, 20],
    [2999n, 1000n, 3, 0],
    [2970n, 1000n, 3, 1],
    [2971n, 1000n, 3, 0],
    [2000n, 1000n, 3, 33],
    [3001n, 1000n, 3, 0],
    [0n, 1000n, 12, 100],
    [1n, 1000n, 12, 99],
    [0n, 0n, 3, 0],
    [5n, 0n, 3, 0],
    [10n ** 17n, 10n ** 17n, 12, 91],
  ];
  for (const [price, monthly, months, percent] of table) {
    test(`${price} for ${months} × ${monthly} saves ${percent} %`, () =>
      assert.equal(savingPercent(price, monthly, months), percent));
  }
});
