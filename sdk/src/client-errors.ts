// Errors of a call: a SellthroughError with a code to branch on, the request id to quote, and the idempotency key to repeat
// the same order without a second charge.

import type { ErrorCode } from './api-types.ts';

/** Failures that did not come from the service. */
export type ClientErrorCode =
  | 'connection_lost'
  | 'timeout'
  | 'aborted'
  /** A proxy's error page, a redirect, or something that is not JSON. */
  | 'unexpected_answer';

/** The shape of `details` by code; see isSellthroughError. */
export interface ErrorDetails {
  /** `required` is what the order needs after any refund; amounts are decimal strings. */
  insufficient_credit: { balance: string; required: string; currency: string };
  /** For a bulk: `counts_as` is its size in requests, `orders_max` the most orders that can ever pass. */
  rate_limited: {
    limit: number;
    window_seconds: number;
    retry_after: number;
    counts_as?: number;
    orders_max?: number;
  };
  /** plan_changed, term_too_long, account_halted, plan_running, account_full; tolerate others. */
  order_failed: { reason: string };
  invalid_package: FieldDetails;
  invalid_customer: FieldDetails;
  invalid_months: FieldDetails;
  invalid_idempotency_key: FieldDetails;
  validation_failed: FieldDetails;
}

export interface FieldDetails {
  field: string;
  reason: string;
}

interface ErrorFacts {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, string | number>>;
  readonly status?: number | null;
  readonly requestId: string;
  readonly idempotencyKey: string | null;
  readonly attempts: number;
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number | null;
  readonly mayHaveHappened: boolean;
  readonly cause?: unknown;
}

/** Shared by both builds: a program may load one by `import` and, through a library, the other by `require`. */
const mark = Symbol.for('@sellthrough/client error');

export class SellthroughError extends Error {
  /** 'AbortError' when the caller's signal ended the call, like fetch. */
  override readonly name: string;
  /** Stable: branch on this. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly details: Readonly<Record<string, string | number>>;
  readonly status: number | null;
  /** The X-Request-Id of the last attempt: quote it to support. */
  readonly requestId: string;
  /** Pass it to the same call again and it is never charged twice. null for calls that take none. */
  readonly idempotencyKey: string | null;
  readonly attempts: number;
  /** The same call with the same key may succeed later. False for insufficient_credit: add funds first, then use the same key. */
  readonly retryable: boolean;
  /** The wait that the service asked for (429 and 503); null: none. */
  readonly retryAfterSeconds: number | null;
  /** The order may have been placed: repeat with `idempotencyKey` to learn it. false: nothing was done or charged. */
  readonly mayHaveHappened: boolean;

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = facts.code === 'aborted' ? 'AbortError' : 'SellthroughError';
    this.code = facts.code;
    this.details = facts.details ?? {};
    this.status = facts.status ?? null;
    this.requestId = facts.requestId;
    this.idempotencyKey = facts.idempotencyKey;
    this.attempts = facts.attempts;
    this.retryable = facts.retryable;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
    this.mayHaveHappened = facts.mayHaveHappened;
    Object.defineProperty(this, mark, { value: true });
  }
}

/**
 * True for an error of a call, with this code if given; `details` gets the code's type.
 * |     if (isSellthroughError(error, 'insufficient_credit')) topUp(error.details.required);
 */
export function isSellthroughError<Code extends ErrorCode | ClientErrorCode>(
  error: unknown,
  code: Code,
): error is SellthroughError & {
  readonly code: Code;
  readonly details: Code extends keyof ErrorDetails
    ? ErrorDetails[Code]
    : Readonly<Record<string, string | number>>;
};
export function isSellthroughError(error: unknown): error is SellthroughError;
export function isSellthroughError(error: unknown, code?: string): boolean {
  if (!(error instanceof Error && mark in error)) return false;
  return code === undefined || ('code' in error && error.code === code);
}
