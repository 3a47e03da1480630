// Which account a bank line is credited to, and when a person has to decide.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BankLine } from '../../src/features/payments/bank/bank-statement.ts';
import { type BankLineMatch, matchBankLine } from '../../src/features/payments/bank/match-bank-line.ts';
import {
  accountIdOfReference,
  rfReference,
  spacedReference,
} from '../../src/features/payments/bank/rf-reference.ts';

const line: BankLine = {
  place: 1,
  bookedOn: '2026-11-25',
  amountCents: 1000n,
  currency: 'EUR',
  payerName: 'Ada',
  payerIban: null,
  text: '',
  reference: null,
  endToEndId: null,
  bankId: null,
  isReturn: false,
  isBooked: true,
  isUnsplitBatch: false,
  partOf: null,
};
const ours = rfReference(1003);
const other = rfReference(1004);
const missing = rfReference(9999);

/** Accounts 1003 and 1004 exist. */
function accountOf(reference: string): number | null {
  const accountId = accountIdOfReference(reference);
  return accountId === 1003 || accountId === 1004 ? accountId : null;
}

const credited: BankLineMatch = { kind: 'account', accountId: 1003 };
const unmatched = (reason: string, ...accountIds: number[]) => ({ kind: 'unmatched', reason, accountIds });
const returned = (isMarked: boolean, ...accountIds: number[]) => ({ kind: 'return', accountIds, isMarked });

describe('a line', () => {
  const table: [title: string, change: Partial<BankLine>, expected: object][] = [
    ['with the reference in its field', { reference: ours }, credited],
    ['with the reference in the text', { text: `Top-up ${spacedReference(ours)} thanks` }, credited],
    ['with the reference in the payer’s id', { endToEndId: ours.toLowerCase() }, credited],
    ['with the reference split over lines', { text: 'RF83 00\n00 1003' }, credited],
    ['with the reference everywhere', { reference: ours, text: ours, endToEndId: ours }, credited],
    ['with a reference of no account as well', { reference: missing, text: ours }, credited],
    ['of one cent', { reference: ours, amountCents: 1n }, credited],
    ['without a reference', { text: 'Top-up 1003' }, unmatched('no_account')],
    ['with a reference of no account', { reference: missing }, unmatched('no_account')],
    ['with wrong check digits', { reference: ours.replace('83', '84') }, unmatched('no_account')],
    ['with the reference only in the payer’s name', { payerName: ours }, unmatched('no_account')],
    ['with two accounts', { reference: ours, text: other }, unmatched('several_accounts', 1003, 1004)],
    [
      'with two accounts in the text',
      { text: `${ours} ${other}` },
      unmatched('several_accounts', 1003, 1004),
    ],
    ['in another currency', { reference: ours, currency: 'CHF' }, unmatched('other_currency', 1003)],
    ['that is pending', { reference: ours, isBooked: false }, unmatched('pending', 1003)],
    ['of zero', { reference: ours, amountCents: 0n }, unmatched('not_positive', 1003)],
    ['that is a debit without a reference', { amountCents: -1000n }, unmatched('not_positive')],
    ['that is a batch', { text: ours, isUnsplitBatch: true }, unmatched('batch', 1003)],
    [
      'that returns a transfer',
      { reference: ours, amountCents: -1000n, isReturn: true },
      returned(true, 1003),
    ],
    ['that returns a transfer without a reference', { amountCents: -1000n, isReturn: true }, returned(true)],
    [
      'that returns a transfer in another currency',
      { amountCents: -1000n, isReturn: true, currency: 'CHF' },
      unmatched('other_currency'),
    ],
    ['that is a debit with a reference', { text: ours, amountCents: -1000n }, returned(false, 1003)],
    [
      'that brings back our own transfer',
      { text: ours, isReturn: true },
      unmatched('own_transfer_returned', 1003),
    ],
  ];
  for (const [title, change, expected] of table)
    test(title, () => assert.deepEqual(matchBankLine({ ...line, ...change }, 'EUR', accountOf), expected));
});
