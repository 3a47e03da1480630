import { csvOf, type Pages } from '../../platform/http/csv.ts';
import { formatAmount } from '../../shared/amounts.ts';
import type { CsvCell } from '../../shared/csv-text.ts';
import { publicId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import type { ListedEntry } from './find-entries.ts';

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

export function ledgerCsv(pages: Pages<ListedEntry>, currency: string): AsyncGenerator<string> {
  return csvOf(pages, columns, (found) => cellsOf(found, currency));
}

function cellsOf({ entry, actor, customerReference }: ListedEntry, currency: string): CsvCell[] {
  const { accountId, number, kind, amountCents, balanceAfterCents, createdAt, orderNumber, memo } = entry;
  return [
    String(number),
    formatTime(createdAt),
    kind,
    formatAmount(amountCents),
    formatAmount(balanceAfterCents),
    currency,
    orderNumber === null ? '' : String(publicId(accountId, orderNumber)),
    { text: customerReference ?? '' },
    { text: actor ?? '' },
    { text: memo ?? '' },
  ];
}
