// The requests of Stripe's API that the stand-in answers, each with the parameters that it knows.

import type { JsonObject } from '../shared/json.ts';
import type { FormParams } from './form-params.ts';
import { createSession, expireSession } from './stripe-checkout.ts';
import { pageOf } from './stripe-lists.ts';
import {
  type Charge,
  customerObject,
  type ObjectKinds,
  type PaymentIntent,
  type PaymentMethod,
} from './stripe-objects.ts';
import {
  attachMethod,
  createIntent,
  decline,
  newMethod,
  readAmount,
  readCurrency,
  succeed,
  unexpectedState,
} from './stripe-payments.ts';
import { createRefund, moveDispute } from './stripe-refunds.ts';
import { invalidRequest, StripeRefusal } from './stripe-refusal.ts';
import type { Outcome, StripeState } from './stripe-state.ts';

export interface StripeCall {
  readonly state: StripeState;
  readonly params: FormParams;
  /** The address of the hosted page. */
  readonly payPageOf: (id: string) => string;
  readonly refundStatus: 'pending' | 'succeeded';
}

interface StripeRoute {
  readonly method: string;
  readonly path: string;
  readonly params: readonly string[];
  readonly run: (call: StripeCall, id: string) => JsonObject;
}

const paging = ['limit', 'starting_after', 'ending_before', 'created'];
// The last line of each list is accepted and ignored.
const sessionParams =
  'mode line_items metadata payment_intent_data setup_intent_data client_reference_id success_url cancel_url expires_at ' +
  'customer customer_email customer_creation currency payment_method_types locale submit_type branding_settings ' +
  'adaptive_pricing billing_address_collection custom_text payment_method_options ui_mode';
const intentParams =
  'amount currency customer payment_method confirm off_session metadata description receipt_email ' +
  'automatic_payment_methods error_on_requires_action payment_method_types statement_descriptor_suffix';

export const stripeRoutes: readonly StripeRoute[] = [
  post('/v1/checkout/sessions', sessionParams, ({ state, params, payPageOf }) =>
    createSession(state, params, payPageOf),
  ),
  ...reads('/v1/checkout/sessions', 'checkout.session', ['customer', 'payment_intent', 'status']),
  post('/v1/checkout/sessions/:id/expire', '', ({ state }, id) => {
    const session = state.get('checkout.session', id);
    expireSession(state, session);
    return session;
  }),
  get('/v1/checkout/sessions/:id/line_items', paging, ({ state, params }, id) => {
    state.get('checkout.session', id);
    const url = `/v1/checkout/sessions/${id}/line_items`;
    return pageOf(params, { url, kind: 'item', all: state.lineItems.get(id) ?? [], isWanted: () => true });
  }),
  post('/v1/payment_intents', intentParams, createPaymentIntent),
  ...reads('/v1/payment_intents', 'payment_intent', ['customer']),
  post('/v1/payment_intents/:id', 'metadata description', ({ state, params }, id) => {
    const intent = state.get('payment_intent', id);
    intent.metadata = params.metadata(intent.metadata);
    intent['description'] = params.text('description') ?? intent['description'];
    return intent;
  }),
  post('/v1/payment_intents/:id/confirm', 'payment_method off_session', confirmPaymentIntent),
  post('/v1/payment_intents/:id/cancel', 'cancellation_reason', ({ state, params }, id) => {
    const intent = state.get('payment_intent', id);
    if (intent.status === 'succeeded' || intent.status === 'canceled')
      throw unexpectedState(intent, 'it cannot be canceled');
    intent.status = 'canceled';
    intent['canceled_at'] = state.now();
    intent['cancellation_reason'] = params.text('cancellation_reason');
    state.emit('payment_intent.canceled', intent);
    return intent;
  }),
  ...reads('/v1/charges', 'charge', ['customer', 'payment_intent']),
  post('/v1/refunds', 'charge payment_intent amount reason metadata', createApiRefund),
  ...reads('/v1/refunds', 'refund', ['charge', 'payment_intent']),
  ...reads('/v1/disputes', 'dispute', ['charge', 'payment_intent']),
  post('/v1/disputes/:id/close', '', ({ state }, id) => {
    const dispute = state.get('dispute', id);
    moveDispute(state, dispute, 'lose');
    return dispute;
  }),
  post('/v1/customers', 'email name description metadata', ({ state, params }) => {
    const own = { email: params.text('email'), name: params.text('name'), metadata: params.metadata() };
    const customer = { ...own, description: params.text('description') };
    const made = state.add('customer', customerObject(state.made('cus'), customer));
    state.emit('customer.created', made);
    return made;
  }),
  post('/v1/customers/:id', 'email name description metadata', ({ state, params }, id) => {
    const customer = state.get('customer', id);
    customer.metadata = params.metadata(customer.metadata);
    for (const name of ['email', 'name', 'description']) customer[name] = params.text(name) ?? customer[name];
    state.emit('customer.updated', customer);
    return customer;
  }),
  ...reads('/v1/customers', 'customer', ['email']),
  get('/v1/customers/:id/payment_methods', [...paging, 'type'], ({ state, params }, id) => {
    state.get('customer', id);
    return methodsOf(state, params, id, `/v1/customers/${id}/payment_methods`);
  }),
  get('/v1/payment_methods', [...paging, 'customer', 'type'], ({ state, params }) =>
    methodsOf(state, params, params.text('customer'), '/v1/payment_methods'),
  ),
  get('/v1/payment_methods/:id', [], ({ state }, id) => state.get('payment_method', id)),
  post('/v1/payment_methods/:id/attach', 'customer', attachApiMethod),
  post('/v1/payment_methods/:id/detach', '', ({ state }, id) => {
    const method = state.get('payment_method', id);
    method.customer = null;
    state.emit('payment_method.detached', method);
    return method;
  }),
  ...reads('/v1/setup_intents', 'setup_intent', ['customer', 'payment_method']),
  get('/v1/events', [...paging, 'type', 'types'], listEvents),
  get('/v1/events/:id', [], ({ state }, id) => state.get('event', id)),
  get('/v1/balance', [], ({ state }) => balanceOf(state)),
  get('/v1/account', [], ({ state }) => ({
    ...{ id: 'acct_1StandInForStripe', object: 'account', charges_enabled: true, country: 'DE' },
    ...{ created: state.now(), default_currency: 'eur', details_submitted: true, email: null },
    ...{ payouts_enabled: true, type: 'standard' },
  })),
];

function get(path: string, params: readonly string[], run: StripeRoute['run']): StripeRoute {
  return { method: 'GET', path, params, run };
}

function post(path: string, params: string, run: StripeRoute['run']): StripeRoute {
  return { method: 'POST', path, params: params.split(' '), run };
}

/** One object, and the list with filters that compare a member. */
function reads(path: string, kind: keyof ObjectKinds, filters: readonly string[]): readonly StripeRoute[] {
  return [
    get(path, [...paging, ...filters], ({ state, params }) => {
      const wanted = filters.flatMap((name) => {
        const value = params.text(name);
        return value === null ? [] : [[name, value] as const];
      });
      const isWanted = (object: JsonObject) => wanted.every(([name, value]) => object[name] === value);
      return pageOf(params, { url: path, kind, all: state.all(kind), isWanted });
    }),
    get(`${path}/:id`, [], ({ state }, id) => state.get(kind, id)),
  ];
}

// Stripe lists the events of the last 30 days only.
const eventSeconds = 30 * 86_400;

function listEvents({ state, params }: StripeCall): JsonObject {
  const type = params.text('type');
  const types = type === null ? params.texts('types') : [type];
  const oldest = state.now() - eventSeconds;
  const isWanted = ({ type: name }: JsonObject) =>
    types.length === 0 ||
    types.some((each) => each === name || (each.endsWith('*') && String(name).startsWith(each.slice(0, -1))));
  const all = state.all('event').filter((event) => event.created > oldest);
  return pageOf(params, { url: '/v1/events', kind: 'event', all, isWanted });
}

function createPaymentIntent({ state, params }: StripeCall): JsonObject {
  const customer = params.text('customer');
  if (customer !== null) state.get('customer', customer, 'customer');
  const isConfirmed = params.flag('confirm');
  if (params.flag('off_session') && !isConfirmed)
    throw invalidRequest('`off_session` needs `confirm`.', { param: 'off_session' });
  const values = {
    amount: readAmount(params, 'amount'),
    currency: readCurrency(params),
    customer,
    metadata: params.metadata(),
    more: { description: params.text('description'), receipt_email: params.text('receipt_email') },
  };
  const sent = params.text('payment_method');
  const method = sent === null ? null : methodFor(state, sent, customer);
  const intent = createIntent(state, values);
  if (isConfirmed) return confirm(state, intent, method);
  if (method !== null) {
    intent.payment_method = method.id;
    intent.status = 'requires_confirmation';
  }
  return intent;
}

function confirmPaymentIntent({ state, params }: StripeCall, id: string): JsonObject {
  const intent = state.get('payment_intent', id);
  if (intent.status === 'succeeded' || intent.status === 'canceled' || intent.status === 'processing')
    throw unexpectedState(intent, 'it cannot be confirmed');
  const method = params.text('payment_method') ?? intent.payment_method;
  return confirm(state, intent, method === null ? null : methodFor(state, method, intent.customer));
}

function confirm(state: StripeState, intent: PaymentIntent, method: PaymentMethod | null): PaymentIntent {
  if (method === null) throw unexpectedState(intent, 'it has no payment method');
  const ofCustomer = intent.customer === null ? undefined : state.outcomeOfCustomer.get(intent.customer);
  const outcome = ofCustomer ?? state.outcomeOfMethod.get(method.id) ?? 'succeeds';
  if (outcome !== 'succeeds') throw decline(state, intent, method, outcome);
  succeed(state, intent, method);
  return intent;
}

/** Stripe's names of test cards. Each stands for a new card. */
const testCards: Readonly<Record<string, Outcome>> = {
  pm_card_visa: 'succeeds',
  pm_card_chargeDeclined: 'card_declined',
  pm_card_chargeDeclinedInsufficientFunds: 'insufficient_funds',
  pm_card_authenticationRequired: 'authentication_required',
};

function methodFor(state: StripeState, id: string, customer: string | null): PaymentMethod {
  const outcome = Object.hasOwn(testCards, id) ? testCards[id] : undefined;
  if (outcome !== undefined) return newMethod(state, 'card', null, outcome);
  const method = state.get('payment_method', id, 'payment_method');
  if (method.customer === customer) return method;
  throw invalidRequest(
    `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
    { param: 'payment_method' },
  );
}

function attachApiMethod({ state, params }: StripeCall, id: string): JsonObject {
  const customer = params.requiredText('customer');
  state.get('customer', customer, 'customer');
  const outcome = Object.hasOwn(testCards, id) ? testCards[id] : undefined;
  if (outcome !== undefined) return newMethod(state, 'card', customer, outcome);
  const method = state.get('payment_method', id);
  attachMethod(state, method, customer);
  return method;
}

function methodsOf(state: StripeState, params: FormParams, customer: string | null, url: string): JsonObject {
  const type = params.text('type');
  const isWanted = (method: JsonObject) =>
    method['customer'] === customer && (type === null || method['type'] === type);
  return pageOf(params, { url, kind: 'payment_method', all: state.all('payment_method'), isWanted });
}

function createApiRefund({ state, params, refundStatus }: StripeCall): JsonObject {
  return createRefund(state, chargeOf(state, params), {
    amount: params.integer('amount'),
    reason: params.oneOf('reason', ['duplicate', 'fraudulent', 'requested_by_customer']),
    metadata: params.metadata(),
    status: refundStatus,
  });
}

function chargeOf(state: StripeState, params: FormParams): Charge {
  const charge = params.text('charge');
  if (charge !== null) return state.get('charge', charge, 'charge');
  const intent = state.get('payment_intent', params.requiredText('payment_intent'), 'payment_intent');
  if (intent.latest_charge !== null) return state.get('charge', intent.latest_charge);
  throw new StripeRefusal(
    400,
    'invalid_request_error',
    `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
  );
}

function balanceOf(state: StripeState): JsonObject {
  const sums = new Map<string, number>([['eur', 0]]);
  const add = (currency: string, amount: number) => sums.set(currency, (sums.get(currency) ?? 0) + amount);
  for (const { status, currency, amount, amount_refunded } of state.all('charge'))
    if (status === 'succeeded') add(currency, amount - amount_refunded);
  for (const { currency, balance_transactions } of state.all('dispute'))
    for (const { net } of balance_transactions) add(currency, Number(net));
  const available = [...sums].map(([currency, amount]) => ({
    amount,
    currency,
    source_types: { card: amount },
  }));
  const pending = [...sums.keys()].map((currency) => ({ amount: 0, currency, source_types: { card: 0 } }));
  return { object: 'balance', available, livemode: false, pending };
}
