// What was added to a balance, or taken from it, by hand as a document of one page: a receipt, or a debit note. Called by the
// routes of the ledger, for the account and for the operator.
// Always true: its number is that of the ledger entry, which no other entry of the account has and which never changes.

import { formatAmount } from '../../contract/amounts.ts';
import type { LedgerEntry } from '../../ledger/ledger-entry.ts';
import type { Speech } from '../../text/speech.ts';
import { type Letterhead, openLetterDocument, paper } from './letterhead-pdf.ts';

export interface ReceiptHead {
  readonly entry: LedgerEntry;
  readonly letterhead: Letterhead;
  readonly speech: Speech;
  readonly accountName: string;
  readonly username: string;
  readonly currency: string;
}

/** Charges and refunds have their orders, and stand on statements. */
export function hasReceipt({ kind }: Pick<LedgerEntry, 'kind'>): boolean {
  return kind === 'credit' || kind === 'debit';
}

/** "1003-27": of account 1003, its entry 27. */
export function receiptNumber({ accountId, number }: Pick<LedgerEntry, 'accountId' | 'number'>): string {
  return `${accountId}-${number}`;
}

export async function* receiptPdf({
  entry,
  letterhead,
  speech,
  accountName,
  username,
  currency,
}: ReceiptHead): AsyncGenerator<Buffer> {
  const { say } = speech;
  const isCredit = entry.kind === 'credit';
  const number = receiptNumber(entry);
  const short = say(isCredit ? 'receipt_short' : 'debit_short', { number, account: username });
  const { createdAt } = entry;
  const document = await openLetterDocument({ ...letterhead, speech, title: short, createdAt });
  document.beginPage();
  document.putLetterhead();
  const width = paper.right - paper.left;
  document.put(say(isCredit ? 'receipt_title' : 'debit_title', { number }), paper.left, width, {
    size: 16,
    isBold: true,
  });
  document.y += 34;
  const money = (cents: bigint) => `${speech.amount(formatAmount(cents))} ${currency}`;
  const amountCents = isCredit ? entry.amountCents : -entry.amountCents;
  for (const [name, value, isBold] of [
    [say('receipt_number'), number, false],
    [say('receipt_date'), speech.moment(createdAt), false],
    [say('receipt_account'), accountName === username ? username : `${accountName} (${username})`, false],
    [say('receipt_memo'), entry.memo ?? '', false],
    [say('receipt_amount'), money(amountCents), true],
    [say('receipt_balance'), money(entry.balanceAfterCents), false],
  ] as const) {
    if (value === '') continue;
    document.put(name, paper.left, 130, { size: 10 });
    document.put(value, paper.left + 140, width - 140, { size: 10, isBold });
    document.y += 18;
  }
  document.y += 10;
  document.put(say(isCredit ? 'receipt_text' : 'debit_text'), paper.left, width, { size: 10 });
  yield* document.end();
}
