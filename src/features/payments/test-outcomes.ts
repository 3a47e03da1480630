// Payments in test mode, which need no provider: the request says what becomes of the top-up.

import { publicId } from '../../shared/identifiers.ts';
import type { TestOutcome } from '../../shared/topup-words.ts';
import type { OrderOutcome } from '../order-engine/decisions/order-commands.ts';
import type { BookingDependencies } from './book-payments.ts';
import { moveStatus } from './topup-store.ts';
import type { ListedTopup } from './topup-table.ts';

/** `later` only waits: the reconciler pays it. Safe to repeat. */
export async function payInTestMode(
  { database, engine, currency, now }: BookingDependencies,
  { accountId, number, method, amountCents }: ListedTopup,
  outcome: TestOutcome,
): Promise<OrderOutcome | null> {
  if (outcome === 'later') return null;
  if (outcome === 'fail') {
    await moveStatus(database, { accountId, number, to: 'failed', currency, now: now() });
    return null;
  }
  const paymentRef = `test:${publicId(accountId, number)}`;
  const paid = await engine.submit({
    type: 'receive_payment',
    accountId,
    topupNumber: number,
    paymentRef,
    amountCents,
    memo: method === 'card' ? 'Card payment' : 'Bank transfer',
  });
  if (paid.type !== 'payment_moved' || outcome === 'pay') return paid;
  return engine.submit({
    type: 'reverse_payment',
    accountId,
    topupNumber: number,
    cause: `${paymentRef}:dispute`,
    kind: method === 'card' ? 'dispute' : 'return',
    amountCents,
    allowReceivable: true,
    by: null,
  });
}
