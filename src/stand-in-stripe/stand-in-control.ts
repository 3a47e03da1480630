// How tests steer the stand-in, in the same process or with `POST /stand-in/{name}` and a JSON body. A payment is named by
// its payment intent, or by the checkout session that made it.

import { isJsonObject, type JsonObject, own } from '../shared/json.ts';
import type { Deliveries, DeliveryAttempt, DeliverySettings, WebhookEndpoint } from './signed-deliveries.ts';
import type { ApiFault } from './stripe-api.ts';
import {
  expireSession,
  expireSessions,
  type PageButton,
  paymentButtons,
  pressButton,
  settleSession,
  setupButtons,
} from './stripe-checkout.ts';
import type { Charge, Dispute, Refund } from './stripe-objects.ts';
import {
  createRefund,
  type DisputeMove,
  type DisputeValues,
  disputeMoves,
  moveDispute,
  openDispute,
  settleRefund,
} from './stripe-refunds.ts';
import { invalidRequest } from './stripe-refusal.ts';
import { type Outcome, outcomes, type StripeState } from './stripe-state.ts';

export interface Falsification {
  readonly amount?: number;
  readonly currency?: string;
  readonly in: 'events' | 'answers' | 'both';
}

export interface StandInControl {
  press(session: string, button: PageButton): void;
  /** Ends a delayed payment. */
  settle(session: string, outcome: 'succeeds' | 'fails'): void;
  expire(session: string): void;
  /** The outcome of later charges without the card holder. null: that of the saved card. */
  setCustomerOutcome(customer: string, outcome: Outcome | null): void;
  /** A refund made in the provider's dashboard. Default: all that is left. */
  refund(payment: string, amount?: number): Refund;
  /** The status of new refunds; `settleRefund` ends pending ones. */
  setRefundStatus(status: 'pending' | 'succeeded'): void;
  settleRefund(refund: string, status: 'succeeded' | 'failed'): void;
  dispute(payment: string, values?: DisputeValues): Dispute;
  moveDispute(dispute: string, move: DisputeMove): void;
  configureDeliveries(settings: Partial<DeliverySettings>): void;
  setEndpoints(endpoints: readonly WebhookEndpoint[]): void;
  release(order?: 'oldest_first' | 'newest_first' | readonly string[]): Promise<void>;
  /** Sends an event again, now, also while others are held or dropped. */
  resend(event: string, settings?: Partial<DeliverySettings>): void;
  /** Resolves when no delivery is under way and no retry waits. */
  deliveriesSettled(): Promise<void>;
  attempts(): readonly DeliveryAttempt[];
  setFault(fault: Partial<ApiFault> | null): void;
  /** Shows wrong amounts or another currency in sessions, payments and charges. null: the truth. */
  falsify(falsification: Falsification | null): void;
  /** null: any test key. */
  setApiKeys(keys: readonly string[] | null): void;
  setClockOffset(seconds: number): void;
}

export interface ControlParts {
  readonly state: StripeState;
  readonly deliveries: Deliveries;
  readonly setFault: (fault: ApiFault | null) => void;
  readonly setRefundStatus: StandInControl['setRefundStatus'];
  readonly falsify: StandInControl['falsify'];
  readonly setApiKeys: StandInControl['setApiKeys'];
}

export function createControl({ state, deliveries, ...parts }: ControlParts): StandInControl {
  const session = (id: string) => state.get('checkout.session', id);

  function chargeOf(payment: string): Charge {
    const intent = payment.startsWith('cs_') ? (session(payment).payment_intent ?? payment) : payment;
    return state.get('charge', state.get('payment_intent', intent).latest_charge ?? '');
  }

  return {
    press: (id, button) => void pressButton(state, session(id), button),
    settle: (id, outcome) => settleSession(state, session(id), outcome === 'succeeds'),
    expire: (id) => expireSession(state, session(id)),
    setCustomerOutcome(customer, outcome) {
      state.get('customer', customer);
      if (outcome === null) state.outcomeOfCustomer.delete(customer);
      else state.outcomeOfCustomer.set(customer, outcome);
    },
    refund: (payment, amount) =>
      createRefund(state, chargeOf(payment), {
        ...{ amount: amount ?? null, reason: 'requested_by_customer', metadata: {}, status: 'succeeded' },
      }),
    setRefundStatus: parts.setRefundStatus,
    settleRefund: (refund, status) => settleRefund(state, state.get('refund', refund), status),
    dispute: (payment, values = {}) => openDispute(state, chargeOf(payment), values),
    moveDispute: (dispute, move) => moveDispute(state, state.get('dispute', dispute), move),
    configureDeliveries: deliveries.configure,
    setEndpoints: deliveries.setEndpoints,
    release: (order = 'oldest_first') => deliveries.release(order),
    resend: (event, settings = {}) => deliveries.resend(state.get('event', event), settings),
    deliveriesSettled: deliveries.settled,
    attempts: () => [...deliveries.attempts],
    setFault: (fault) => parts.setFault(fault === null ? null : { ...usualFault, ...fault }),
    falsify: parts.falsify,
    setApiKeys: parts.setApiKeys,
    setClockOffset(seconds) {
      state.setClockOffset(seconds);
      expireSessions(state);
    },
  };
}

const usualFault: ApiFault = { answer: 500, requests: 1, afterEffect: false, only: '' };

/** Runs the command that `POST /stand-in/{name}` names. Its answer is what the command returns. */
export async function runControl(
  control: StandInControl,
  name: string,
  body: JsonObject,
): Promise<JsonObject> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined)
    throw invalidRequest(`The stand-in has no command ${name}. It has: ${Object.keys(commands).join(', ')}.`);
  const answer = await command(control, body);
  return isJsonObject(answer) ? answer : {};
}

type Command = (control: StandInControl, body: JsonObject) => unknown;

const commands: Readonly<Record<string, Command>> = {
  press: (control, body) =>
    control.press(text(body, 'session'), oneOf(body, 'button', [...paymentButtons, ...setupButtons])),
  settle: (control, body) =>
    control.settle(text(body, 'session'), oneOf(body, 'outcome', ['succeeds', 'fails'])),
  expire: (control, body) => control.expire(text(body, 'session')),
  'customer-outcome': (control, body) =>
    control.setCustomerOutcome(
      text(body, 'customer'),
      orNull(body, 'outcome', () => oneOf(body, 'outcome', outcomes)),
    ),
  refund: (control, body) => control.refund(text(body, 'payment'), optional(body, 'amount', number)),
  'refund-status': (control, body) =>
    control.setRefundStatus(oneOf(body, 'status', ['pending', 'succeeded'])),
  'settle-refund': (control, body) =>
    control.settleRefund(text(body, 'refund'), oneOf(body, 'status', ['succeeded', 'failed'])),
  dispute: (control, body) =>
    control.dispute(text(body, 'payment'), {
      ...given('amount', optional(body, 'amount', number)),
      ...given('reason', optional(body, 'reason', text)),
      isInquiry: flag(body, 'inquiry'),
    }),
  'move-dispute': (control, body) =>
    control.moveDispute(text(body, 'dispute'), oneOf(body, 'move', disputeMoves)),
  deliveries: (control, body) => control.configureDeliveries(deliverySettings(body)),
  endpoints: (control, body) =>
    control.setEndpoints(
      list(body, 'endpoints')
        .filter(isJsonObject)
        .map((each) => ({ urls: texts(each, 'urls'), secrets: texts(each, 'secrets') })),
    ),
  release: (control, body) =>
    control.release(
      Array.isArray(own(body, 'order'))
        ? texts(body, 'order')
        : oneOf({ order: 'oldest_first', ...body }, 'order', ['oldest_first', 'newest_first']),
    ),
  resend: (control, body) => control.resend(text(body, 'event'), deliverySettings(body)),
  attempts: (control) => ({ attempts: control.attempts() }),
  fault: (control, body) =>
    control.setFault(
      orNull(body, 'answer', () => ({
        answer: oneOf(body, 'answer', [500, 429, 'silence']),
        ...given('requests', optional(body, 'requests', number)),
        ...given('only', optional(body, 'only', text)),
        afterEffect: flag(body, 'after_effect'),
      })),
    ),
  falsify: (control, body) =>
    control.falsify(
      orNull(body, 'in', () => ({
        in: oneOf(body, 'in', ['events', 'answers', 'both']),
        ...given('amount', optional(body, 'amount', number)),
        ...given('currency', optional(body, 'currency', text)),
      })),
    ),
  'api-keys': (control, body) => control.setApiKeys(orNull(body, 'keys', () => texts(body, 'keys'))),
  clock: (control, body) => control.setClockOffset(number(body, 'offset_seconds')),
};

function deliverySettings(body: JsonObject): Partial<DeliverySettings> {
  return {
    ...given(
      'mode',
      optional(body, 'mode', () => oneOf(body, 'mode', ['send', 'hold', 'drop'])),
    ),
    ...given('copies', optional(body, 'copies', number)),
    ...given('delayMilliseconds', optional(body, 'delay_ms', number)),
    ...given('signatureSeconds', optional(body, 'signature_seconds', number)),
    ...given('signsWithWrongSecret', optional(body, 'wrong_secret', flag)),
  };
}

function given<N extends string, T>(name: N, value: T | undefined): { readonly [K in N]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [K in N]?: T };
}

function optional<T>(
  body: JsonObject,
  name: string,
  read: (body: JsonObject, name: string) => T,
): T | undefined {
  return own(body, name) === undefined ? undefined : read(body, name);
}

function orNull<T>(body: JsonObject, name: string, read: () => T): T | null {
  return own(body, name) === null ? null : read();
}

function text(body: JsonObject, name: string): string {
  const value = own(body, name);
  if (typeof value === 'string') return value;
  throw invalidRequest(`${name} must be a text.`);
}

function list(body: JsonObject, name: string): readonly unknown[] {
  const value = own(body, name);
  if (Array.isArray(value)) return value;
  throw invalidRequest(`${name} must be a list.`);
}

function texts(body: JsonObject, name: string): readonly string[] {
  return list(body, name).map(String);
}

function number(body: JsonObject, name: string): number {
  const value = own(body, name);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw invalidRequest(`${name} must be a whole number.`);
}

function flag(body: JsonObject, name: string): boolean {
  return own(body, name) === true;
}

function oneOf<const T extends string | number>(body: JsonObject, name: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === own(body, name));
  if (found !== undefined) return found;
  throw invalidRequest(`${name} must be one of ${allowed.join(', ')}.`);
}
