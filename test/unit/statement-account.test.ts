// Whether a statement is of the account that top-ups are paid to, also where the file has no IBAN.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfAccount } from '../../src/features/payments/bank/statement-account.ts';

const own = 'DE89370400440532013000';

test('a statement belongs to the account if its IBAN, or every number of its local form, does', () => {
  const table: [iban: string | null, localAccount: string | null, isOurs: boolean][] = [
    [own, null, true],
    ['GB29NWBK60161331926819', null, false],
    ['DE89370400440532013001', null, false],
    [null, null, true],
    [null, '37040044/0532013000', true],
    [null, '37040044/532013000', true],
    [null, '0532013000', true],
    [null, 'COBADEFF/0532013000', true],
    [null, '37040044/0532013001', false],
    [null, '20041010/0532013000', false],
    [null, '0123456789', false],
  ];
  for (const [iban, localAccount, isOurs] of table)
    assert.equal(isOfAccount({ iban, localAccount }, own), isOurs, `${iban} ${localAccount}`);
});
