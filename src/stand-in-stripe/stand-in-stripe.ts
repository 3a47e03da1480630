// A stand-in for Stripe: an HTTP server with the part of Stripe's API that a prepaid service needs, hosted pages and signed
// webhooks, in memory. No money moves. The official library works with it unchanged.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject } from '../shared/json.ts';
import { languages } from '../shared/languages.ts';
import { endedPage, languageOf, pageHeaders, payPage } from './pay-page.ts';
import { createDeliveries, type WebhookEndpoint } from './signed-deliveries.ts';
import { createControl, type Falsification, runControl, type StandInControl } from './stand-in-control.ts';
import { createStripeApi, type StripeApi } from './stripe-api.ts';
import {
  expireSessions,
  type PageButton,
  paymentButtons,
  pressButton,
  settleSession,
  setupButtons,
  successAddress,
} from './stripe-checkout.ts';
import type { CheckoutSession } from './stripe-objects.ts';
import { invalidRequest, StripeRefusal } from './stripe-refusal.ts';
import { createStripeState, type StripeState } from './stripe-state.ts';

export interface StandInOptions {
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** The address that browsers reach its pages under, if another server shows them. Default: its own. */
  readonly publicUrl?: () => string;
  /** Shown on the hosted page, unless a session names one in `branding_settings[display_name]`. */
  readonly shopName?: string;
  /** Default: any test key. */
  readonly apiKeys?: readonly string[];
  readonly endpoints?: readonly WebhookEndpoint[];
  readonly retryMilliseconds?: readonly number[];
  readonly timeoutMilliseconds?: number;
  /** How long after "Pay later" the payment ends. Default: when `settle` is called. */
  readonly settleMilliseconds?: number;
  readonly milliseconds?: () => number;
}

export interface StandInStripe {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly control: StandInControl;
  /** Answers for another server, whose path begins with `payPagePath`. */
  showPage(request: IncomingMessage, response: ServerResponse): Promise<void>;
  stop(): Promise<void>;
}

const bodyBytesMax = 1_000_000;
const retriesByDefault = [1_000, 5_000, 30_000, 300_000, 3_600_000];
export const payPagePath = '/c/pay/';
const controlPath = '/stand-in/';

interface Parts {
  readonly state: StripeState;
  readonly api: StripeApi;
  readonly control: StandInControl;
  readonly shopName: string;
  /** Called after each press of a button. */
  readonly pressed: (session: CheckoutSession, button: PageButton) => void;
}

export async function startStandInStripe(options: StandInOptions = {}): Promise<StandInStripe> {
  const { host = '127.0.0.1', port = 0, shopName = 'Test shop', settleMilliseconds } = options;
  const {
    milliseconds = Date.now,
    retryMilliseconds = retriesByDefault,
    timeoutMilliseconds = 10_000,
  } = options;
  let falsification: Falsification | null = null;
  let refundStatus: 'pending' | 'succeeded' = 'succeeded';
  let apiKeys = options.apiKeys ?? null;
  const settling = new Set<NodeJS.Timeout>();

  const shownIn = (place: 'events' | 'answers') => (object: JsonObject) =>
    falsification === null || (falsification.in !== place && falsification.in !== 'both')
      ? object
      : falsified(object, falsification);
  const deliveries = createDeliveries({
    ...{ endpoints: options.endpoints ?? [], retryMilliseconds, timeoutMilliseconds, now: () => state.now() },
  });
  const state = createStripeState({
    ...{ milliseconds, shownInEvents: shownIn('events'), onEvent: deliveries.send },
  });
  const api = createStripeApi({
    ...{ state, refundStatus: () => refundStatus, shownInAnswers: shownIn('answers') },
    ...{ apiKeys: () => apiKeys, payPageOf: (id: string) => `${publicUrl()}${payPagePath}${id}` },
  });
  const control = createControl({
    ...{ state, deliveries, setFault: api.setFault },
    setRefundStatus(status) {
      refundStatus = status;
    },
    falsify(next) {
      falsification = next;
    },
    setApiKeys(keys) {
      apiKeys = keys;
    },
  });

  function pressed(session: CheckoutSession, button: PageButton): void {
    if (settleMilliseconds === undefined || !button.startsWith('pay_later')) return;
    const timer = setTimeout(() => {
      settling.delete(timer);
      // A test may have settled it before.
      if (session.payment_status === 'unpaid') settleSession(state, session, button === 'pay_later');
    }, settleMilliseconds).unref();
    settling.add(timer);
  }

  const parts = { state, api, control, shopName, pressed };
  const server = createServer((request, response) => {
    answer(parts, request, response).catch((error: unknown) => {
      if (error instanceof StripeRefusal) return sendJson(response, error.status, { error: error.error });
      return sendJson(response, 500, { error: { type: 'api_error', message: String(error) } });
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  const publicUrl = options.publicUrl ?? (() => url);

  return {
    ...{ url, host, port: address.port, control },
    showPage: async (request, response) => answerPage(parts, request, response, await readBody(request)),
    async stop() {
      deliveries.stop();
      for (const timer of settling) clearTimeout(timer);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(request.url ?? '/', 'http://stand-in');
  const body = await readBody(request);
  const { method = 'GET', headers } = request;
  if (pathname.startsWith(payPagePath)) return answerPage(parts, request, response, body);
  if (pathname.startsWith(controlPath)) return answerControl(parts, request, response, body);
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join() : value]),
  );
  const answered = parts.api.answer({ method, path: pathname, query: search.slice(1), headers: sent, body });
  if (answered !== 'silence') sendJson(response, answered.status, answered.body, answered.headers);
}

async function answerControl(
  { control }: Parts,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): Promise<void> {
  if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json')
    return sendJson(response, 415, { error: { message: 'POST a JSON body as application/json.' } });
  const name = (request.url ?? '').slice(controlPath.length);
  sendJson(response, 200, await runControl(control, name, readObject(body)));
}

function readObject(body: string): JsonObject {
  try {
    const sent: unknown = JSON.parse(body);
    if (isJsonObject(sent)) return sent;
  } catch {
    // Refused below, as any other body that is no object.
  }
  throw invalidRequest('The body must be a JSON object.');
}

function answerPage(parts: Parts, request: IncomingMessage, response: ServerResponse, body: string): void {
  const { state, shopName, pressed } = parts;
  expireSessions(state);
  const found = state.find((request.url ?? '').slice(payPagePath.length).replace(/\?.*$/, ''));
  const preferred = languageOf(request.headers['accept-language']);
  if (found?.object !== 'checkout.session') {
    sendPage(response, 404, endedPage(null, null, preferred));
    return;
  }
  const session = found as CheckoutSession;
  const language = languages.find((each) => each === session['locale']) ?? preferred;
  const buttons = session.mode === 'payment' ? paymentButtons : setupButtons;
  const button = buttons.find((each) => each === new URLSearchParams(body).get('button'));
  const isPress = request.method === 'POST' && button !== undefined;
  if (isPress && session.status === 'open') {
    pressButton(state, session, button);
    pressed(session, button);
  }
  // A second press of the button ends where the first one did.
  if (isPress && session.status === 'complete') redirect(response, successAddress(session));
  else if (session.status === 'open') {
    const look = { shopName: nameOf(session) ?? shopName, buttons, hasDeclined: isPress, language };
    sendPage(response, 200, payPage({ session, ...look }));
  } else {
    const backTo = session.status === 'complete' ? successAddress(session) : session.cancel_url;
    sendPage(response, 200, endedPage(session, backTo, language));
  }
}

function nameOf(session: CheckoutSession): string | null {
  const branding = session['branding_settings'];
  return isJsonObject(branding) ? String(branding['display_name']) : null;
}

const amountMembers = ['amount', 'amount_received', 'amount_captured', 'amount_subtotal', 'amount_total'];
const falsifiedKinds: readonly unknown[] = ['checkout.session', 'payment_intent', 'charge'];

/** Applies the wrong amount or currency, also to nested objects. */
function falsified(object: JsonObject, falsification: Falsification): JsonObject {
  const { amount, currency } = falsification;
  const isConcerned = falsifiedKinds.includes(object['object']);
  const changed = Object.entries(object).map(([name, value]) => {
    if (Array.isArray(value))
      return [name, value.map((each) => (isJsonObject(each) ? falsified(each, falsification) : each))];
    if (isJsonObject(value)) return [name, falsified(value, falsification)];
    if (isConcerned && amount !== undefined && typeof value === 'number' && amountMembers.includes(name))
      return [name, amount];
    return [name, isConcerned && currency !== undefined && name === 'currency' ? currency : value];
  });
  return Object.fromEntries(changed);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > bodyBytesMax) throw new StripeRefusal(413, 'invalid_request_error', 'The body is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(JSON.stringify(body, null, 2));
}

function sendPage(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, pageHeaders).end(page);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'cache-control': 'no-store' }).end();
}
