// The demo's payments of the past: top-ups, booked as news of a provider would be. No provider knows them, so the stand-in
// for Stripe cannot refund them.

import { createTestBudget } from '../../features/order-engine/records/test-usage.ts';
import { type BookingDependencies, bookNews } from '../../features/payments/book-payments.ts';
import type { PaymentNews } from '../../features/payments/payment-provider.ts';
import { findPaymentSettings } from '../../features/payments/payment-settings.ts';
import { createTopup, moveStatus, setNextCheck } from '../../features/payments/topup-store.ts';
import { isRefusal } from '../../shared/error-catalog.ts';

export type DemoPaymentEnd =
  | 'paid'
  | 'refunded'
  | 'disputed'
  | 'paid_twice'
  | 'other_amount'
  | 'failed'
  | 'expired'
  | 'transfer_announced';

export interface DemoPayment {
  readonly accountId: number;
  readonly amountCents: bigint;
  readonly end: DemoPaymentEnd;
  /** Repeating a payment changes nothing. */
  readonly key: string;
}

/** @returns false if no such top-up can be made, for example because it is too large */
export type PayInDemo = (payment: DemoPayment) => Promise<boolean>;

type PaidNews = Extract<PaymentNews, { type: 'paid' }>;

export function createDemoPayer(dependencies: BookingDependencies): PayInDemo {
  const { database, currency, now } = dependencies;
  // Only top-ups of test accounts count against it.
  const testBudget = createTestBudget(0, null);

  return async ({ accountId, amountCents, end, key }) => {
    const settings = await findPaymentSettings(database);
    const method = end === 'transfer_announced' ? 'bank_transfer' : 'card';
    const made = await createTopup(database, {
      ...{ accountId, method, amountCents, currency, settings, testBudget, now: now() },
      ...{ returnUrl: null, outcome: null, idempotencyKey: key },
    });
    if (isRefusal(made)) return false;
    const { number, providerKey } = made.result;
    if (providerKey === null) return true;
    const { installation } = settings;
    const paid: PaidNews = {
      type: 'paid',
      id: `pi_demo_${accountId}_${number}`,
      topup: { installation, accountId, number, key: providerKey },
      ...{ amountCents, currency },
    };
    const provider = {
      name: 'stripe',
      readPayment: async () => paid,
      readSavedCard: async () => null,
    } as const;
    for (const news of newsOf(end, paid)) await bookNews(dependencies, provider, installation, news);
    // Money of another amount comes, and the top-up stays unpaid.
    const to = end === 'other_amount' ? 'expired' : end;
    if (to === 'failed' || to === 'expired')
      await moveStatus(database, { accountId, number, to, currency, now: now() });
    await setNextCheck(database, { accountId, number }, null);
    return true;
  };
}

function newsOf(end: DemoPaymentEnd, paid: PaidNews): readonly PaymentNews[] {
  const { id: paymentId, amountCents, currency } = paid;
  const reversal = { paymentId, amountCents, currency };
  switch (end) {
    case 'paid':
      return [paid];
    case 'refunded':
      return [
        paid,
        { type: 'refund', id: `re_demo_${paymentId}`, hasFailed: false, ownCause: null, ...reversal },
      ];
    case 'disputed':
      return [
        paid,
        { type: 'dispute', id: `dp_demo_${paymentId}`, isTaken: true, isGivenBack: false, ...reversal },
      ];
    case 'paid_twice':
      return [paid, { ...paid, id: `${paymentId}_again` }];
    case 'other_amount':
      return [{ ...paid, amountCents: amountCents - 5_00n }];
    default:
      return [];
  }
}
