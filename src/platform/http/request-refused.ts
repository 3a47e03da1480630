// Thrown by handlers to refuse a request; error-responses.ts sends it. Not logged as a failure.

import { type ErrorCode, isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';

export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly refusal: Refusal;

  constructor(answer: Refusal | ErrorCode) {
    const refused = typeof answer === 'string' ? refusal(answer) : answer;
    super(refused.code);
    this.refusal = refused;
  }
}

/** @throws RequestRefused if the value is a refusal */
export function orRefuse<Value>(value: Value): Exclude<Value, Refusal>;
/** @throws RequestRefused if the value is a refusal, or with `ifNone` if there is no value */
export function orRefuse<Value>(value: Value, ifNone: ErrorCode): Exclude<Value, Refusal | null | undefined>;
export function orRefuse<Value>(value: Value, ifNone?: ErrorCode): Exclude<Value, Refusal> {
  if (isRefusal(value)) throw new RequestRefused(value);
  if (ifNone !== undefined && (value === null || value === undefined)) throw new RequestRefused(ifNone);
  return value as Exclude<Value, Refusal>;
}

export function refuseIf(problem: Refusal | null): void {
  if (problem !== null) throw new RequestRefused(problem);
}
