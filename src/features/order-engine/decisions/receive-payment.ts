// Credits the payment of a top-up.
// Invariant: a top-up is credited once, and so is a payment, however often and from wherever the provider's news arrives.

import { formatAmount } from '../../../shared/amounts.ts';
import { fieldRefusal } from '../../../shared/error-catalog.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { refused, refusedAsFull } from './command-checks.ts';
import { balanceCentsMax } from './credit-account.ts';
import type { OrderOutcome, ReceivePayment } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';
import { settleReceivables } from './settle-receivables.ts';

export function receivePayment(
  working: WorkingState,
  account: AccountState,
  { topupNumber, paymentRef, amountCents, memo }: ReceivePayment,
  now: EpochSeconds,
): OrderOutcome {
  const { id: accountId } = account;
  const topup = working.payments.topup(accountId, topupNumber);
  if (topup === null) return refused('topup_not_found');
  const earlier =
    working.payments.payment(accountId, topupNumber) ?? working.payments.paymentByRef(accountId, paymentRef);
  if (earlier !== null) {
    const isSame =
      earlier.topupNumber === topupNumber &&
      earlier.paymentRef === paymentRef &&
      earlier.amountCents === amountCents;
    return isSame ? paymentMoved(working, accountId, []) : refused('idempotency_conflict');
  }
  if (amountCents !== topup.amountCents) {
    return {
      type: 'refused',
      refusal: fieldRefusal('validation_failed', 'amount', `must be ${formatAmount(topup.amountCents)}`),
    };
  }
  if (account.isHalted) return refused('order_failed', { reason: 'account_halted' });
  const full = refusedAsFull(working, account);
  if (full !== null) return full;
  if (account.balanceCents + amountCents > balanceCentsMax) {
    return {
      type: 'refused',
      refusal: fieldRefusal('validation_failed', 'amount', 'the balance would be too large'),
    };
  }
  const entry = working.addEntry(accountId, { kind: 'credit', amountCents, memo }, now);
  working.payments.addPayment({
    accountId,
    topupNumber,
    paymentRef,
    amountCents,
    entryNumber: entry.number,
    createdAt: entry.createdAt,
  });
  working.payments.addEntry({ accountId, entryNumber: entry.number, topupNumber, reversalNumber: null });
  working.emit(accountId, { type: 'balance.credited', entry });
  const settlements = settleReceivables(working, accountId, amountCents, now);
  emitTopup(working, 'topup.paid', accountId, topupNumber);
  return { ...paymentMoved(working, accountId, [entry, ...settlements]), replayed: false };
}

/** Returns the outcome of a replay. For a first answer, callers set `replayed` to false. */
export function paymentMoved(
  working: WorkingState,
  accountId: number,
  entries: Extract<OrderOutcome, { readonly type: 'payment_moved' }>['entries'],
) {
  const receivableCents = working.account(accountId)?.receivableCents ?? 0n;
  return { type: 'payment_moved', entries, receivableCents, replayed: true } as const;
}

export function emitTopup(
  working: WorkingState,
  type: 'topup.paid' | 'topup.refunded' | 'topup.disputed' | 'topup.reinstated',
  accountId: number,
  topupNumber: number,
): void {
  const topup = working.payments.topup(accountId, topupNumber);
  const payment = working.payments.payment(accountId, topupNumber);
  const account = working.account(accountId);
  if (topup === null || payment === null || account === null) return;
  const { balanceCents, receivableCents } = account;
  const reversals = working.payments.ofTopup(accountId, topupNumber);
  working.emit(accountId, { type, topup, payment, reversals, balanceCents, receivableCents });
}
