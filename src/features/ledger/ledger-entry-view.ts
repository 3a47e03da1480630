import { formatAmount } from '../../shared/amounts.ts';
import { publicId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import type { OrderOutcome } from '../order-engine/decisions/order-commands.ts';
import type { LedgerEntry } from '../order-engine/records/ledger-entry.ts';
import type { CreditedView, LedgerEntryView } from './ledger-schemas.ts';

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

export function creditedView(
  { entry, settledCents, receivableCents }: Extract<OrderOutcome, { readonly type: 'credited' }>,
  actor: string | null,
  currency: string,
): CreditedView {
  return {
    entry: ledgerEntryView(entry, actor, currency),
    balance: formatAmount(entry.balanceAfterCents - settledCents),
    ...(settledCents > 0n && {
      settled: formatAmount(settledCents),
      receivable: formatAmount(receivableCents),
    }),
  };
}
