// Payments of top-ups and what goes back: the tables payments, reversals and payment_entries. Only the order batch writes
// them. The feature `payments` writes topups, which the batch reads: a top-up says what was asked for and how much.

import {
  cents,
  describeTable,
  int,
  nullableInt,
  nullableText,
  nullableTime,
  oneOf,
  type RowOf,
  text,
  time,
} from '../../../platform/database/table.ts';
import {
  type PaidStatus,
  type TopupStatus,
  topupMethods,
  unpaidStatuses,
} from '../../../shared/topup-words.ts';

/** What the batch reads. The feature `payments` has more columns (topup-store.ts). */
export const topupColumns = {
  accountId: int('account_id'),
  number: int('number'),
  method: oneOf('method', topupMethods),
  amountCents: cents('amount_cents'),
  /** What became of it before its payment was credited. */
  status: oneOf('status', unpaidStatuses),
  createdAt: time('created_at'),
  expiresAt: nullableTime('expires_at'),
};

export const topups = describeTable('topups', topupColumns);

export type Topup = RowOf<typeof topups>;

export const payments = describeTable('payments', {
  accountId: int('account_id'),
  topupNumber: int('topup_number'),
  /** The provider and its name of the payment: "stripe:pi_…". */
  paymentRef: text('payment_ref'),
  amountCents: cents('amount_cents'),
  entryNumber: int('entry_number'),
  createdAt: time('created_at'),
});

export type Payment = RowOf<typeof payments>;

export const reversalKinds = ['refund', 'dispute', 'return'] as const;
export type ReversalKind = (typeof reversalKinds)[number];

export const reversals = describeTable('reversals', {
  accountId: int('account_id'),
  /** 1, 2, 3 … of the account. The oldest is settled first. */
  number: int('number'),
  topupNumber: int('topup_number'),
  /** The provider and its name of the refund or dispute ("stripe:re_…"), or our own ("refund:12"). */
  cause: text('cause'),
  kind: oneOf('kind', reversalKinds),
  amountCents: cents('amount_cents'),
  /** Taken from the balance at once. */
  takenCents: cents('taken_cents'),
  /** Taken from credits later. */
  settledCents: cents('settled_cents'),
  writtenOffCents: cents('written_off_cents'),
  /** Still owed. 0 once it is reinstated. */
  openCents: cents('open_cents'),
  createdAt: time('created_at'),
  /** The money came back: the dispute was won, or the refund failed. null: it stands. */
  reinstatedAt: nullableTime('reinstated_at'),
});

export type Reversal = RowOf<typeof reversals>;

/** How much of a payment has gone back and stays away. */
export function standingCents(ofTopup: readonly Reversal[]): bigint {
  return ofTopup.reduce((sum, one) => (one.reinstatedAt === null ? sum + one.amountCents : sum), 0n);
}

export interface TopupState {
  readonly status: TopupStatus;
  readonly refundedCents: bigint;
  readonly disputedCents: bigint;
}

export function topupState(
  topup: Pick<Topup, 'status'>,
  payment: Pick<Payment, 'amountCents'> | null,
  ofTopup: readonly Reversal[],
): TopupState {
  const disputedCents = standingCents(ofTopup.filter(({ kind }) => kind === 'dispute'));
  const refundedCents = standingCents(ofTopup) - disputedCents;
  const paidStatus = (paidCents: bigint): PaidStatus => {
    if (disputedCents > 0n) return 'disputed';
    if (refundedCents === 0n) return 'paid';
    return refundedCents < paidCents ? 'partly_refunded' : 'refunded';
  };
  const status = payment === null ? topup.status : paidStatus(payment.amountCents);
  return { status, refundedCents, disputedCents };
}

export const movedReversals = reversals.pick(
  'accountId',
  'number',
  'settledCents',
  'writtenOffCents',
  'openCents',
  'reinstatedAt',
);

export const paymentEntries = describeTable('payment_entries', {
  accountId: int('account_id'),
  entryNumber: int('entry_number'),
  topupNumber: int('topup_number'),
  /** null: the credit of the payment. */
  reversalNumber: nullableInt('reversal_number'),
});

export type PaymentEntry = RowOf<typeof paymentEntries>;

export const writeOffs = describeTable('write_offs', {
  accountId: int('account_id'),
  idempotencyKey: text('idempotency_key'),
  reversalNumber: int('reversal_number'),
  fingerprint: text('fingerprint'),
  amountCents: cents('amount_cents'),
  /** What the account owes after it. */
  receivableAfterCents: cents('receivable_after_cents'),
  memo: nullableText('memo'),
  createdAt: time('created_at'),
});

/** What one write-off forgave of one reversal. A write-off has one row for each. */
export type WriteOff = RowOf<typeof writeOffs>;

/** What a batch knows of an account's payments: those that its commands name, and every reversal with an open rest. */
export interface LoadedPayments {
  readonly topups: readonly Topup[];
  readonly payments: readonly Payment[];
  readonly reversals: readonly Reversal[];
  /** Of the named keys, oldest reversal first. */
  readonly writeOffs: readonly WriteOff[];
}
