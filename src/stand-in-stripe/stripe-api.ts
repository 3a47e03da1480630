// One request of Stripe's API. A fault that a test asked for comes before the work, or after it: then the answer is lost and
// the effect stands.

import { isJsonObject, type JsonObject } from '../shared/json.ts';
import { parseForm } from './form-params.ts';
import { expireSessions } from './stripe-checkout.ts';
import { listObject } from './stripe-lists.ts';
import { stripeApiVersion } from './stripe-objects.ts';
import { invalidRequest, StripeRefusal } from './stripe-refusal.ts';
import { type StripeCall, stripeRoutes } from './stripe-requests.ts';
import type { StripeState } from './stripe-state.ts';

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

export interface ApiFault {
  /** `silence` accepts the request and never answers. */
  readonly answer: 500 | 429 | 'silence';
  readonly requests: number;
  /** True: the work is done first. */
  readonly afterEffect: boolean;
  /** Only requests whose `METHOD /path` begins with this. */
  readonly only: string;
}

export interface StripeApiOptions {
  readonly state: StripeState;
  readonly payPageOf: StripeCall['payPageOf'];
  readonly refundStatus: () => StripeCall['refundStatus'];
  /** Changes what answers show, for tests of wrong amounts. */
  readonly shownInAnswers: (object: JsonObject) => JsonObject;
  /** null: every test key. */
  readonly apiKeys: () => readonly string[] | null;
}

export interface StripeApi {
  answer(request: ApiRequest): ApiAnswer | 'silence';
  /** null: no fault. */
  setFault(fault: ApiFault | null): void;
}

interface Replay {
  readonly request: string;
  readonly answer: ApiAnswer;
  readonly at: number;
}

// Stripe forgets keys after a day: a repetition later than that acts again.
const replaySeconds = 86_400;
const replaysMax = 10_000;

export function createStripeApi(options: StripeApiOptions): StripeApi {
  const { state, shownInAnswers, apiKeys } = options;
  const replays = new Map<string, Replay>();
  let fault: ApiFault | null = null;

  function answer(request: ApiRequest): ApiAnswer | 'silence' {
    const id = state.newId('req', 14);
    const failing = takeFault(request);
    if (failing?.afterEffect === false) return faultAnswer(failing, id);
    const done = refusalsAnswered(id, () => {
      authenticate(request, apiKeys());
      expireSessions(state);
      return replayedOrNew(request, id);
    });
    return failing === null ? done : faultAnswer(failing, id);
  }

  function takeFault({ method, path }: ApiRequest): ApiFault | null {
    if (fault === null || !`${method} ${path}`.startsWith(fault.only)) return null;
    const taken = fault;
    fault = taken.requests > 1 ? { ...taken, requests: taken.requests - 1 } : null;
    return taken;
  }

  function replayedOrNew(request: ApiRequest, id: string): ApiAnswer {
    const key = request.method === 'POST' ? request.headers['idempotency-key'] : undefined;
    if (key === undefined) return run(request, id, null);
    const known = replays.get(key);
    const sent = `${request.path}\n${request.body}`;
    if (known !== undefined && state.now() - known.at < replaySeconds) {
      if (known.request !== sent)
        throw new StripeRefusal(
          400,
          'idempotency_error',
          `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
        );
      const original = known.answer.headers['request-id'] ?? '';
      return answerOf(known.answer.status, known.answer.body, id, {
        ...{ 'idempotency-key': key, 'idempotent-replayed': 'true', 'original-request': original },
      });
    }
    const made = refusalsAnswered(id, () => run(request, id, key));
    // A refused parameter changes nothing and is not remembered; a declined card is.
    if (made.status !== 200 && made.status !== 402) return made;
    replays.delete(key);
    replays.set(key, { request: sent, answer: made, at: state.now() });
    const [oldest] = replays.keys();
    if (replays.size > replaysMax && oldest !== undefined) replays.delete(oldest);
    return { ...made, headers: { ...made.headers, 'idempotency-key': key, 'original-request': id } };
  }

  function run(
    { method, path, query, body }: ApiRequest,
    id: string,
    idempotencyKey: string | null,
  ): ApiAnswer {
    for (const route of stripeRoutes) {
      const found = route.method === method ? matched(route.path, path) : null;
      if (found === null) continue;
      const params = parseForm(method === 'GET' ? query : body);
      params.refuseOthers([...route.params, 'expand']);
      const { payPageOf, refundStatus } = options;
      const call = { state, params, payPageOf, refundStatus: refundStatus() };
      const object = state.during({ id, idempotencyKey }, () => route.run(call, found));
      const whole = params.texts('expand').reduce((each, wanted) => expanded(state, each, wanted), object);
      // A copy, so that a replay shows the object as it was.
      return answerOf(200, shownInAnswers(structuredClone(whole)), id);
    }
    throw new StripeRefusal(
      404,
      'invalid_request_error',
      `Unrecognized request URL (${method}: ${path}). The stand-in knows only a part of Stripe's API.`,
    );
  }

  return {
    answer,
    setFault(next) {
      fault = next;
    },
  };
}

function refusalsAnswered(id: string, work: () => ApiAnswer): ApiAnswer {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    return answerOf(error.status, { error: error.error }, id);
  }
}

function answerOf(
  status: number,
  body: JsonObject,
  id: string,
  more: Record<string, string> = {},
): ApiAnswer {
  return { status, body, headers: { 'request-id': id, 'stripe-version': stripeApiVersion, ...more } };
}

function faultAnswer({ answer }: ApiFault, id: string): ApiAnswer | 'silence' {
  if (answer === 'silence') return 'silence';
  const error =
    answer === 429
      ? {
          type: 'invalid_request_error',
          code: 'rate_limit',
          message: 'Too many requests made to the API too quickly',
        }
      : { type: 'api_error', message: 'An unknown error occurred' };
  return answerOf(answer, { error }, id);
}

function authenticate({ headers }: ApiRequest, known: readonly string[] | null): void {
  const [scheme = '', sent = ''] = (headers['authorization'] ?? '').split(' ');
  const key = scheme === 'Basic' ? Buffer.from(sent, 'base64').toString().replace(/:.*$/, '') : sent;
  if (key === '')
    throw new StripeRefusal(
      401,
      'invalid_request_error',
      'You did not provide an API key: Authorization: Bearer sk_test_…',
    );
  const isKnown = known === null ? /^[sr]k_test_\w+$/.test(key) : known.includes(key);
  if (!isKnown)
    throw new StripeRefusal(
      401,
      'invalid_request_error',
      `Invalid API Key provided: ${key.slice(0, 8)}****${key.slice(-4)}. The stand-in takes test keys only.`,
    );
  const version = headers['stripe-version'];
  if (version !== undefined && version !== stripeApiVersion)
    throw invalidRequest(`Invalid Stripe API version: ${version}. The stand-in speaks ${stripeApiVersion}.`);
}

/** The id in the path, '' if the pattern has none; null if the path is another one. */
function matched(pattern: string, path: string): string | null {
  const [wanted, sent] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== sent.length) return null;
  let id = '';
  for (const [index, part] of wanted.entries()) {
    const value = sent[index] ?? '';
    if (part === ':id' && value !== '') id = value;
    else if (part !== value) return null;
  }
  return id;
}

/** `payment_intent.latest_charge`, or `data.payment_intent` in a list: ids become objects. */
function expanded(state: StripeState, object: JsonObject, wanted: string): JsonObject {
  const [name = '', ...rest] = wanted.split('.');
  const below = (value: unknown): unknown =>
    rest.length > 0 && isJsonObject(value) ? expanded(state, value, rest.join('.')) : value;
  const value = object[name];
  if (name === 'data' && Array.isArray(value)) return { ...object, data: value.map(below) };
  if (typeof value === 'string') return { ...object, [name]: below(state.find(value) ?? value) };
  if (value === null || isJsonObject(value)) return { ...object, [name]: below(value) };
  const list = listBelow(state, object, name);
  if (list !== null) return { ...object, [name]: list };
  throw invalidRequest(`This property cannot be expanded (${name}).`, { param: 'expand' });
}

function listBelow(state: StripeState, { id, object }: JsonObject, name: string): JsonObject | null {
  const isOf = (kind: string, member: string) => object === kind && name === member;
  if (isOf('charge', 'refunds'))
    return listObject(
      state.all('refund').filter(({ charge }) => charge === id),
      false,
      `/v1/charges/${id}/refunds`,
    );
  if (isOf('checkout.session', 'line_items'))
    return listObject(state.lineItems.get(String(id)) ?? [], false, `/v1/checkout/sessions/${id}/line_items`);
  return null;
}
