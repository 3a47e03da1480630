// What accounts must have after their payments, written from the documents of payments only: from what the provider did and
// what the operator was answered. It does not know in which order anything arrived, because that must not matter.
//   balance − receivable = credits and debits + transfers + payments − refunds that stand − disputes that stand + write-offs,
//   and a balance and a receivable are never both above zero, because a receivable is settled first.

export interface TruePayment {
  readonly id: string;
  readonly topupId: number;
  readonly amountCents: bigint;
}

export interface TrueReversal {
  readonly paymentId: string;
  readonly kind: 'refund' | 'dispute';
  readonly amountCents: bigint;
}

export interface Truth {
  /** Money that came. */
  readonly payments: readonly TruePayment[];
  /** Refunds that did not fail, and disputes whose money was taken and not given back. */
  readonly reversals: readonly TrueReversal[];
}

export interface Dealings {
  /** Credits and debits of the operator, transfers, and write-offs, added up. */
  otherCents: bigint;
}

export interface TrueTopup {
  readonly status: 'paid' | 'partly_refunded' | 'refunded' | 'disputed';
  readonly refundedCents: bigint;
  readonly disputedCents: bigint;
}

function accountOf(topupId: number): number {
  return Math.floor(topupId / 1_000_000_000);
}

export function trueMoney(
  accountId: number,
  { payments, reversals }: Truth,
  { otherCents }: Dealings,
): { readonly balanceCents: bigint; readonly receivableCents: bigint } {
  const own = payments.filter(({ topupId }) => accountOf(topupId) === accountId);
  const ids = new Set(own.map(({ id }) => id));
  const gone = reversals.filter(({ paymentId }) => ids.has(paymentId));
  const netCents = otherCents + sum(own) - sum(gone);
  return netCents >= 0n
    ? { balanceCents: netCents, receivableCents: 0n }
    : { balanceCents: 0n, receivableCents: -netCents };
}

export function trueTopup({ id, amountCents }: TruePayment, { reversals }: Truth): TrueTopup {
  const of = (kind: TrueReversal['kind']) =>
    sum(reversals.filter((each) => each.paymentId === id && each.kind === kind));
  const [refundedCents, disputedCents] = [of('refund'), of('dispute')];
  const partly = refundedCents < amountCents ? 'partly_refunded' : 'refunded';
  const refunded = refundedCents === 0n ? 'paid' : partly;
  return { status: disputedCents > 0n ? 'disputed' : refunded, refundedCents, disputedCents };
}

function sum(parts: readonly { readonly amountCents: bigint }[]): bigint {
  return parts.reduce((total, { amountCents }) => total + amountCents, 0n);
}
