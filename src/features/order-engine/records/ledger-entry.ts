// The table ledger_entries: amounts moved, each with the resulting balance. Only the order batch writes it, and rows never
// change.

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

export const entryKinds = [
  'charge',
  'refund',
  'credit',
  'debit',
  'reversal',
  'settlement',
  'reinstatement',
] as const;
export type EntryKind = (typeof entryKinds)[number];

export const ledgerEntries = describeTable('ledger_entries', {
  accountId: int('account_id'),
  number: int('number'),
  kind: oneOf('kind', entryKinds),
  /** Negative for charges, debits, reversals and settlements. */
  amountCents: cents('amount_cents'),
  balanceAfterCents: cents('balance_after_cents'),
  createdAt: time('created_at'),
  orderNumber: nullableInt('order_number'),
  actorId: nullableInt('actor_id'),
  memo: nullableText('memo'),
  idempotencyKey: nullableText('idempotency_key'),
  fingerprint: nullableText('fingerprint'),
});

export type LedgerEntry = RowOf<typeof ledgerEntries>;

/** Entries of a settlement may be anywhere later. A scalar subquery costs only one index look-up per entry. */
export function isSettling(entry: string): string {
  return `coalesce((select h.entry_number <= ${entry}.number from order_handoffs h
          where h.account_id = ${entry}.account_id and h.order_number = ${entry}.order_number), false)`;
}
