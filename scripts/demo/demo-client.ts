// Sends the HTTP requests of the demo's people and programs to the real service, each with its client's address, as a proxy
// would forward it.

import { isJsonObject, type JsonObject } from '../../src/shared/json.ts';
import { sendRequest } from '../throwaway/send-request.ts';

export interface DemoAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly cookie: string;
}

export interface DemoRequest {
  readonly method: string;
  readonly path: string;
  readonly from: string;
  readonly key?: string;
  readonly cookie?: string;
  readonly body?: object | string;
  readonly idempotencyKey?: string;
}

export type Ask = (request: DemoRequest) => Promise<DemoAnswer>;

export function createAsk(address: string): Ask {
  return async ({ method, path, from, key, cookie, body, idempotencyKey }) => {
    const { status, headers, text } = await sendRequest(address + path, {
      method,
      headers: {
        'x-forwarded-for': from,
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Demo',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(cookie !== undefined && { cookie, 'sec-fetch-site': 'same-origin' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const parsed: unknown = text === '' ? {} : JSON.parse(text);
    const [setCookie = ''] = headers.getSetCookie();
    return {
      status,
      body: isJsonObject(parsed) ? parsed : {},
      cookie: setCookie.split(';')[0] ?? '',
    };
  };
}

export function objectIn(body: JsonObject, name: string): JsonObject {
  const value = body[name];
  return isJsonObject(value) ? value : {};
}

export function expectDone(answer: DemoAnswer, what: string): JsonObject {
  if (answer.status < 300) return answer.body;
  throw new Error(`${what} was answered with ${answer.status} ${JSON.stringify(answer.body)}`);
}
