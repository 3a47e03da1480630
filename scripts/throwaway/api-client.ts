// Sends test requests over real sockets and returns answers that are easy to inspect.

import { sendRequest } from './send-request.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape and assert what they find
  readonly body: any;
}

export interface ApiClient {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** Paths start with "/"; the prefix /api/v1 may be omitted. */
export function createApiClient(address: string, key: string | null): ApiClient {
  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const isWhole = /^\/(?:api|login|panel)\//.test(path);
    const url = address + (isWhole ? path : `/api/v1${path}`);
    const response = await sendRequest(url, {
      method,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
      body: body === undefined || isRaw(body) ? body : JSON.stringify(body),
    });
    const { text } = response;
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    };
  }
  return {
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
  };
}

function isRaw(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}
