// Checkout sessions: made through the API, completed on the hosted page.

import type { FormParams } from './form-params.ts';
import {
  type CheckoutSession,
  customerObject,
  type LineItemValues,
  lineItemObject,
  type Metadata,
  nulls,
  type PaymentIntent,
  sessionObject,
  setupIntentObject,
} from './stripe-objects.ts';
import {
  beginDebit,
  createIntent,
  decline,
  newMethod,
  readAmount,
  readCurrency,
  settleDebit,
  succeed,
} from './stripe-payments.ts';
import { openDispute } from './stripe-refunds.ts';
import { invalidRequest } from './stripe-refusal.ts';
import type { Outcome, PaymentData, StripeState } from './stripe-state.ts';

const shortestSeconds = 30 * 60;
const longestSeconds = 24 * 3_600;

export function createSession(
  state: StripeState,
  params: FormParams,
  payPageOf: (id: string) => string,
): CheckoutSession {
  // Read everything first: a refused request changes nothing.
  const created = state.now();
  const mode = params.oneOf('mode', ['payment', 'setup']) ?? 'payment';
  const isPayment = mode === 'payment';
  const customer = params.text('customer');
  if (customer !== null) state.get('customer', customer, 'customer');
  const items = isPayment ? readLineItems(params) : [];
  const methods = params.texts('payment_method_types');
  const currency = items[0]?.currency ?? params.text('currency')?.toLowerCase() ?? null;
  if (currency === null && methods.length === 0) throw missingCurrency();
  const creation = params.oneOf('customer_creation', ['always', 'if_required']) ?? 'if_required';
  const values = {
    amount_total: isPayment ? items.reduce((sum, item) => sum + item.unitAmount * item.quantity, 0) : null,
    cancel_url: params.text('cancel_url'),
    client_reference_id: params.text('client_reference_id', 200),
    currency,
    customer,
    customer_creation: isPayment ? creation : null,
    customer_email: params.text('customer_email'),
    expires_at: readExpiry(params, created),
    locale: params.text('locale'),
    metadata: params.metadata(),
    mode,
    payment_method_types: methods.length > 0 ? methods : ['card'],
    submit_type: params.text('submit_type'),
    success_url: params.requiredText('success_url'),
    ...brandingOf(params),
  };
  const paymentData = readPaymentData(params);
  const setupMetadata = params.object('setup_intent_data')?.metadata() ?? {};

  const id = state.newId('cs_test', 58);
  const setupIntent = isPayment ? null : createSetupIntent(state, customer, setupMetadata);
  state.paymentData.set(id, paymentData);
  const lineItems = items.map((item) => lineItemObject(state.newId, created, item));
  state.lineItems.set(id, lineItems);
  const session = { ...values, setup_intent: setupIntent, url: payPageOf(id) };
  return state.add('checkout.session', sessionObject({ id, created }, session));
}

function missingCurrency() {
  return invalidRequest('Missing required param: currency.', {
    code: 'parameter_missing',
    param: 'currency',
  });
}

function readPaymentData(params: FormParams): PaymentData {
  const sent = params.object('payment_intent_data');
  return {
    metadata: sent?.metadata() ?? {},
    description: sent?.text('description') ?? null,
    setup_future_usage: sent?.oneOf('setup_future_usage', ['off_session', 'on_session']) ?? null,
  };
}

function createSetupIntent(state: StripeState, customer: string | null, metadata: Metadata): string {
  const intent = setupIntentObject(state.made('seti'), { customer, metadata });
  state.add('setup_intent', intent);
  state.emit('setup_intent.created', intent);
  return intent.id;
}

function readLineItems(params: FormParams): readonly LineItemValues[] {
  const items = params.objects('line_items').map((item) => {
    const price = item.requiredObject('price_data');
    const product = price.requiredObject('product_data');
    return {
      name: product.requiredText('name'),
      description: product.text('description'),
      currency: readCurrency(price),
      unitAmount: readAmount(price, 'unit_amount'),
      quantity: item.integer('quantity') ?? 1,
    };
  });
  if (items.length === 0)
    throw invalidRequest('You must provide `line_items` in `payment` mode.', {
      code: 'parameter_missing',
      param: 'line_items',
    });
  const odd = items.some(({ currency, quantity }) => currency !== items[0]?.currency || quantity < 1);
  if (odd)
    throw invalidRequest('Line items need one currency and a quantity of at least 1.', {
      param: 'line_items',
    });
  return items;
}

function readExpiry(params: FormParams, created: number): number {
  const at = params.integer('expires_at') ?? created + longestSeconds;
  if (at >= created + shortestSeconds && at <= created + longestSeconds) return at;
  throw invalidRequest(
    'The `expires_at` timestamp must be at least 30 minutes and at most 24 hours from Checkout Session creation.',
    { param: 'expires_at' },
  );
}

function brandingOf(params: FormParams) {
  const name = params.object('branding_settings')?.text('display_name') ?? null;
  if (name === null) return {};
  return {
    branding_settings: {
      background_color: '#ffffff',
      border_style: 'rounded',
      button_color: '#0074d4',
      display_name: name,
      font_family: 'default',
      icon: null,
      logo: null,
    },
  };
}

export function expireSession(state: StripeState, session: CheckoutSession): void {
  if (session.status !== 'open')
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`,
    );
  session.status = 'expired';
  session.url = null;
  state.emit('checkout.session.expired', session);
}

/** Stripe expires sessions by its clock; the stand-in does so when it is asked something, once a second. */
export function expireSessions(state: StripeState): void {
  const now = state.now();
  if (now === state.expiredAt) return;
  state.expiredAt = now;
  for (const session of state.all('checkout.session'))
    if (session.status === 'open' && session.expires_at <= now) expireSession(state, session);
}

/** The buttons of the hosted page. Those of `setup` save a card that later behaves as named. */
export const paymentButtons = ['pay', 'fail', 'pay_later', 'pay_later_then_fail', 'pay_and_dispute'] as const;
export const setupButtons = ['save_card', 'save_card_that_asks', 'save_card_that_fails'] as const;
export type PageButton = (typeof paymentButtons)[number] | (typeof setupButtons)[number];

/** A declined card leaves the session open, as at Stripe: the customer tries another one. */
export function pressButton(state: StripeState, session: CheckoutSession, button: PageButton): void {
  const isFitting = [...(session.mode === 'payment' ? paymentButtons : setupButtons)].some(
    (each) => each === button,
  );
  if (session.status !== 'open' || !isFitting)
    throw invalidRequest(`A ${session.status} session in ${session.mode} mode has no button ${button}.`);
  if (session.mode === 'setup') {
    saveCard(state, session, outcomeOfSetup[button] ?? 'succeeds');
    return;
  }
  const intent = intentOf(state, session);
  if (button === 'fail') {
    decline(state, intent, newMethod(state, 'card', null), 'card_declined');
    return;
  }
  const isLater = button === 'pay_later' || button === 'pay_later_then_fail';
  const keepsMethod = intent['setup_future_usage'] !== null;
  const method = newMethod(state, isLater ? 'sepa_debit' : 'card', keepsMethod ? session.customer : null);
  const charge = isLater ? beginDebit(state, intent, method) : succeed(state, intent, method);
  complete(state, session, isLater ? 'unpaid' : 'paid');
  if (button === 'pay_and_dispute' && charge !== undefined) openDispute(state, charge, {});
}

const outcomeOfSetup: Readonly<Partial<Record<PageButton, Outcome>>> = {
  save_card_that_asks: 'authentication_required',
  save_card_that_fails: 'card_declined',
};

/** The end of a delayed payment, days later at Stripe. */
export function settleSession(state: StripeState, session: CheckoutSession, hasSucceeded: boolean): void {
  if (session.payment_intent === null)
    throw invalidRequest(`Session ${session.id} has no payment to settle.`);
  settleDebit(state, state.get('payment_intent', session.payment_intent), hasSucceeded);
  if (hasSucceeded) session.payment_status = 'paid';
  state.emit(`checkout.session.async_payment_${hasSucceeded ? 'succeeded' : 'failed'}`, session);
}

/** A session has no payment before the first attempt. */
function intentOf(state: StripeState, session: CheckoutSession): PaymentIntent {
  if (session.payment_intent !== null) return state.get('payment_intent', session.payment_intent);
  if (session['customer_creation'] === 'always' && session.customer === null) {
    const email = typeof session['customer_email'] === 'string' ? session['customer_email'] : null;
    const customer = state.add('customer', customerObject(state.made('cus'), { email, metadata: {} }));
    session.customer = customer.id;
    state.emit('customer.created', customer);
  }
  const { metadata = {}, ...more } = state.paymentData.get(session.id) ?? {};
  const intent = createIntent(state, {
    amount: session.amount_total ?? 0,
    currency: session.currency ?? '',
    customer: session.customer,
    metadata,
    more,
  });
  session.payment_intent = intent.id;
  return intent;
}

function saveCard(state: StripeState, session: CheckoutSession, outcome: Outcome): void {
  const intent = state.get('setup_intent', session.setup_intent ?? '');
  const method = newMethod(state, 'card', session.customer, outcome);
  intent.payment_method = method.id;
  intent.status = 'succeeded';
  state.emit('setup_intent.succeeded', intent);
  complete(state, session, 'no_payment_required');
}

function complete(
  state: StripeState,
  session: CheckoutSession,
  paymentStatus: CheckoutSession['payment_status'],
): void {
  session.status = 'complete';
  session.payment_status = paymentStatus;
  session.url = null;
  session['customer_details'] = {
    ...nulls('address business_name individual_name name phone'),
    email: session['customer_email'] ?? 'visitor@example.com',
    tax_exempt: 'none',
    tax_ids: [],
  };
  state.emit('checkout.session.completed', session);
}

export function successAddress({ id, success_url }: CheckoutSession): string {
  return success_url.replaceAll('{CHECKOUT_SESSION_ID}', id);
}
