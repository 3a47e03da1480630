// The errors of a call. A SellthroughError has a code to branch on, the request id to quote to support, and the idempotency
// key with which the same order can be repeated without a second charge.

import type { ErrorCode } from './api-types.ts';

/** Failures that do not come from the service. */
export type ClientErrorCode =
  | 'connection_lost'
  | 'timeout'
  | 'aborted'
  /** A proxy's error page, a redirect, or something that is not JSON. */
  | 'unexpected_answer';

/** The shape of `details` for each code; see isSellthroughError. */
export interface ErrorDetails {
  /** `required` is what the order needs after any refund. Amounts are decimal strings. */
  insufficient_credit: { balance: string; required: string; currency: string };
  /** In a bulk, `counts_as` is its size in requests, and `orders_max` is the most orders that can ever pass. */
  rate_limited: {
    limit: number;
    window_seconds: number;
    retry_after: number;
    counts_as?: number;
    orders_max?: number;
  };
  /** plan_changed, term_too_long, account_halted, plan_running or account_full. Expect others in the future. */
  order_failed: { reason: string };
  invalid_package: FieldDetails;
  invalid_customer: FieldDetails;
  /** If the requested period is not sold, `periods` are those that the package is sold for. */
  invalid_months: FieldDetails & { periods?: ('monthly' | 'quarterly' | 'yearly')[] };
  invalid_idempotency_key: FieldDetails;
  validation_failed: FieldDetails;
}

export interface FieldDetails {
  field: string;
  reason: string;
}

export type ErrorDetail = string | number | readonly string[];

interface ErrorFacts {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, ErrorDetail>>;
  readonly status?: number | null;
  readonly requestId: string;
  readonly idempotencyKey: string | null;
  readonly attempts: number;
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number | null;
  readonly mayHaveHappened: boolean;
  readonly cause?: unknown;
}

/** A registered symbol, because a program may load one build by `import` and, through a library, the other by `require`. */
const mark = Symbol.for('@sellthrough/client error');

export class SellthroughError extends Error {
  /** 'AbortError' if the caller's signal ended the call, like fetch. */
  override readonly name: string;
  /** The code is stable, so branch on it. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly details: Readonly<Record<string, ErrorDetail>>;
  readonly status: number | null;
  /** The X-Request-Id of the last attempt. Quote it to support. */
  readonly requestId: string;
  /** Pass it to the same call again to never charge twice. null if the call takes no key. */
  readonly idempotencyKey: string | null;
  readonly attempts: number;
  /** True if the same call with the same key may succeed later. For insufficient_credit it is false: add funds first. */
  readonly retryable: boolean;
  /** The wait that the service asked for (429 and 503), or null. */
  readonly retryAfterSeconds: number | null;
  /** True if the order may have been placed: repeat with `idempotencyKey` to find out. False: nothing was done. */
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
 * True for an error of a call, with this code if given. `details` then has the code's type.
 * |     if (isSellthroughError(error, 'insufficient_credit')) topUp(error.details.required);
 */
export function isSellthroughError<Code extends ErrorCode | ClientErrorCode>(
  error: unknown,
  code: Code,
): error is SellthroughError & {
  readonly code: Code;
  readonly details: Code extends keyof ErrorDetails
    ? ErrorDetails[Code]
    : Readonly<Record<string, ErrorDetail>>;
};
export function isSellthroughError(error: unknown): error is SellthroughError;
export function isSellthroughError(error: unknown, code?: string): boolean {
  if (!(error instanceof Error && mark in error)) return false;
  return code === undefined || ('code' in error && error.code === code);
}
