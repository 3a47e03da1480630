// What a call can fail with. Every error is a SellthroughError with a code to branch on, the request id to quote, and
// the idempotency key under which the same order can be asked for again without being charged twice.

import type { ErrorCode } from './api-types.ts';

/** Codes of this client, for failures the service had no part in or no say in. */
export type ClientErrorCode =
  /** The connection could not be made or was lost. */
  | 'connection_lost'
  /** No answer within the time that was given. */
  | 'timeout'
  /** The caller's AbortSignal ended the call. */
  | 'aborted'
  /** What answered was not the service: a proxy's error page, a redirect, something that is not JSON. */
  | 'unexpected_answer';

/** What `details` holds, for the codes that say more; see isSellthroughError. */
export interface ErrorDetails {
  /** `required` is what the order needs after any refund; amounts are decimal strings. */
  insufficient_credit: { balance: string; required: string; currency: string };
  /** The last two of a bulk of orders: what it counts as, and the most that one may ever hold. */
  rate_limited: {
    limit: number;
    window_seconds: number;
    retry_after: number;
    counts_as?: number;
    orders_max?: number;
  };
  /** plan_changed, term_too_long, account_halted, plan_running, account_full: tolerate others. */
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

/** The same in both builds: a program may have the one by `import` and, through a library, the other by `require`. */
const mark = Symbol.for('@sellthrough/client error');

/** The one class of everything a call rejects with. */
export class SellthroughError extends Error {
  /** 'AbortError' when the caller's signal ended the call, as fetch has it. */
  override readonly name: string;
  /** Stable: branch on this. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** More about this error; may be empty. */
  readonly details: Readonly<Record<string, string | number>>;
  /** The HTTP status; null when no answer came. */
  readonly status: number | null;
  /** The X-Request-Id of the last attempt, which the service's log has too: quote it. */
  readonly requestId: string;
  /** The key the request was sent with: give it to the same call again and it is never charged twice. null where none is taken. */
  readonly idempotencyKey: string | null;
  /** How many times the request was sent. */
  readonly attempts: number;
  /**
   * The same call with the same key may succeed later without anything being fixed. Not so for insufficient_credit:
   * top up first, then the same key.
   */
  readonly retryable: boolean;
  /** Seconds that the service asked to wait (429 and 503); null when it did not. */
  readonly retryAfterSeconds: number | null;
  /**
   * An attempt ended without an answer that settles it: the order may stand. Send the same call again with
   * `idempotencyKey` to learn its outcome. false: nothing was done and nothing charged.
   */
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
 * Whether this is an error of a call, with this code where one is given; the type of `details` follows the code.
 *
 *     if (isSellthroughError(error, 'insufficient_credit')) topUp(error.details.required);
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
