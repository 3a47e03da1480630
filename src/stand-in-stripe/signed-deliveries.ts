// Sends events to webhook endpoints as Stripe does: signed, retried with growing pauses, in no promised order. Tests can
// drop, hold, repeat and delay them, or break signatures.

import { createHmac } from 'node:crypto';
import type { StripeEvent } from './stripe-objects.ts';

export interface WebhookEndpoint {
  /** Several addresses take turns, for example those of two processes. */
  readonly urls: readonly string[];
  /** While a secret is rolled there are two; each signs. */
  readonly secrets: readonly string[];
}

export interface DeliverySettings {
  readonly mode: 'send' | 'hold' | 'drop';
  /** How often each event is sent at once, in parallel. */
  readonly copies: number;
  readonly delayMilliseconds: number;
  /** Added to the time of signatures: -600 makes them ten minutes old. */
  readonly signatureSeconds: number;
  readonly signsWithWrongSecret: boolean;
}

/** One attempt. `status` is null if no answer came. */
export interface DeliveryAttempt {
  readonly eventId: string;
  readonly type: string;
  readonly url: string;
  readonly status: number | null;
}

export interface Deliveries {
  readonly attempts: readonly DeliveryAttempt[];
  send(event: StripeEvent): void;
  /** Sends now, also while `mode` holds or drops others. */
  resend(event: StripeEvent, settings: Partial<DeliverySettings>): void;
  /** Sends the held events one after the other, and returns to `send`. */
  release(order: 'oldest_first' | 'newest_first' | readonly string[]): Promise<void>;
  configure(settings: Partial<DeliverySettings>): void;
  setEndpoints(endpoints: readonly WebhookEndpoint[]): void;
  /** Resolves when nothing is being sent and no retry waits. */
  settled(): Promise<void>;
  stop(): void;
}

export interface DeliveriesOptions {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly now: () => number;
  /** The pauses before the second attempt, the third … After the last one Stripe gives up. */
  readonly retryMilliseconds: readonly number[];
  readonly timeoutMilliseconds: number;
}

const usually: DeliverySettings = {
  ...{ mode: 'send', copies: 1, delayMilliseconds: 0, signatureSeconds: 0, signsWithWrongSecret: false },
};
const heldMax = 10_000;
const attemptsKept = 10_000;

export function createDeliveries(options: DeliveriesOptions): Deliveries {
  const { now, retryMilliseconds, timeoutMilliseconds } = options;
  let { endpoints } = options;
  let settings = usually;
  let held: StripeEvent[] = [];
  let turn = 0;
  let underWay = 0;
  let onSettled: (() => void)[] = [];
  const attempts: DeliveryAttempt[] = [];
  const stopping = new AbortController();
  /** Each function ends a pause early. */
  const pauses = new Set<() => void>();

  /** Counts the work, so that `settled` can wait for it. */
  async function counted(work: () => Promise<void>): Promise<void> {
    underWay += 1;
    try {
      await work();
    } finally {
      underWay -= 1;
      if (underWay === 0) {
        for (const resolve of onSettled) resolve();
        onSettled = [];
      }
    }
  }

  async function toAll(event: StripeEvent, how: DeliverySettings): Promise<void> {
    await counted(async () => {
      if (how.delayMilliseconds > 0) await pause(how.delayMilliseconds);
      await Promise.all(endpoints.map((_endpoint, index) => toOne(event, how, index, 0)));
    });
  }

  async function toOne(
    event: StripeEvent,
    how: DeliverySettings,
    index: number,
    attempt: number,
  ): Promise<void> {
    const endpoint = endpoints[index];
    if (endpoint === undefined || stopping.signal.aborted) return;
    const copies = attempt === 0 ? how.copies : 1;
    const arrived = await Promise.all(Array.from({ length: copies }, () => post(event, how, endpoint)));
    const retryAfter = retryMilliseconds[attempt];
    if (arrived.every(Boolean) || retryAfter === undefined) return;
    await counted(async () => {
      await pause(retryAfter);
      await toOne(event, how, index, attempt + 1);
    });
  }

  async function post(
    event: StripeEvent,
    how: DeliverySettings,
    endpoint: WebhookEndpoint,
  ): Promise<boolean> {
    const url = endpoint.urls[turn % endpoint.urls.length] ?? '';
    turn += 1;
    const body = JSON.stringify(event, null, 2);
    const secrets = how.signsWithWrongSecret ? ['whsec_wrong'] : endpoint.secrets;
    let status: number | null = null;
    try {
      const answered = await fetch(url, {
        method: 'POST',
        body,
        redirect: 'manual',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
          'stripe-signature': signatureOf(body, now() + how.signatureSeconds, secrets),
        },
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMilliseconds)]),
      });
      await answered.arrayBuffer();
      status = answered.status;
    } catch {
      // Refused, cut or too slow: the attempt has no status.
    }
    attempts.push({ eventId: event.id, type: event.type, url, status });
    if (attempts.length > attemptsKept) attempts.shift();
    return status !== null && status >= 200 && status < 300;
  }

  function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        pauses.delete(end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds).unref();
      pauses.add(end);
    });
  }

  return {
    attempts,
    send(event) {
      if (settings.mode === 'send') void toAll(event, settings);
      if (settings.mode === 'hold' && held.length < heldMax) held.push(event);
    },
    resend(event, changed) {
      void toAll(event, { ...settings, ...changed });
    },
    async release(order) {
      const events = order === 'newest_first' ? held.toReversed() : [...held];
      const chosen =
        typeof order === 'string' ? events : order.flatMap((id) => events.filter((event) => event.id === id));
      held = held.filter((event) => !chosen.includes(event));
      if (held.length === 0) settings = { ...settings, mode: 'send' };
      for (const event of chosen) await toAll(event, settings);
    },
    configure(changed) {
      settings = { ...settings, ...changed };
    },
    setEndpoints(changed) {
      endpoints = changed;
    },
    settled: () =>
      underWay === 0 ? Promise.resolve() : new Promise<void>((resolve) => onSettled.push(resolve)),
    stop() {
      stopping.abort();
      held = [];
      for (const end of [...pauses]) end();
    },
  };
}

/** Stripe's scheme, with the second one (`v0`) that test events have and receivers must ignore. */
function signatureOf(body: string, at: number, secrets: readonly string[]): string {
  const signed = (secret: string) => createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return [`t=${at}`, ...secrets.map((secret) => `v1=${signed(secret)}`), `v0=${signed('test')}`].join(',');
}
