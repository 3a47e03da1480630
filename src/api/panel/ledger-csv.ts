// A ledger as CSV, page by page: whoever reads slowly holds no connection to the database. Texts that a
// spreadsheet would take for formulas begin with an apostrophe; numbers stay as they are.

import { stringify } from 'csv-stringify/sync';
import { formatAmount } from '../../contract/amounts.ts';
import { publicId } from '../../contract/identifiers.ts';
import { formatTime } from '../../contract/times.ts';
import type { FoundEntry } from '../../ledger/ledger-search.ts';

const columns = [
  'number',
  'created_at',
  'kind',
  'amount',
  'balance_after',
  'currency',
  'order_id',
  'customer',
  'actor',
  'memo',
] as const;

/** The header, then one piece of text for each page of entries. */
export async function* ledgerCsv(
  pages: AsyncIterable<readonly FoundEntry[]>,
  currency: string,
): AsyncGenerator<string> {
  yield stringify([[...columns]]);
  for await (const page of pages) yield stringify(page.map((found) => cellsOf(found, currency)));
}

function cellsOf({ entry, actor, customerReference }: FoundEntry, currency: string): string[] {
  const { accountId, number, kind, amountCents, balanceAfterCents, createdAt, orderNumber, memo } = entry;
  return [
    String(number),
    formatTime(createdAt),
    kind,
    formatAmount(amountCents),
    formatAmount(balanceAfterCents),
    currency,
    orderNumber === null ? '' : String(publicId(accountId, orderNumber)),
    inert(customerReference ?? ''),
    inert(actor ?? ''),
    inert(memo ?? ''),
  ];
}

/** Spreadsheets compute what begins like this, some after blanks, some in full width. */
function inert(text: string): string {
  return /^[\s\p{Cf}]*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u.test(text) ? `'${text}` : text;
}
