// What the service needs of a payment provider. Stripe is the one that exists (stripe-provider.ts). A second one needs these
// functions and its own route for webhooks; books, reconciler and pages know only this file.

import type { EpochSeconds } from '../../shared/times.ts';

/** How a payment names its top-up at the provider. */
export interface TopupName {
  readonly installation: string;
  readonly accountId: number;
  readonly number: number;
  /** The top-up's providerKey. */
  readonly key: string;
}

interface PaymentAtProvider {
  /** "pi_…". */
  readonly id: string;
  readonly amountCents: bigint;
  /** ISO 4217, upper case. */
  readonly currency: string;
}

/** What the provider says of a payment, refund or dispute, in its present or in an earlier state. */
export type PaymentNews =
  /** `topup` is null for objects that are not ours. */
  | ({ readonly type: 'paid'; readonly topup: TopupName | null } & PaymentAtProvider)
  | {
      readonly type: 'moved';
      readonly topup: TopupName | null;
      readonly to: 'processing' | 'failed' | 'expired';
    }
  | ({
      readonly type: 'refund';
      readonly paymentId: string;
      readonly hasFailed: boolean;
      /** The reversal's cause, if the refund was made here; null: it was made at the provider. */
      readonly ownCause: string | null;
    } & PaymentAtProvider)
  | ({
      readonly type: 'dispute';
      readonly paymentId: string;
      /** The money was taken from the operator, and later given back. */
      readonly isTaken: boolean;
      readonly isGivenBack: boolean;
    } & PaymentAtProvider);

export interface ProviderEvent {
  readonly id: string;
  readonly occurredAt: EpochSeconds;
  /** null: of no interest. */
  readonly news: PaymentNews | null;
}

export interface CheckoutRequest {
  readonly topup: TopupName;
  readonly amountCents: bigint;
  readonly currency: string;
  readonly description: string;
  readonly expiresAt: EpochSeconds;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

export interface PaymentProvider {
  readonly name: 'stripe';
  /** The same top-up gets the same page again. @throws ProviderAway, ProviderRefused */
  openCheckout(request: CheckoutRequest): Promise<{ readonly id: string; readonly url: string }>;
  /** Closes the page for payers. Does nothing if it ended already. @throws ProviderAway, ProviderRefused */
  closeCheckout(sessionId: string): Promise<void>;
  /** `isOver`: nothing more will come of it. @throws ProviderAway, ProviderRefused */
  readCheckout(sessionId: string): Promise<{ readonly news: PaymentNews | null; readonly isOver: boolean }>;
  /** null: no such payment, or its money has not come. @throws ProviderAway, ProviderRefused */
  readPayment(paymentId: string): Promise<Extract<PaymentNews, { type: 'paid' }> | null>;
  /** @throws ProviderAway, ProviderRefused */
  readRefund(refundId: string): Promise<PaymentNews>;
  /** @throws ProviderAway, ProviderRefused */
  readDispute(disputeId: string): Promise<PaymentNews>;
  /** Oldest first, from this time on. @throws ProviderAway, ProviderRefused */
  listEvents(since: EpochSeconds): Promise<readonly ProviderEvent[]>;
}

/** The provider did not answer, or did not say whether it was done. The same call may be made again. */
export class ProviderAway extends Error {
  override readonly name = 'ProviderAway';
}

/** The provider refused, for example because the key is wrong. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused';
}
