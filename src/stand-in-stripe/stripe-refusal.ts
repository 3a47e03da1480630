// Errors in Stripe's shape: type, code, message and parameter, with the status of the answer.

import type { JsonObject } from '../shared/json.ts';

export type RefusalType = 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';

export class StripeRefusal extends Error {
  readonly status: number;
  /** The member `error` of the answer. */
  readonly error: JsonObject;

  constructor(status: number, type: RefusalType, message: string, details: JsonObject = {}) {
    super(message);
    this.status = status;
    const { code } = details;
    const help = typeof code === 'string' ? { doc_url: `https://stripe.com/docs/error-codes/${code}` } : {};
    this.error = { type, message, ...details, ...help };
  }
}

/** A 400, the answer to most mistakes. `param` names the wrong parameter. */
export function invalidRequest(message: string, details: JsonObject = {}): StripeRefusal {
  return new StripeRefusal(400, 'invalid_request_error', message, details);
}

/** An object that the path names is a 404; one that a parameter names is a 400. */
export function missingObject(kind: string, id: string, param: string | null): StripeRefusal {
  return new StripeRefusal(param === null ? 404 : 400, 'invalid_request_error', `No such ${kind}: '${id}'`, {
    code: 'resource_missing',
    param: param ?? 'id',
  });
}
