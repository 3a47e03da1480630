// The only access to the service: fetch with the session cookie, errors as ApiError with the request id.

import { t } from '@lingui/core/macro';
import { isFromProxy, noteAnswer, untilReachable } from './connection.ts';
import { modeHeaders } from './panel-mode.ts';
import { viewHeaders } from './panel-view.ts';
import { mintText } from './random-text.ts';

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface Sending {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Query;
  readonly body?: object;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Of another mode than the tab's. */
  readonly mode?: 'test';
}

export type ErrorDetails = Readonly<Record<string, string | number>>;

/** The codes `network` and `unreadable` come from this client; all others come from the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly details: ErrorDetails;
  readonly requestId: string;
  readonly retryAfterSeconds: number;

  constructor(
    code: string,
    message: string,
    about: {
      readonly status?: number;
      readonly details?: ErrorDetails;
      readonly requestId?: string;
      readonly retryAfterSeconds?: number;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.status = about.status ?? 0;
    this.details = about.details ?? {};
    this.requestId = about.requestId ?? '';
    this.retryAfterSeconds = about.retryAfterSeconds ?? 0;
  }

  detail(name: string): string {
    return String(this.details[name] ?? '');
  }
}

export const apiBase = '/panel/api';

/** Sends the pages' language (main.tsx) instead of the browser's, because mails and documents are written in it. */
const languageHeader = () => ({ 'accept-language': document.documentElement.lang });

/** The answer is typed by the route's schema, which the service used to serialize it. @throws ApiError */
export async function call<Answer>(path: string, sending: Sending = {}): Promise<Answer> {
  const requestId = mintText(24);
  const headers: Record<string, string> = {
    accept: 'application/json',
    ...languageHeader(),
    'x-request-id': requestId,
    ...modeHeaders,
    ...viewHeaders,
  };
  if (sending.mode !== undefined) headers['sellthrough-mode'] = sending.mode;
  if (sending.body !== undefined) headers['content-type'] = 'application/json';
  if (sending.idempotencyKey !== undefined) headers['idempotency-key'] = sending.idempotencyKey;
  let response: Response;
  let text: string;
  try {
    response = await fetch(apiBase + path + queryText(sending.query), {
      method: sending.method ?? 'GET',
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      ...(sending.body !== undefined && { body: JSON.stringify(sending.body) }),
      ...(sending.signal !== undefined && { signal: sending.signal }),
    });
    text = await response.text();
  } catch (error) {
    if (sending.signal?.aborted) throw error;
    throw unreachable(requestId);
  }
  const body = readJson(text);
  if (body !== undefined) noteAnswer();
  if (response.ok && body !== undefined) return body as Answer;
  throw errorOf(response, body, requestId);
}

/** Fetches a file like a link in the browser, but with this tab's mode headers. @throws ApiError */
export async function fetchFile(path: string, query: Query): Promise<Blob> {
  const requestId = mintText(24);
  const response = await fetch(apiBase + path + queryText(query), {
    headers: { ...languageHeader(), 'x-request-id': requestId, ...modeHeaders, ...viewHeaders },
    credentials: 'same-origin',
    cache: 'no-store',
  }).catch(() => {
    throw unreachable(requestId);
  });
  if (!response.ok) throw errorOf(response, readJson(await response.text()), requestId);
  return response.blob();
}

/** Opens an event stream. null: refused, or there is no service. */
export async function openStream(path: string, signal: AbortSignal): Promise<ReadableStream | null> {
  const response = await fetch(apiBase + path, {
    headers: { accept: 'text/event-stream', 'x-request-id': mintText(24), ...viewHeaders },
    credentials: 'same-origin',
    cache: 'no-store',
    signal,
  });
  const isStream = response.ok && response.headers.get('content-type') === 'text/event-stream';
  return isStream ? response.body : null;
}

function unreachable(requestId: string): ApiError {
  void untilReachable();
  return new ApiError('network', t`Can’t reach the service. Check your connection.`, { requestId });
}

export function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    // Keep an empty cursor: it asks for the first page by cursor.
    if (value !== undefined && (value !== '' || name === 'cursor')) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns undefined if the text is not JSON, null if the body is empty (204). */
function readJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf(response: Response, body: unknown, sentId: string): ApiError {
  const about = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? sentId,
    retryAfterSeconds: Number(response.headers.get('retry-after') ?? 0) || 0,
  };
  const envelope = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const { code, message, details } = envelope;
  if (typeof code !== 'string' || typeof message !== 'string') {
    if (isFromProxy(response.status)) void untilReachable();
    return new ApiError('unreadable', t`The service returned status ${response.status}.`, about);
  }
  return new ApiError(code, message, { ...about, details: readDetails(details) });
}

function readDetails(details: unknown): ErrorDetails {
  if (!isObject(details)) return {};
  return Object.fromEntries(
    Object.entries(details).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [],
    ),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
