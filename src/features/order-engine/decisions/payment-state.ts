// Payments and reversals while a batch is decided: what was loaded and what the batch adds. Part of order-state.ts.

import type {
  LoadedPayments,
  Payment,
  PaymentEntry,
  Reversal,
  Topup,
  WriteOff,
} from '../records/payment-tables.ts';

export interface PaymentChanges {
  readonly payments: readonly Payment[];
  readonly newReversals: readonly Reversal[];
  readonly changedReversals: readonly Reversal[];
  readonly paymentEntries: readonly PaymentEntry[];
  readonly writeOffs: readonly WriteOff[];
}

export type PaymentState = ReturnType<typeof createPaymentState>;

export function createPaymentState(loaded: LoadedPayments | undefined) {
  const key = (accountId: number, of: number | string) => `${accountId} ${of}`;
  const topups = new Map(loaded?.topups.map((one) => [key(one.accountId, one.number), one]));
  const payments = new Map(loaded?.payments.map((one) => [key(one.accountId, one.topupNumber), one]));
  const reversals = new Map(loaded?.reversals.map((one) => [key(one.accountId, one.number), one]));
  const loadedWriteOffs = loaded?.writeOffs ?? [];

  const newPayments: Payment[] = [];
  const entries: PaymentEntry[] = [];
  const newWriteOffs: WriteOff[] = [];
  const added = new Set<string>();
  const changed = new Set<string>();

  const ofAccount = (accountId: number) =>
    [...reversals.values()].filter((one) => one.accountId === accountId);
  const listed = (places: ReadonlySet<string>) => [...places].flatMap((place) => reversals.get(place) ?? []);

  return {
    topup: (accountId: number, number: number): Topup | null => topups.get(key(accountId, number)) ?? null,
    payment: (accountId: number, topupNumber: number): Payment | null =>
      payments.get(key(accountId, topupNumber)) ?? null,
    paymentByRef: (accountId: number, paymentRef: string): Payment | null =>
      [...payments.values()].find((one) => one.accountId === accountId && one.paymentRef === paymentRef) ??
      null,
    reversal: (accountId: number, number: number): Reversal | null =>
      reversals.get(key(accountId, number)) ?? null,
    reversalByCause: (accountId: number, cause: string): Reversal | null =>
      ofAccount(accountId).find((one) => one.cause === cause) ?? null,
    ofTopup: (accountId: number, topupNumber: number): readonly Reversal[] =>
      ofAccount(accountId).filter((one) => one.topupNumber === topupNumber),
    /** Oldest reversal first. Empty: the key is new. */
    writeOff: (accountId: number, idempotencyKey: string): readonly WriteOff[] =>
      [...loadedWriteOffs, ...newWriteOffs].filter(
        (one) => one.accountId === accountId && one.idempotencyKey === idempotencyKey,
      ),
    /** Oldest first: the order in which they are settled. */
    open: (accountId: number): readonly Reversal[] =>
      ofAccount(accountId)
        .filter((one) => one.openCents > 0n)
        .sort((one, other) => one.number - other.number),

    addPayment(payment: Payment): void {
      payments.set(key(payment.accountId, payment.topupNumber), payment);
      newPayments.push(payment);
    },
    addReversal(reversal: Reversal): void {
      const place = key(reversal.accountId, reversal.number);
      reversals.set(place, reversal);
      added.add(place);
    },
    changeReversal(reversal: Reversal): void {
      const place = key(reversal.accountId, reversal.number);
      reversals.set(place, reversal);
      if (!added.has(place)) changed.add(place);
    },
    addEntry(entry: PaymentEntry): void {
      entries.push(entry);
    },
    addWriteOff(part: WriteOff): void {
      newWriteOffs.push(part);
    },
    changes: (): PaymentChanges => ({
      payments: newPayments,
      newReversals: listed(added),
      changedReversals: listed(changed),
      paymentEntries: entries,
      writeOffs: newWriteOffs,
    }),
  };
}
