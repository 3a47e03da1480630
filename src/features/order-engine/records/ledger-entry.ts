// A row of `ledger_entries`: money that moved on an account, with the balance it left. Written by the order batch
// alone, never changed.

import {
  cents,
  describeTable,
  int,
  nullableInt,
  nullableText,
  oneOf,
  type RowOf,
  time,
} from '../../../platform/database/table.ts';

export const entryKinds = ['charge', 'refund', 'credit', 'debit'] as const;
export type EntryKind = (typeof entryKinds)[number];

export const ledgerEntries = describeTable('ledger_entries', {
  accountId: int('account_id'),
  number: int('number'),
  kind: oneOf('kind', entryKinds),
  /** Negative for charges and debits. */
  amountCents: cents('amount_cents'),
  balanceAfterCents: cents('balance_after_cents'),
  createdAt: time('created_at'),
  orderNumber: nullableInt('order_number'),
  /** Of credits and debits: the administrator who made it, the memo, the key that makes a retry safe. */
  actorId: nullableInt('actor_id'),
  memo: nullableText('memo'),
  idempotencyKey: nullableText('idempotency_key'),
  fingerprint: nullableText('fingerprint'),
});

export type LedgerEntry = RowOf<typeof ledgerEntries>;

/**
 * Whether an entry was made when its order was settled, and not when it was placed (order_handoffs): those stand anywhere
 * behind the others. A scalar subquery: one look at an index for each entry, however many orders were ever handed over.
 */
export function isSettling(entry: string): string {
  return `coalesce((select h.entry_number <= ${entry}.number from order_handoffs h
          where h.account_id = ${entry}.account_id and h.order_number = ${entry}.order_number), false)`;
}
