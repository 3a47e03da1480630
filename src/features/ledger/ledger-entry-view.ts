// A ledger entry as the APIs show it.

import { formatAmount } from '../../shared/amounts.ts';
import { publicId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import type { LedgerEntry } from '../order-engine/records/ledger-entry.ts';
import type { LedgerEntryView } from './ledger-schemas.ts';

export function ledgerEntryView(entry: LedgerEntry, actor: string | null, currency: string): LedgerEntryView {
  const { accountId, number, orderNumber } = entry;
  return {
    id: publicId(accountId, number),
    number,
    kind: entry.kind,
    amount: formatAmount(entry.amountCents),
    balance_after: formatAmount(entry.balanceAfterCents),
    currency,
    order_id: orderNumber === null ? null : publicId(accountId, orderNumber),
    actor,
    memo: entry.memo,
    created_at: formatTime(entry.createdAt),
  };
}
