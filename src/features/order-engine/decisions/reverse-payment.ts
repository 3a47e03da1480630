// Takes a payment, or a part of it, back: a refund, a dispute or a returned transfer. What the balance does not cover is
// the account's receivable. Also the way back from there: a dispute that was won, a refund that failed, a write-off.
// Invariant: a cause takes money once and gives it back once, and the balance never falls below zero.

import { formatAmount } from '../../../shared/amounts.ts';
import { fieldRefusal } from '../../../shared/error-catalog.ts';
import { publicId } from '../../../shared/identifiers.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { standingCents, type WriteOff } from '../records/payment-tables.ts';
import { refused } from './command-checks.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { OrderOutcome, ReinstatePayment, ReversePayment, WriteOffReceivable } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';
import { emitTopup, paymentMoved } from './receive-payment.ts';
import { addPaymentEntry, settleReceivables } from './settle-receivables.ts';

export function reversePayment(
  working: WorkingState,
  account: AccountState,
  { topupNumber, cause, kind, amountCents, allowReceivable, by }: ReversePayment,
  now: EpochSeconds,
): OrderOutcome {
  const { id: accountId, balanceCents } = account;
  const earlier = working.payments.reversalByCause(accountId, cause);
  if (earlier !== null) {
    const isSame =
      earlier.topupNumber === topupNumber && earlier.kind === kind && earlier.amountCents === amountCents;
    return isSame ? paymentMoved(working, accountId, []) : refused('idempotency_conflict');
  }
  const payment = working.payments.payment(accountId, topupNumber);
  if (payment === null) return refused('topup_not_found');
  // The provider takes a dispute or a return in full, also after a partial refund. Only refunds can be held back.
  // A dispute does not count, because its end and a later refund may be reported in either order.
  const refunds = working.payments.ofTopup(accountId, topupNumber).filter((one) => one.kind !== 'dispute');
  const reversedCents = kind === 'refund' ? standingCents(refunds) : 0n;
  if (reversedCents + amountCents > payment.amountCents) {
    return refused('refund_too_large', {
      paid: formatAmount(payment.amountCents),
      reversed: formatAmount(reversedCents),
      currency: working.currency,
    });
  }
  if (account.isHalted) return refused('order_failed', { reason: 'account_halted' });
  if (!allowReceivable && balanceCents < amountCents) {
    return refused('insufficient_credit', {
      balance: formatAmount(balanceCents),
      required: formatAmount(amountCents),
      currency: working.currency,
    });
  }
  const takenCents = balanceCents < amountCents ? balanceCents : amountCents;
  const reversal = working.addReversal({
    accountId,
    topupNumber,
    cause,
    kind,
    amountCents,
    takenCents,
    settledCents: 0n,
    writtenOffCents: 0n,
    openCents: amountCents - takenCents,
    createdAt: now,
    reinstatedAt: null,
  });
  const entries =
    takenCents === 0n
      ? []
      : [addPaymentEntry(working, reversal, { kind: 'reversal', amountCents: -takenCents }, now)];
  emitTopup(working, kind === 'dispute' ? 'topup.disputed' : 'topup.refunded', accountId, topupNumber);
  if (by !== null) {
    working.addAudit({
      ...by,
      action: 'topup.refund',
      subject: `top-up ${publicId(accountId, topupNumber)}`,
      before: { balance: formatAmount(balanceCents) },
      after: { amount: formatAmount(amountCents), receivable: formatAmount(reversal.openCents) },
    });
  }
  return { ...paymentMoved(working, accountId, entries), replayed: false };
}

/** Gives back exactly what was taken, and ends what is still owed. What was written off stays forgiven. */
export function reinstatePayment(
  working: WorkingState,
  account: AccountState,
  { cause }: ReinstatePayment,
  now: EpochSeconds,
): OrderOutcome {
  const { id: accountId } = account;
  const reversal = working.payments.reversalByCause(accountId, cause);
  if (reversal === null) return refused('topup_not_found');
  if (reversal.reinstatedAt !== null) return paymentMoved(working, accountId, []);
  if (account.isHalted) return refused('order_failed', { reason: 'account_halted' });
  working.changeReversal({ ...reversal, openCents: 0n, reinstatedAt: now });
  const backCents = reversal.takenCents + reversal.settledCents;
  const entries =
    backCents === 0n
      ? []
      : [
          addPaymentEntry(working, reversal, { kind: 'reinstatement', amountCents: backCents }, now),
          ...settleReceivables(working, accountId, backCents, now),
        ];
  emitTopup(working, 'topup.reinstated', accountId, reversal.topupNumber);
  return { ...paymentMoved(working, accountId, entries), replayed: false };
}

/** Forgives what is owed, the oldest reversal first. */
export function writeOffReceivable(
  working: WorkingState,
  account: AccountState,
  { amountCents, memo, by, idempotencyKey }: WriteOffReceivable,
  now: EpochSeconds,
): OrderOutcome {
  const { id: accountId, receivableCents } = account;
  const fingerprint = fingerprintOf('write-off', amountCents?.toString() ?? 'all', memo);
  const earlier = working.payments.writeOff(accountId, idempotencyKey);
  if (earlier.length > 0) {
    if (earlier.some((part) => part.fingerprint !== fingerprint)) return refused('idempotency_conflict');
    return { ...writtenOff(earlier), replayed: true };
  }
  const wantedCents = amountCents ?? receivableCents;
  if (wantedCents <= 0n || wantedCents > receivableCents) {
    const reason = `must be above zero and at most the receivable of ${formatAmount(receivableCents)}`;
    return { type: 'refused', refusal: fieldRefusal('validation_failed', 'amount', reason) };
  }
  if (account.isHalted) return refused('order_failed', { reason: 'account_halted' });
  const common = { accountId, idempotencyKey, fingerprint, memo, createdAt: now };
  const parts: WriteOff[] = [];
  let leftCents = wantedCents;
  for (const reversal of working.payments.open(accountId)) {
    if (leftCents === 0n) break;
    const cents = leftCents < reversal.openCents ? leftCents : reversal.openCents;
    leftCents -= cents;
    working.changeReversal({
      ...reversal,
      writtenOffCents: reversal.writtenOffCents + cents,
      openCents: reversal.openCents - cents,
    });
    const receivableAfterCents = receivableCents - wantedCents + leftCents;
    const part = { ...common, reversalNumber: reversal.number, amountCents: cents, receivableAfterCents };
    working.payments.addWriteOff(part);
    parts.push(part);
  }
  working.addAudit({
    ...by,
    action: 'receivable.write_off',
    subject: `account ${accountId}`,
    before: { receivable: formatAmount(receivableCents) },
    after: { receivable: formatAmount(receivableCents - wantedCents), memo },
  });
  return { ...writtenOff(parts), replayed: false };
}

/** `parts` are those of one write-off, oldest reversal first. */
function writtenOff(parts: readonly WriteOff[]) {
  return {
    type: 'written_off',
    writtenOffCents: parts.reduce((sum, { amountCents }) => sum + amountCents, 0n),
    receivableCents: parts.at(-1)?.receivableAfterCents ?? 0n,
  } as const;
}
