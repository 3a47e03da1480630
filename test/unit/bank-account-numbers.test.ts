// IBAN, BIC, and the notations by which statements name their account.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isStatementOf, parseBic, parseIban } from '../../src/features/payments/bank/bank-account-numbers.ts';

describe('an IBAN', () => {
  const table: [text: string, iban: string | null][] = [
    ['DE89370400440532013000', 'DE89370400440532013000'],
    [' de89 3704 0044 0532 0130 00', 'DE89370400440532013000'],
    ['NL91 ABNA 0417 1643 00', 'NL91ABNA0417164300'],
    ['DE88370400440532013000', null],
    ['DE8937040044053201300', null],
    ['XX89370400440532013000', null],
    ['37040044/0532013000', null],
    ['', null],
  ];
  for (const [text, iban] of table)
    test(`"${text}" is ${iban ?? 'refused'}`, () => assert.equal(parseIban(text), iban));
});

describe('a BIC', () => {
  const table: [text: string, bic: string | null][] = [
    ['COBADEFFXXX', 'COBADEFFXXX'],
    ['cobadeff', 'COBADEFF'],
    ['COBADEF', null],
    ['1OBADEFF', null],
    ['', null],
  ];
  for (const [text, bic] of table)
    test(`"${text}" is ${bic ?? 'refused'}`, () => assert.equal(parseBic(text), bic));
});

describe('a statement belongs to DE89370400440532013000', () => {
  const table: [iban: string | null, localAccount: string | null, isOurs: boolean][] = [
    ['DE89370400440532013000', null, true],
    ['DE02120300000000202051', null, false],
    [null, '37040044/0532013000', true],
    [null, '37040044/532013000', true],
    [null, '37040045/0532013000', false],
    [null, '37040044/32013000', false],
    [null, '0532013000', true],
    [null, '0532013001', false],
    [null, '013000', false],
    [null, '/', false],
    [null, null, false],
  ];
  for (const [iban, localAccount, isOurs] of table)
    test(`${iban ?? localAccount}: ${isOurs}`, () =>
      assert.equal(isStatementOf({ iban, localAccount }, 'DE89370400440532013000'), isOurs));
});
