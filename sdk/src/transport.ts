// Sends one request and retries it while that is safe and there is time. Used by all clients.
// Invariant: every attempt of a call has the same idempotency key. A change without a key is retried only if the service
// certainly did not carry it out.

import type { ErrorEnvelope } from './api-types.ts';
import { type ErrorDetail, SellthroughError } from './client-errors.ts';

export interface ClientOptions {
  /** For example `https://sell.example.com`. A trailing `/api/v1` is accepted. */
  readonly baseUrl: string;
  /** `sk_live_…`, from the panel under "API access". Keep it on your server. */
  readonly apiKey: string;
  /** The limit for one attempt, including reading the answer. Default: 15,000. */
  readonly timeoutMs?: number | undefined;
  /** The limit for the whole call, including waits between attempts. Default: 60,000. */
  readonly totalTimeoutMs?: number | undefined;
  /** The number of retries. Default: 5. 0 never retries. */
  readonly retries?: number | undefined;
  /** The longest wait before the first retry. It doubles each time. Default: 250. */
  readonly backoffMs?: number | undefined;
  /** The longest wait between attempts, unless the service asks for more. Default: 8,000. */
  readonly backoffMaxMs?: number | undefined;
  /** Called before each retry, for logging. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Replaces the global fetch, for tests or a custom agent. */
  readonly fetch?: typeof fetch | undefined;
}

/** Options of one call, which override the client's. */
export interface CallOptions {
  /** Aborts the call while it sends or waits. The error's code is "aborted". */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly totalTimeoutMs?: number | undefined;
  readonly retries?: number | undefined;
}

export interface KeyedCallOptions extends CallOptions {
  /** Your own key of 1 to 80 visible ASCII characters, such as `invoice-1734`. Default: a random key. */
  readonly idempotencyKey?: string | undefined;
}

export interface Retry {
  readonly retry: number;
  readonly delayMs: number;
  readonly error: SellthroughError;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  readonly takesKey: boolean;
  /** The items of the body have their own idempotency keys. */
  readonly holdsKeys: boolean;
  readonly options?: KeyedCallOptions | undefined;
}

export interface Answer<Body> {
  /** Typed by openapi.json; not validated here. */
  readonly body: Body;
  /** True if the service had processed this request before: nothing was charged this time. */
  readonly replayed: boolean;
}

export interface Transport {
  send<Body>(call: Call): Promise<Answer<Body>>;
}

const defaults = {
  timeoutMs: 15_000,
  totalTimeoutMs: 60_000,
  retries: 5,
  backoffMs: 250,
  backoffMaxMs: 8_000,
};

/** Timers store milliseconds in 32 bits, so a longer timer would fire at once. */
const timerMsMax = 2_147_483_647;

export function createTransport(options: ClientOptions): Transport {
  // Check the key here: one that a header cannot carry would look like a lost connection.
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
      // Some invalid keys cannot be sent in a header; they would look like a lost connection.
      throw new SellthroughError({
        code: 'invalid_idempotency_key',
        message: '`idempotency_key` must be 1 to 80 visible ASCII characters.',
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
    // Not AbortSignal.any, because Node 18 lacks it.
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
        // Do not follow redirects: they would drop the key or turn POST into GET.
        redirect: 'manual',
        signal: controller.signal,
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      });
      // Read the body inside the attempt, so that an answer that breaks off counts as a lost connection.
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
  readonly details?: Readonly<Record<string, ErrorDetail>>;
  readonly status?: number;
  readonly retryAfterSeconds?: number | null;
  readonly cause?: unknown;
  /** `not sent`: nothing reached the service. `refused`: the service did nothing. `unknown`: it may have done it. */
  readonly outcome: 'not sent' | 'refused' | 'unknown';
}

/** How Node, Deno and Bun report connections that were never made. */
const neverSent =
  /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|Connection refused|dns error)\b/;

function isRepeatable({ method, takesKey, holdsKeys, body }: Call, failure: Failure): boolean {
  const { code, status, outcome } = failure;
  if (code === 'aborted' || (code === 'rate_limited' && neverPasses(body, failure))) return false;
  if (outcome === 'not sent' || status === 429) return true;
  // Retry only what cannot take effect twice: GET, PATCH, DELETE, and requests with an idempotency key.
  return outcome === 'unknown' && (method !== 'POST' || takesKey || holdsKeys);
}

function neverPasses(body: object | undefined, { details = {} }: Failure): boolean {
  const { orders } = (body ?? {}) as { orders?: unknown };
  const { orders_max: ordersMax } = details;
  return Array.isArray(orders) && typeof ordersMax === 'number' && orders.length > ordersMax;
}

/** Exponential backoff with full jitter, but at least the wait that the service asked for. */
export function retryDelayMs(
  retry: number,
  retryAfterSeconds: number | null | undefined,
  { baseMs, maxMs }: { readonly baseMs: number; readonly maxMs: number },
  random: number,
): number {
  const jitter = random * Math.min(maxMs, baseMs * 2 ** (retry - 1));
  // Add the jitter on top, so that clients that were refused together do not return together.
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
    ? `The address redirects${headers.has('location') ? ` to ${headers.get('location')}` : ''}. Use the address it leads to as baseUrl.`
    : `The answer did not come from the service: HTTP ${status}${text === '' ? ' with an empty body' : `, ${JSON.stringify(text.slice(0, 80))}`}.`;
  // A proxy sends 408 or 425 when a request did not get through, so these do not count as refusals.
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

/** Accepts seconds or a date. Returns null for anything else. */
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

/** Resolves to false if the signal aborts first. */
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

/** Includes error codes that Node and undici hide in `cause`. */
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

/** Formats the id as a UUIDv7, so that new keys are adjacent in the service's index. */
function inOrderOfTime(id: string): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return id.includes('-')
    ? `${time.slice(0, 8)}-${time.slice(8)}-7${id.slice(15)}`
    : `${time}7${id.slice(13)}`;
}

async function randomId(): Promise<string> {
  if (globalThis.crypto?.randomUUID !== undefined) return crypto.randomUUID();
  if (globalThis.crypto?.getRandomValues !== undefined) {
    // randomUUID is missing on pages without HTTPS.
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  // Node 18 has no global crypto. The module's name is in a variable, so that bundlers do not resolve it.
  const name = 'node:crypto';
  const { randomUUID } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as {
    randomUUID(): string;
  };
  return randomUUID();
}
