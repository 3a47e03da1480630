// A row of `ledger_entries`: money that moved on an account, with the balance it left. Written by the order batch
// alone, never changed.

import type { EpochSeconds } from '../contract/times.ts';
import type { Row } from '../database/database.ts';
import { bigint, nullable, oneOf } from '../database/row-values.ts';

export type EntryKind = 'charge' | 'refund' | 'credit' | 'debit';

/** A row of `ledger_entries`. */
export interface LedgerEntry {
  readonly accountId: number;
  readonly number: number;
  readonly kind: EntryKind;
  /** Negative for charges and debits. */
  readonly amountCents: bigint;
  readonly balanceAfterCents: bigint;
  readonly createdAt: EpochSeconds;
  readonly orderNumber: number | null;
  readonly actorId: number | null;
  readonly memo: string | null;
  readonly idempotencyKey: string | null;
  readonly fingerprint: string | null;
}

/** The columns that parseEntry reads. */
export function entryColumns(table: string): string {
  return `${table}.account_id, ${table}.number, ${table}.kind, ${table}.amount_cents, ${table}.balance_after_cents,
    ${table}.created_at, ${table}.order_number, ${table}.actor_id, ${table}.memo, ${table}.idempotency_key,
    ${table}.fingerprint`;
}

export function parseEntry(row: Row): LedgerEntry {
  return {
    accountId: Number(row['account_id']),
    number: Number(row['number']),
    kind: oneOf(['charge', 'refund', 'credit', 'debit'] satisfies EntryKind[], row['kind']),
    amountCents: bigint(row['amount_cents']),
    balanceAfterCents: bigint(row['balance_after_cents']),
    createdAt: Number(row['created_at']),
    orderNumber: nullable(Number, row['order_number']),
    actorId: nullable(Number, row['actor_id']),
    memo: nullable(String, row['memo']),
    idempotencyKey: nullable(String, row['idempotency_key']),
    fingerprint: nullable(String, row['fingerprint']),
  };
}
