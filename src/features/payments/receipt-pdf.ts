// A one-page receipt or debit note for a manual ledger entry.
// Invariant: its number is the ledger entry's, so it is unique within the account and permanent.

import type { Translator } from '../../platform/text/translator.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { type Letterhead, openLetterDocument, paper } from '../brand/letterhead-pdf.ts';
import type { LedgerEntry } from '../order-engine/records/ledger-entry.ts';

export interface ReceiptHead {
  readonly entry: LedgerEntry;
  readonly letterhead: Letterhead;
  readonly translator: Translator;
  readonly accountName: string;
  readonly username: string;
  readonly currency: string;
}

/** Charges and refunds are documented by orders and statements instead. */
export function hasReceipt({ kind }: Pick<LedgerEntry, 'kind'>): boolean {
  return kind === 'credit' || kind === 'debit';
}

/** "1003-27" is entry 27 of account 1003. */
export function receiptNumber({ accountId, number }: Pick<LedgerEntry, 'accountId' | 'number'>): string {
  return `${accountId}-${number}`;
}

export async function* receiptPdf({
  entry,
  letterhead,
  translator,
  accountName,
  username,
  currency,
}: ReceiptHead): AsyncGenerator<Buffer> {
  const { t } = translator;
  const isCredit = entry.kind === 'credit';
  const number = receiptNumber(entry);
  const short = t(isCredit ? 'receipt_short' : 'debit_short', { number, account: username });
  const { createdAt } = entry;
  const document = await openLetterDocument({ ...letterhead, translator, title: short, createdAt });
  document.beginPage();
  document.putLetterhead();
  const width = paper.right - paper.left;
  document.put(t(isCredit ? 'receipt_title' : 'debit_title', { number }), paper.left, width, {
    size: 16,
    isBold: true,
  });
  document.y += 34;
  const money = (cents: bigint) => `${translator.amount(formatAmount(cents))} ${currency}`;
  const amountCents = isCredit ? entry.amountCents : -entry.amountCents;
  for (const [name, value, isBold] of [
    [t('receipt_number'), number, false],
    [t('receipt_date'), translator.moment(createdAt), false],
    [t('receipt_account'), accountName === username ? username : `${accountName} (${username})`, false],
    [t('receipt_memo'), entry.memo ?? '', false],
    [t('receipt_amount'), money(amountCents), true],
    [t('receipt_balance'), money(entry.balanceAfterCents), false],
  ] as const) {
    if (value === '') continue;
    document.put(name, paper.left, 130, { size: 10 });
    document.put(value, paper.left + 140, width - 140, { size: 10, isBold });
    document.y += 18;
  }
  document.y += 10;
  document.put(t(isCredit ? 'receipt_text' : 'debit_text'), paper.left, width, { size: 10 });
  yield* document.end();
}
