// Stripe as a payment provider: Checkout's hosted pages, so that no card data reaches this service.
// The library is loaded when it is first needed, because it would slow every start.

import type { Stripe } from 'stripe';
import { parseOwnedId, parseRowId, publicId } from '../../shared/identifiers.ts';
import { stripeEventTypes } from '../../shared/stripe-event-types.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import {
  type ChargeOutcome,
  type PaymentNews,
  type PaymentProvider,
  ProviderAway,
  type ProviderEvent,
  ProviderRefused,
  type TopupName,
} from './payment-provider.ts';

export interface StripeAccess {
  readonly secretKey: string;
  /** null: Stripe's own address. */
  readonly apiBase: string | null;
}

const callMilliseconds = 10_000;
/** How far the provider's clock may be behind ours. */
const clockSeconds = 600;
const eventsPerPage = 100;
const eventTypes: readonly Stripe.Event.Type[] = stripeEventTypes;

let library: Promise<typeof import('stripe')> | null = null;

function loadStripe(): Promise<typeof import('stripe')> {
  library ??= import('stripe');
  return library;
}

export async function createStripeProvider({ secretKey, apiBase }: StripeAccess): Promise<PaymentProvider> {
  const { default: StripeClient } = await loadStripe();
  const stripe = new StripeClient(secretKey, {
    ...(apiBase === null ? {} : addressOf(apiBase)),
    timeout: callMilliseconds,
    maxNetworkRetries: 1,
    telemetry: false,
  });

  const call: Call = async (work) => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StripeClient.errors.StripeError)) throw error;
      throw isRefusal(error) ? new ProviderRefused(reasonOf(error)) : new ProviderAway(reasonOf(error));
    }
  };

  return {
    name: 'stripe',
    ...savedCards(stripe, call),
    openCheckout: ({ topup, amountCents, currency, description, expiresAt, successUrl, cancelUrl }) =>
      call(async () => {
        const metadata = metadataOf(topup);
        const session = await stripe.checkout.sessions.create(
          {
            mode: 'payment',
            client_reference_id: metadata.sellthrough_topup,
            line_items: [
              {
                quantity: 1,
                price_data: {
                  currency: currency.toLowerCase(),
                  unit_amount: Number(amountCents),
                  product_data: { name: description },
                },
              },
            ],
            metadata,
            payment_intent_data: { metadata },
            expires_at: expiresAt,
            success_url: successUrl,
            cancel_url: cancelUrl,
          },
          { idempotencyKey: `sellthrough-checkout-${topup.key}` },
        );
        if (session.url === null) throw new ProviderAway('The session has no page.');
        return { id: session.id, url: session.url };
      }),
    closeCheckout: (sessionId) =>
      call(async () => {
        const session = await unlessMissing(stripe.checkout.sessions.retrieve(sessionId));
        if (session?.status === 'open') await stripe.checkout.sessions.expire(sessionId);
      }),
    readCheckout: (sessionId) =>
      call(async () => {
        const session = await unlessMissing(
          stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent'] }),
        );
        if (session === null) return null;
        const intent = session.payment_intent;
        // A direct debit that failed leaves the session complete and unpaid.
        const hasFailed =
          session.status === 'complete' &&
          typeof intent === 'object' &&
          intent !== null &&
          (intent.status === 'requires_payment_method' || intent.status === 'canceled');
        if (hasFailed) return { news: moved(session, 'failed'), isOver: true };
        const news = newsOfSession(session);
        return { news, isOver: news?.type === 'paid' || session.status === 'expired' };
      }),
    readPayment: (paymentId) =>
      call(async () => newsOfIntent(await stripe.paymentIntents.retrieve(paymentId))),
    readRefund: (refundId) => call(async () => newsOfRefund(await stripe.refunds.retrieve(refundId))),
    readDispute: (disputeId) =>
      call(async () => newsOfDispute(await stripe.disputes.retrieve(disputeId), null)),
    refund: ({ paymentId, amountCents, cause }) =>
      call(async () => {
        const metadata = { sellthrough_refund: cause };
        const wanted = { payment_intent: paymentId, amount: Number(amountCents), metadata };
        await stripe.refunds.create(wanted, { idempotencyKey: `sellthrough-${cause}` });
      }),
    hasRefund: (paymentId, cause) =>
      call(async () => {
        for await (const { metadata } of stripe.refunds.list({ payment_intent: paymentId, limit: 100 }))
          if (metadata?.['sellthrough_refund'] === cause) return true;
        return false;
      }),
    listEvents: (since, until) =>
      call(async () => {
        const found: ProviderEvent[] = [];
        const created = until === null ? { gte: since } : { gte: since, lt: until };
        const query = { created, types: [...eventTypes], limit: eventsPerPage };
        for await (const event of stripe.events.list(query)) found.push(eventOf(event));
        return found.reverse();
      }),
  };
}

async function unlessMissing<Found>(found: Promise<Found>): Promise<Found | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'resource_missing') return null;
    throw error;
  }
}

type SavedCards = Pick<
  PaymentProvider,
  'openCardSetup' | 'readSavedCard' | 'chargeCard' | 'findCharge' | 'readCharge'
>;
type Call = <Result>(work: () => Promise<Result>) => Promise<Result>;

function savedCards(stripe: Stripe, call: Call): SavedCards {
  function charged(work: () => Promise<Stripe.PaymentIntent>): Promise<ChargeOutcome> {
    return call(async () => {
      try {
        return outcomeOf(await work());
      } catch (error) {
        if (!isCardError(error)) throw error;
        return { type: error.code === 'authentication_required' ? 'holder_needed' : 'declined' };
      }
    });
  }

  return {
    openCardSetup: ({ installation, accountId, username, customerId, currency, returnUrl }) =>
      call(async () => {
        const metadata = {
          sellthrough_installation: installation,
          sellthrough_account: String(accountId),
        };
        const customer =
          customerId ??
          (
            await stripe.customers.create(
              { description: username, metadata },
              { idempotencyKey: `sellthrough-customer-${installation}-${accountId}` },
            )
          ).id;
        const { url } = await stripe.checkout.sessions.create({
          mode: 'setup',
          currency: currency.toLowerCase(),
          customer,
          metadata,
          success_url: returnUrl,
          cancel_url: returnUrl,
        });
        if (url === null) throw new ProviderAway('The session has no page.');
        return { url, customerId: customer };
      }),
    readSavedCard: (sessionId) =>
      call(async () => {
        const session = await stripe.checkout.sessions.retrieve(sessionId);
        if (session.setup_intent === null || session.customer === null) return null;
        const intent = await stripe.setupIntents.retrieve(idOf(session.setup_intent));
        if (intent.status !== 'succeeded' || intent.payment_method === null) return null;
        const customerId = idOf(session.customer);
        // The newest card, because this session's news may come after that of a later one.
        const [newest] = (await stripe.paymentMethods.list({ customer: customerId, limit: 1 })).data;
        if (newest === undefined) return null;
        const label = newest.card === undefined ? newest.type : `${newest.card.brand} ${newest.card.last4}`;
        return { customerId, methodId: newest.id, label };
      }),
    chargeCard: ({ topup, card, amountCents, currency, description }) =>
      charged(() =>
        stripe.paymentIntents.create(
          {
            amount: Number(amountCents),
            currency: currency.toLowerCase(),
            customer: card.customerId,
            payment_method: card.methodId,
            confirm: true,
            off_session: true,
            description,
            metadata: metadataOf(topup),
          },
          { idempotencyKey: `sellthrough-charge-${topup.key}` },
        ),
      ),
    findCharge: ({ key, customerId, since }) =>
      call(async () => {
        const query = { customer: customerId, created: { gte: since - clockSeconds }, limit: 100 };
        for await (const intent of stripe.paymentIntents.list(query))
          if (intent.metadata['sellthrough_key'] === key) return outcomeOf(intent);
        return null;
      }),
    readCharge: (paymentId) => charged(() => stripe.paymentIntents.retrieve(paymentId)),
  };
}

function isCardError(error: unknown): error is Stripe.errors.StripeCardError {
  return error instanceof Error && 'type' in error && error.type === 'StripeCardError';
}

/**
 * Whether the provider refused the request itself. A wrong key, missing rights and a name that is in use say nothing about
 * what an earlier attempt did.
 */
function isRefusal({ statusCode = 0, type }: Stripe.errors.StripeError): boolean {
  const passes = [401, 403, 409, 429].includes(statusCode) || type === 'StripeIdempotencyError';
  return statusCode >= 400 && statusCode < 500 && !passes;
}

/** Without the message, which may quote a key. */
function reasonOf({ type, code, statusCode }: Stripe.errors.StripeError): string {
  return [type, code, statusCode].filter((each) => each !== undefined && each !== null).join(' ');
}

function addressOf(apiBase: string): Stripe.StripeConfig {
  const { protocol, hostname, port } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return { protocol: isPlain ? 'http' : 'https', host: hostname, port: port || (isPlain ? 80 : 443) };
}

/** How old a signature may be. Stripe's libraries take five minutes too. */
const signatureSecondsMax = 300;

/**
 * Reads a webhook. Any of the secrets may have signed it.
 * @returns null if none did, or if it is too old
 */
export async function readStripeWebhook(
  body: Buffer,
  signature: string,
  secrets: readonly string[],
  now: EpochSeconds,
): Promise<ProviderEvent | null> {
  const { default: StripeClient } = await loadStripe();
  for (const secret of secrets) {
    try {
      const event = StripeClient.webhooks.constructEvent(
        body,
        signature,
        secret,
        signatureSecondsMax,
        undefined,
        now * 1000,
      );
      return eventOf(event);
    } catch (error) {
      if (!(error instanceof StripeClient.errors.StripeSignatureVerificationError)) return null;
    }
  }
  return null;
}

function eventOf(event: Stripe.Event): ProviderEvent {
  return { id: event.id, occurredAt: event.created, news: newsOf(event) };
}

function newsOf(event: Stripe.Event): PaymentNews | null {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.expired':
      return newsOfSession(event.data.object);
    case 'checkout.session.async_payment_failed':
      return moved(event.data.object, 'failed');
    case 'payment_intent.succeeded':
      return newsOfIntent(event.data.object);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return newsOfRefund(event.data.object);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return newsOfDispute(event.data.object, event.type);
    default:
      return null;
  }
}

function newsOfSession(session: Stripe.Checkout.Session): PaymentNews | null {
  const { mode, status, payment_status: paid, payment_intent: intent, amount_total, currency } = session;
  if (mode === 'setup' && status === 'complete') return savedCard(session);
  if (mode !== 'payment') return null;
  if (status === 'expired') return moved(session, 'expired');
  if (status !== 'complete') return null;
  if (paid !== 'paid' || intent === null || amount_total === null || currency === null)
    return moved(session, 'processing');
  return {
    type: 'paid',
    topup: topupOf(session.metadata),
    id: idOf(intent),
    amountCents: BigInt(amount_total),
    currency: currency.toUpperCase(),
  };
}

function savedCard({ id, metadata }: Stripe.Checkout.Session): PaymentNews | null {
  const { sellthrough_installation: installation, sellthrough_account: account } = metadata ?? {};
  const accountId = parseRowId(account ?? '');
  return installation === undefined || accountId === null
    ? null
    : { type: 'card_saved', installation, accountId, sessionId: id };
}

function moved(
  { metadata }: Stripe.Checkout.Session,
  to: Extract<PaymentNews, { type: 'moved' }>['to'],
): PaymentNews {
  return { type: 'moved', topup: topupOf(metadata), to };
}

function newsOfIntent(intent: Stripe.PaymentIntent): Extract<PaymentNews, { type: 'paid' }> | null {
  if (intent.status !== 'succeeded') return null;
  return {
    type: 'paid',
    topup: topupOf(intent.metadata),
    id: intent.id,
    amountCents: BigInt(intent.amount_received),
    currency: intent.currency.toUpperCase(),
  };
}

function newsOfRefund(refund: Stripe.Refund): PaymentNews {
  return {
    type: 'refund',
    id: refund.id,
    paymentId: refund.payment_intent === null ? '' : idOf(refund.payment_intent),
    amountCents: BigInt(refund.amount),
    currency: refund.currency.toUpperCase(),
    hasFailed: refund.status === 'failed' || refund.status === 'canceled',
    ownCause: refund.metadata?.['sellthrough_refund'] ?? null,
  };
}

/** Inquiries take no money. `type` is that of the event; null if the dispute was read. */
function newsOfDispute(dispute: Stripe.Dispute, type: Stripe.Event.Type | null): PaymentNews {
  const { status } = dispute;
  const isGivenBack = status === 'won' || type === 'charge.dispute.funds_reinstated';
  const isOpenOrLost = status === 'needs_response' || status === 'under_review' || status === 'lost';
  return {
    type: 'dispute',
    id: dispute.id,
    paymentId: dispute.payment_intent === null ? '' : idOf(dispute.payment_intent),
    amountCents: BigInt(dispute.amount),
    currency: dispute.currency.toUpperCase(),
    isTaken: isOpenOrLost || isGivenBack || type === 'charge.dispute.funds_withdrawn',
    isGivenBack,
  };
}

function outcomeOf(intent: Stripe.PaymentIntent): ChargeOutcome {
  const news = newsOfIntent(intent);
  if (news !== null) return { type: 'paid', news };
  if (intent.status === 'processing') return { type: 'processing', id: intent.id };
  const isAsked = intent.status === 'requires_action' || intent.status === 'requires_confirmation';
  return { type: isAsked ? 'holder_needed' : 'declined' };
}

function idOf(object: string | { readonly id: string }): string {
  return typeof object === 'string' ? object : object.id;
}

function metadataOf({ installation, accountId, number, key }: TopupName) {
  return {
    sellthrough_installation: installation,
    sellthrough_topup: String(publicId(accountId, number)),
    sellthrough_key: key,
  };
}

/** null: not made by a service like this one. */
function topupOf(metadata: Stripe.Metadata | null): TopupName | null {
  const {
    sellthrough_installation: installation,
    sellthrough_topup: topup,
    sellthrough_key: key,
  } = metadata ?? {};
  const owned = parseOwnedId(topup ?? '');
  if (installation === undefined || key === undefined || owned === null) return null;
  return { installation, key, ...owned };
}
