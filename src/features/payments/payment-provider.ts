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

/** A card that is saved at the provider, for charges without its holder. */
export interface SavedCard {
  readonly customerId: string;
  readonly methodId: string;
  /** For people: "visa 4242". */
  readonly label: string;
}

/** The provider's answer to a charge of a saved card. `holder_needed`: the bank wants the card holder to confirm. */
export type ChargeOutcome =
  | { readonly type: 'paid'; readonly news: Extract<PaymentNews, { type: 'paid' }> }
  | { readonly type: 'processing'; readonly id: string }
  | { readonly type: 'declined' | 'holder_needed' };

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
  | {
      readonly type: 'card_saved';
      readonly installation: string;
      readonly accountId: number;
      readonly sessionId: string;
    }
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
  /** A page where the account saves a card. `customerId` is null the first time. @throws ProviderAway, ProviderRefused */
  openCardSetup(request: {
    readonly installation: string;
    readonly accountId: number;
    readonly username: string;
    readonly customerId: string | null;
    readonly currency: string;
    readonly returnUrl: string;
  }): Promise<{ readonly url: string; readonly customerId: string }>;
  /** The customer's newest card. null: none was saved in this session. @throws ProviderAway, ProviderRefused */
  readSavedCard(sessionId: string): Promise<SavedCard | null>;
  /** The same top-up is charged once. @throws ProviderAway, ProviderRefused */
  chargeCard(request: {
    readonly topup: TopupName;
    readonly card: Pick<SavedCard, 'customerId' | 'methodId'>;
    readonly amountCents: bigint;
    readonly currency: string;
    readonly description: string;
  }): Promise<ChargeOutcome>;
  /** The earlier charge for this top-up; null if it was never charged. @throws ProviderAway, ProviderRefused */
  findCharge(request: {
    readonly key: string;
    readonly customerId: string;
    readonly since: EpochSeconds;
  }): Promise<ChargeOutcome | null>;
  /** A charge that was processing. @throws ProviderAway, ProviderRefused */
  readCharge(paymentId: string): Promise<ChargeOutcome>;
  /** Closes the page for payers. Does nothing if it ended already. @throws ProviderAway, ProviderRefused */
  closeCheckout(sessionId: string): Promise<void>;
  /** `isOver`: nothing more will come of it. null: the provider has no such page. @throws ProviderAway, ProviderRefused */
  readCheckout(
    sessionId: string,
  ): Promise<{ readonly news: PaymentNews | null; readonly isOver: boolean } | null>;
  /** null: no such payment, or its money has not come. @throws ProviderAway, ProviderRefused */
  readPayment(paymentId: string): Promise<Extract<PaymentNews, { type: 'paid' }> | null>;
  /** @throws ProviderAway, ProviderRefused */
  readRefund(refundId: string): Promise<PaymentNews>;
  /** @throws ProviderAway, ProviderRefused */
  readDispute(disputeId: string): Promise<PaymentNews>;
  /** The same cause is refunded once. @throws ProviderAway, ProviderRefused: nothing was refunded */
  refund(request: {
    readonly paymentId: string;
    readonly amountCents: bigint;
    readonly cause: string;
  }): Promise<void>;
  /** Whether a refund of this cause exists. @throws ProviderAway, ProviderRefused */
  hasRefund(paymentId: string, cause: string): Promise<boolean>;
  /** Oldest first. `until` is exclusive; null: all up to now. @throws ProviderAway, ProviderRefused */
  listEvents(since: EpochSeconds, until: EpochSeconds | null): Promise<readonly ProviderEvent[]>;
}

/** The provider did not answer, or did not say whether it was done. The same call may be made again. */
export class ProviderAway extends Error {
  override readonly name = 'ProviderAway';
}

/** The provider refused, for example because the key is wrong. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused';
}
