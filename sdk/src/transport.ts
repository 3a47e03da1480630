// From a call to an answer: one request, sent again while that is safe and there is time. Used by the clients in
// index.ts and admin-client.ts; knows nothing of orders.
// Always true: every attempt of a call carries the same idempotency key. What takes no key and changes something is
// sent again only when it was certainly not carried out.

import type { ErrorEnvelope } from './api-types.ts';
import { SellthroughError } from './client-errors.ts';

export interface ClientOptions {
  /** Where the service is: `https://sell.example.com`. An address that ends in `/api/v1` is accepted too. */
  readonly baseUrl: string;
  /** `sk_live_…`, from the panel under "API access". Keep it on your server. */
  readonly apiKey: string;
  /** Milliseconds for one attempt, its answer read to the end. 15,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for the whole call, waiting included. 60,000 by default. */
  readonly totalTimeoutMs?: number | undefined;
  /** How many times a request is sent again at most. 5 by default; 0: never. */
  readonly retries?: number | undefined;
  /** The longest wait before the first retry; it doubles with each. 250 by default. */
  readonly backoffMs?: number | undefined;
  /** The longest wait there is, unless the service asks for a longer one. 8,000 by default. */
  readonly backoffMaxMs?: number | undefined;
  /** Called before each retry: for your log. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** In place of the global fetch: for tests, or an agent of your own. */
  readonly fetch?: typeof fetch | undefined;
}

/** What a call may ask for, over what the client was made with. */
export interface CallOptions {
  /** Ends the call, whether it is sending or waiting. The call then rejects with code "aborted". */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly totalTimeoutMs?: number | undefined;
  readonly retries?: number | undefined;
}

/** What a call that moves money may ask for. */
export interface KeyedCallOptions extends CallOptions {
  /** 1 to 80 visible ASCII characters, your own name for this order: `invoice-1734`. Made for you if you give none. */
  readonly idempotencyKey?: string | undefined;
}

export interface Retry {
  /** The retry that comes: 1 is the first. */
  readonly retry: number;
  readonly delayMs: number;
  /** Why the last attempt failed. */
  readonly error: SellthroughError;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with "/api/". */
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  /** The service takes an idempotency key for it. */
  readonly takesKey: boolean;
  /** What its body lists has idempotency keys of its own. */
  readonly holdsKeys: boolean;
  readonly options?: KeyedCallOptions | undefined;
}

export interface Answer<Body> {
  /** As the document has it: what the service answers with is not checked again here. */
  readonly body: Body;
  /** The service had carried this request out before; nothing was charged this time. */
  readonly replayed: boolean;
}

export interface Transport {
  /** @throws SellthroughError */
  send<Body>(call: Call): Promise<Answer<Body>>;
}

const defaults = {
  timeoutMs: 15_000,
  totalTimeoutMs: 60_000,
  retries: 5,
  backoffMs: 250,
  backoffMaxMs: 8_000,
};

/** A timer beyond this fires at once (it is counted in 32 bits). */
const timerMsMax = 2_147_483_647;

export function createTransport(options: ClientOptions): Transport {
  // What no header can carry would look like a lost connection.
  if (!/^[!-~]+$/.test(options.apiKey ?? ''))
    throw new TypeError('Sellthrough needs an apiKey: sk_live_…, from the panel under "API access".');
  const root = rootOf(options.baseUrl);
  const backoff = {
    baseMs: options.backoffMs ?? defaults.backoffMs,
    maxMs: options.backoffMaxMs ?? defaults.backoffMaxMs,
  };

  async function send<Body>(call: Call): Promise<Answer<Body>> {
    const { signal, ...asked } = call.options ?? {};
    const totalMs = asked.totalTimeoutMs ?? options.totalTimeoutMs ?? defaults.totalTimeoutMs;
    const attemptMs = asked.timeoutMs ?? options.timeoutMs ?? defaults.timeoutMs;
    const retries = asked.retries ?? options.retries ?? defaults.retries;
    const deadline = performance.now() + totalMs;
    const callId = await randomId();
    const idempotencyKey = call.takesKey
      ? (asked.idempotencyKey ?? keyInBody(call.body) ?? inOrderOfTime(await randomId()))
      : null;
    if (idempotencyKey !== null && !/^[!-~]{1,80}$/.test(idempotencyKey)) {
      // The service would say the same; some of these no header can carry, which would look like a lost connection.
      throw new SellthroughError({
        code: 'invalid_idempotency_key',
        message: 'An idempotency key has 1 to 80 visible ASCII characters.',
        details: { field: 'idempotency_key', reason: 'must be 1 to 80 visible ASCII characters' },
        requestId: callId,
        idempotencyKey,
        attempts: 0,
        retryable: false,
        mayHaveHappened: false,
      });
    }
    let mayHaveHappened = false;

    for (let attempt = 1; ; attempt += 1) {
      const outcome = await attemptOnce(call, {
        requestId: `${callId}.${attempt}`,
        idempotencyKey,
        timeoutMs: Math.min(attemptMs, deadline - performance.now()),
        signal,
      });
      if ('answer' in outcome) return outcome.answer as Answer<Body>;
      const { failure } = outcome;
      mayHaveHappened ||= call.method !== 'GET' && failure.outcome === 'unknown';
      const repeats = isRepeatable(call, failure);
      const error = new SellthroughError({
        ...failure,
        idempotencyKey,
        attempts: attempt,
        retryable: repeats,
        mayHaveHappened,
      });
      if (!repeats || attempt > retries) throw error;
      const delayMs = retryDelayMs(attempt, failure.retryAfterSeconds, backoff, Math.random());
      if (performance.now() + delayMs >= deadline) throw error;
      options.onRetry?.({ retry: attempt, delayMs, error });
      if (!(await waited(delayMs, signal))) {
        throw new SellthroughError({
          ...abortFailure(signal, error.requestId),
          idempotencyKey,
          attempts: attempt,
          retryable: false,
          mayHaveHappened,
        });
      }
    }
  }

  async function attemptOnce(
    call: Call,
    attempt: Attempt,
  ): Promise<{ answer: Answer<unknown> } | { failure: Failure }> {
    const { requestId, idempotencyKey, timeoutMs, signal } = attempt;
    if (signal?.aborted) return { failure: { ...abortFailure(signal, requestId), outcome: 'not sent' } };
    // By hand: AbortSignal.any is newer than Node 18.
    const controller = new AbortController();
    let timedOut = false;
    const timer = setTimeout(
      () => {
        timedOut = true;
        controller.abort();
      },
      Math.min(Math.max(0, timeoutMs), timerMsMax),
    );
    const abort = () => controller.abort();
    signal?.addEventListener('abort', abort);
    try {
      const response = await (options.fetch ?? fetch)(root + call.path + queryOf(call.query), {
        method: call.method,
        headers: {
          authorization: `Bearer ${options.apiKey}`,
          accept: 'application/json',
          'x-request-id': requestId,
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
        },
        // A redirect would drop the key or turn POST into GET.
        redirect: 'manual',
        signal: controller.signal,
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      });
      // Read inside the attempt: an answer that breaks off halfway is a lost connection.
      return read(response, await response.text(), requestId);
    } catch (error) {
      if (signal?.aborted) return { failure: abortFailure(signal, requestId) };
      if (timedOut) {
        const message = `No answer within ${Math.round(timeoutMs)} ms.`;
        return { failure: { code: 'timeout', message, requestId, outcome: 'unknown' } };
      }
      const reason = reasonOf(error);
      return {
        failure: {
          code: 'connection_lost',
          message: `The connection to ${root} failed: ${reason}.`,
          requestId,
          cause: error,
          outcome: neverSent.test(reason) ? 'not sent' : 'unknown',
        },
      };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  return { send };
}

interface Attempt {
  readonly requestId: string;
  readonly idempotencyKey: string | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  readonly details?: Readonly<Record<string, string | number>>;
  readonly status?: number;
  readonly retryAfterSeconds?: number | null;
  readonly cause?: unknown;
  /** `not sent`: the service saw nothing of it. `refused`: it said no and did nothing. `unknown`: it may be carried out. */
  readonly outcome: 'not sent' | 'refused' | 'unknown';
}

/** Codes of a connection that was never made, as Node, Deno and Bun have them. */
const neverSent =
  /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|Connection refused|dns error)\b/;

/** Whether sending the same request again can do no harm, and may help. */
function isRepeatable({ method, takesKey, holdsKeys, body }: Call, failure: Failure): boolean {
  const { code, status, outcome } = failure;
  if (code === 'aborted' || (code === 'rate_limited' && neverPasses(body, failure))) return false;
  if (outcome === 'not sent' || status === 429) return true;
  // Reading changes nothing, a PATCH sets fields to values, what is deleted is gone, keys make two requests one. Nothing else may be doubled.
  return outcome === 'unknown' && (method !== 'POST' || takesKey || holdsKeys);
}

/** A bulk of orders that is larger than its account's limit, however long it waits. */
function neverPasses(body: object | undefined, { details = {} }: Failure): boolean {
  const { orders } = (body ?? {}) as { orders?: unknown };
  const { orders_max: ordersMax } = details;
  return Array.isArray(orders) && typeof ordersMax === 'number' && orders.length > ordersMax;
}

/** Exponential with full jitter; never shorter than the service asked for. */
export function retryDelayMs(
  retry: number,
  retryAfterSeconds: number | null | undefined,
  { baseMs, maxMs }: { readonly baseMs: number; readonly maxMs: number },
  random: number,
): number {
  const jitter = random * Math.min(maxMs, baseMs * 2 ** (retry - 1));
  // The jitter on top keeps clients that were refused together from coming back together.
  return (retryAfterSeconds ?? 0) * 1000 + jitter;
}

function read(
  response: Response,
  text: string,
  requestId: string,
): { answer: Answer<unknown> } | { failure: Failure } {
  const { status, headers } = response;
  const body = parseJson(text);
  const shown = headers.get('x-request-id') ?? requestId;
  if (status >= 200 && status < 300 && body !== null) {
    return { answer: { body, replayed: headers.get('idempotent-replayed') === 'true' } };
  }
  const retryAfterSeconds = parseRetryAfter(headers.get('retry-after'));
  const envelope = errorOf(body);
  if (envelope !== null) {
    const outcome = status >= 500 ? 'unknown' : 'refused';
    return { failure: { ...envelope, status, requestId: shown, retryAfterSeconds, outcome } };
  }
  const isRedirect = response.type === 'opaqueredirect' || (status >= 300 && status < 400);
  const message = isRedirect
    ? `The address redirects${headers.has('location') ? ` to ${headers.get('location')}` : ''}: give the client the address it leads to as baseUrl.`
    : `Not an answer of the service: HTTP ${status}${text === '' ? ' with an empty body' : `, ${JSON.stringify(text.slice(0, 80))}`}.`;
  // 408 and 425 are a proxy's way to say that the request did not get through.
  const isRefused = isRedirect || (status >= 400 && status < 500 && status !== 408 && status !== 425);
  return {
    failure: {
      code: 'unexpected_answer',
      message,
      status,
      requestId: shown,
      retryAfterSeconds,
      outcome: isRefused ? 'refused' : 'unknown',
    },
  };
}

function parseJson(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

type Envelope = Pick<Failure, 'code' | 'message'> & Required<Pick<Failure, 'details'>>;

function errorOf(body: object | null): Envelope | null {
  const { error } = (body ?? {}) as { error?: Partial<ErrorEnvelope['error']> | null };
  if (typeof error !== 'object' || error === null) return null;
  const { code, message, details } = error;
  if (typeof code !== 'string') return null;
  return {
    code,
    message: typeof message === 'string' ? message : code,
    details: typeof details === 'object' && details !== null ? details : {},
  };
}

/** Seconds, or the seconds until a date; null when it says neither. */
function parseRetryAfter(text: string | null): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  const until = Date.parse(text);
  return Number.isNaN(until) ? null : Math.max(0, Math.ceil((until - Date.now()) / 1000));
}

function abortFailure(signal: AbortSignal | undefined, requestId: string): Failure {
  return {
    code: 'aborted',
    message: 'The call was aborted.',
    requestId,
    cause: signal?.reason,
    outcome: 'unknown',
  };
}

/** false: the signal came first. */
export function waited(delayMs: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(false);
    const end = (whole: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(whole);
    };
    const stop = () => end(false);
    const timer = setTimeout(() => end(true), Math.min(delayMs, timerMsMax));
    signal?.addEventListener('abort', stop);
  });
}

/** What went wrong, with the code that Node and undici hide in `cause`. */
function reasonOf(error: unknown): string {
  const reasons: string[] = [];
  for (let each = error; each instanceof Error && reasons.length < 5; each = each.cause) {
    const { code } = each as { code?: unknown };
    reasons.push(
      typeof code === 'string' && !each.message.includes(code) ? `${each.message} (${code})` : each.message,
    );
  }
  return reasons.length === 0 ? String(error) : reasons.join(': ');
}

function rootOf(baseUrl: string): string {
  const root = String(baseUrl)
    .replace(/\/+$/, '')
    .replace(/\/api\/v1$/, '');
  if (!/^https?:\/\/[^/]/i.test(root)) {
    throw new TypeError(`baseUrl must look like https://sell.example.com, not "${baseUrl}".`);
  }
  return root;
}

function queryOf(query: object | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

function keyInBody(body: object | undefined): string | undefined {
  const { idempotency_key: key } = (body ?? {}) as { idempotency_key?: unknown };
  return typeof key === 'string' ? key : undefined;
}

/** The same as a UUIDv7: new keys stand beside one another in the service's index of keys, however old it is. */
function inOrderOfTime(id: string): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return id.includes('-')
    ? `${time.slice(0, 8)}-${time.slice(8)}-7${id.slice(15)}`
    : `${time}7${id.slice(13)}`;
}

async function randomId(): Promise<string> {
  if (globalThis.crypto?.randomUUID !== undefined) return crypto.randomUUID();
  if (globalThis.crypto?.getRandomValues !== undefined) {
    // A page without https has no randomUUID.
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  // Node 18 has no global crypto. By a name in a variable, so that no bundler looks for it.
  const name = 'node:crypto';
  const { randomUUID } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as {
    randomUUID(): string;
  };
  return randomUUID();
}
