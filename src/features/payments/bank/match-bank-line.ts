// Decides which account a bank line is for. Only `account` may be credited without a person.

import type { BankLine } from './bank-statement.ts';
import { findRfReferences } from './rf-reference.ts';

export type BankLineMatch =
  | { readonly kind: 'account'; readonly accountId: number }
  /**
   * Money that went back. `isMarked`: the bank says so. Otherwise it is a debit with an account's reference, which can also
   * be a refund that the operator sent and has already recorded.
   */
  | { readonly kind: 'return'; readonly accountIds: readonly number[]; readonly isMarked: boolean }
  | { readonly kind: 'unmatched'; readonly reason: UnmatchedReason; readonly accountIds: readonly number[] };

/** In their order of precedence. */
export type UnmatchedReason =
  /** Not booked yet. */
  | 'pending'
  | 'other_currency'
  /** Several transactions in one amount. */
  | 'batch'
  /** A credit that the bank marks as a return: money that was sent from here came back. */
  | 'own_transfer_returned'
  | 'not_positive'
  | 'several_accounts'
  | 'no_account';

/** `accountOf`: null for a reference of no account. */
export function matchBankLine(
  line: BankLine,
  currency: string,
  accountOf: (reference: string) => number | null,
): BankLineMatch {
  const places = [line.reference, line.text, line.endToEndId].filter((place) => place !== null);
  const found = places.flatMap(findRfReferences).flatMap((reference) => accountOf(reference) ?? []);
  const accountIds = [...new Set(found)];
  const unmatched = (reason: UnmatchedReason): BankLineMatch => ({ kind: 'unmatched', reason, accountIds });

  if (!line.isBooked) return unmatched('pending');
  if (line.currency !== currency) return unmatched('other_currency');
  if (line.isUnsplitBatch) return unmatched('batch');
  if (line.amountCents < 0n && (line.isReturn || accountIds.length > 0))
    return { kind: 'return', accountIds, isMarked: line.isReturn };
  if (line.isReturn) return unmatched('own_transfer_returned');
  if (line.amountCents <= 0n) return unmatched('not_positive');
  if (accountIds.length > 1) return unmatched('several_accounts');
  const [accountId] = accountIds;
  return accountId === undefined ? unmatched('no_account') : { kind: 'account', accountId };
}
