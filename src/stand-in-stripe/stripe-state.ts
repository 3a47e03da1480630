// The stand-in's state, in memory. Changes are synchronous: requests never interleave.
// Invariant: each change emits its events at once, with a copy of the object.

import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../shared/json.ts';
import { type Metadata, type ObjectKinds, type StripeEvent, stripeApiVersion } from './stripe-objects.ts';
import { missingObject } from './stripe-refusal.ts';

type Kind = keyof ObjectKinds;

/** The outcome of a payment with a saved method. */
export const outcomes = [
  'succeeds',
  'card_declined',
  'authentication_required',
  'insufficient_funds',
] as const;
export type Outcome = (typeof outcomes)[number];

export interface StripeState {
  now(): number;
  setClockOffset(seconds: number): void;
  newId(prefix: string, length?: number): string;
  made(prefix: string): { readonly id: string; readonly created: number };
  add<K extends Kind>(kind: K, object: ObjectKinds[K]): ObjectKinds[K];
  /** `param`: the parameter that names the object; null if the path does. */
  get<K extends Kind>(kind: K, id: string, param?: string | null): ObjectKinds[K];
  find(id: string): ObjectKinds[Kind] | null;
  /** Newest first. */
  all<K extends Kind>(kind: K): readonly ObjectKinds[K][];
  emit(type: string, object: JsonObject, previous?: JsonObject): void;
  /** Runs the work of an API request; its events name the request. */
  during<T>(request: EventCause, work: () => T): T;
  /** When sessions were last expired. */
  expiredAt: number;
  readonly outcomeOfCustomer: Map<string, Outcome>;
  readonly outcomeOfMethod: Map<string, Outcome>;
  readonly lineItems: Map<string, readonly JsonObject[]>;
  /** `payment_intent_data` of sessions whose payment does not exist yet. */
  readonly paymentData: Map<string, PaymentData>;
}

export interface PaymentData {
  readonly metadata: Metadata;
  readonly description: string | null;
  readonly setup_future_usage: string | null;
}

interface EventCause {
  readonly id: string;
  readonly idempotencyKey: string | null;
}

export interface StateOptions {
  readonly milliseconds: () => number;
  /** Changes what events show, for tests of wrong amounts. */
  readonly shownInEvents: (object: JsonObject) => JsonObject;
  readonly onEvent: (event: StripeEvent) => void;
}

// A demo may run for weeks; the oldest objects go first.
const objectsMax = 20_000;
const idCharacters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function createStripeState({ milliseconds, shownInEvents, onEvent }: StateOptions): StripeState {
  let clockOffset = 0;
  let cause: EventCause | null = null;
  const tables: { readonly [K in Kind]: Map<string, ObjectKinds[K]> } = {
    'checkout.session': new Map(),
    payment_intent: new Map(),
    setup_intent: new Map(),
    payment_method: new Map(),
    customer: new Map(),
    charge: new Map(),
    refund: new Map(),
    dispute: new Map(),
    event: new Map(),
  };

  const state: StripeState = {
    now: () => Math.floor(milliseconds() / 1000) + clockOffset,
    setClockOffset(seconds) {
      clockOffset = seconds;
    },
    newId: (prefix, length = 24) =>
      `${prefix}_${Array.from(randomBytes(length), (byte) => idCharacters[byte % idCharacters.length]).join('')}`,
    made: (prefix) => ({ id: state.newId(prefix), created: state.now() }),
    add(kind, object) {
      const table = tables[kind];
      table.set(object.id, object);
      const [oldest] = table.keys();
      if (table.size > objectsMax && oldest !== undefined) {
        table.delete(oldest);
        for (const map of [
          state.lineItems,
          state.paymentData,
          state.outcomeOfCustomer,
          state.outcomeOfMethod,
        ])
          map.delete(oldest);
      }
      return object;
    },
    get(kind, id, param = null) {
      const found = tables[kind].get(id);
      if (found === undefined) throw missingObject(kind, id, param);
      return found;
    },
    find(id) {
      for (const table of Object.values(tables)) {
        const found = table.get(id);
        if (found !== undefined) return found;
      }
      return null;
    },
    all: (kind) => [...tables[kind].values()].reverse(),
    emit(type, object, previous) {
      const shown = shownInEvents(structuredClone(object));
      const data = { object: shown, ...(previous !== undefined && { previous_attributes: previous }) };
      const event = state.add('event', {
        ...state.made('evt'),
        ...{ object: 'event', api_version: stripeApiVersion, data, livemode: false, pending_webhooks: 0 },
        request: { id: cause?.id ?? null, idempotency_key: cause?.idempotencyKey ?? null },
        type,
      });
      onEvent(event);
    },
    during(request, work) {
      cause = request;
      try {
        return work();
      } finally {
        cause = null;
      }
    },
    expiredAt: 0,
    outcomeOfCustomer: new Map(),
    outcomeOfMethod: new Map(),
    lineItems: new Map(),
    paymentData: new Map(),
  };
  return state;
}
