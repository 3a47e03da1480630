// Payment intents and their charges: made, paid, declined, or pending until a direct debit has cleared.

import type { JsonObject } from '../shared/json.ts';
import type { FormParams } from './form-params.ts';
import {
  type Charge,
  chargeObject,
  type Metadata,
  nulls,
  type PaymentIntent,
  type PaymentMethod,
  paymentIntentObject,
  paymentMethodObject,
} from './stripe-objects.ts';
import { invalidRequest, StripeRefusal } from './stripe-refusal.ts';
import type { Outcome, StripeState } from './stripe-state.ts';

const amountMax = 99_999_999;
const amountMin = 50;

/** An amount in cents within Stripe's limits. */
export function readAmount(params: FormParams, name: string): number {
  const amount = params.requiredInteger(name);
  const param = params.pathOf(name);
  if (amount < 1)
    throw invalidRequest('This value must be greater than or equal to 1.', {
      code: 'parameter_invalid_integer',
      param,
    });
  if (amount < amountMin)
    throw invalidRequest('Amount must be at least 50 cents', { code: 'amount_too_small', param });
  if (amount > amountMax)
    throw invalidRequest('Amount must be no more than 999,999.99', { code: 'amount_too_large', param });
  return amount;
}

export function readCurrency(params: FormParams): string {
  const currency = params.requiredText('currency').toLowerCase();
  if (/^[a-z]{3}$/.test(currency)) return currency;
  throw invalidRequest(`Invalid currency: ${currency}.`, { param: params.pathOf('currency') });
}

export interface IntentValues {
  readonly amount: number;
  readonly currency: string;
  readonly customer: string | null;
  readonly metadata: Metadata;
  readonly more?: JsonObject;
}

export function createIntent(state: StripeState, values: IntentValues): PaymentIntent {
  const { more = {}, ...own } = values;
  const made = paymentIntentObject(state.made('pi'), { ...more, ...own, payment_method: null });
  const intent = state.add('payment_intent', made);
  state.emit('payment_intent.created', intent);
  return intent;
}

export function newMethod(
  state: StripeState,
  type: PaymentMethod['type'],
  customer: string | null,
  outcome: Outcome = 'succeeds',
): PaymentMethod {
  const method = state.add('payment_method', paymentMethodObject(state.made('pm'), type));
  state.outcomeOfMethod.set(method.id, outcome);
  if (customer !== null) attachMethod(state, method, customer);
  return method;
}

export function attachMethod(state: StripeState, method: PaymentMethod, customer: string): void {
  method.customer = customer;
  state.emit('payment_method.attached', method);
}

export function succeed(state: StripeState, intent: PaymentIntent, method: PaymentMethod): Charge {
  const charge = newCharge(state, intent, method);
  settleCharge(state, intent, charge);
  return charge;
}

/** A direct debit: the money comes days later, or never. */
export function beginDebit(state: StripeState, intent: PaymentIntent, method: PaymentMethod): void {
  const charge = newCharge(state, intent, method);
  intent.status = 'processing';
  intent['payment_method_types'] = [method.type];
  state.emit('charge.pending', charge);
  state.emit('payment_intent.processing', intent);
}

export function settleDebit(state: StripeState, intent: PaymentIntent, hasSucceeded: boolean): void {
  if (intent.status !== 'processing' || intent.latest_charge === null)
    throw unexpectedState(intent, 'it is not processing');
  const charge = state.get('charge', intent.latest_charge);
  if (hasSucceeded) settleCharge(state, intent, charge);
  else failCharge(state, intent, charge, 'insufficient_funds');
}

function newCharge(state: StripeState, intent: PaymentIntent, method: PaymentMethod): Charge {
  const charge = state.add('charge', chargeObject(state.made('ch'), intent, method));
  intent.latest_charge = charge.id;
  intent.payment_method = method.id;
  return charge;
}

function settleCharge(state: StripeState, intent: PaymentIntent, charge: Charge): void {
  charge.status = 'succeeded';
  charge.paid = true;
  charge['balance_transaction'] = state.newId('txn');
  charge['outcome'] = {
    ...nulls('advice_code network_advice_code network_decline_code reason'),
    network_status: 'approved_by_network',
    risk_level: 'normal',
    seller_message: 'Payment complete.',
    type: 'authorized',
  };
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  intent['last_payment_error'] = null;
  state.emit('charge.succeeded', charge);
  state.emit('payment_intent.succeeded', intent);
}

const declines: Readonly<Record<Exclude<Outcome, 'succeeds'>, readonly [code: string, message: string]>> = {
  card_declined: ['card_declined', 'Your card was declined.'],
  insufficient_funds: ['card_declined', 'Your card has insufficient funds.'],
  authentication_required: [
    'authentication_required',
    'Your card was declined. This transaction requires authentication.',
  ],
};

/** Returns the refusal that the API answers an attempt without the card holder with. */
export function decline(
  state: StripeState,
  intent: PaymentIntent,
  method: PaymentMethod,
  outcome: Exclude<Outcome, 'succeeds'>,
): StripeRefusal {
  const charge = newCharge(state, intent, method);
  const { type, ...error } = failCharge(state, intent, charge, outcome);
  return new StripeRefusal(402, 'card_error', String(error['message']), {
    ...error,
    payment_intent: structuredClone(intent),
  });
}

function failCharge(
  state: StripeState,
  intent: PaymentIntent,
  charge: Charge,
  outcome: Exclude<Outcome, 'succeeds'>,
): JsonObject {
  const [code, message] = declines[outcome];
  const reason = outcome === 'card_declined' ? 'generic_decline' : outcome;
  charge.status = 'failed';
  charge['captured'] = false;
  charge['amount_captured'] = 0;
  charge['failure_code'] = code;
  charge['failure_message'] = message;
  charge['outcome'] = {
    ...nulls('advice_code network_advice_code network_decline_code'),
    network_status: 'declined_by_network',
    reason,
    risk_level: 'normal',
    seller_message: 'The bank did not return any further details.',
    type: 'issuer_declined',
  };
  const method = state.get('payment_method', charge.payment_method ?? '');
  const error = {
    charge: charge.id,
    code,
    decline_code: reason,
    message,
    payment_method: structuredClone(method),
    type: 'card_error',
  };
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent['last_payment_error'] = error;
  state.emit('charge.failed', charge);
  state.emit('payment_intent.payment_failed', intent);
  return error;
}

export function unexpectedState(intent: PaymentIntent, why: string): StripeRefusal {
  return invalidRequest(`This PaymentIntent has the status ${intent.status}: ${why}.`, {
    code: 'payment_intent_unexpected_state',
    payment_intent: structuredClone(intent),
  });
}
