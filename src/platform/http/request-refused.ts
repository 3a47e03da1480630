// What a handler throws to answer with a refusal. error-responses.ts sends it; nothing is logged as a failure.

import { type ErrorCode, isRefusal, type Refusal, refusal } from '../../shared/error-catalogue.ts';

export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly refusal: Refusal;

  constructor(answer: Refusal | ErrorCode) {
    const refused = typeof answer === 'string' ? refusal(answer) : answer;
    super(refused.code);
    this.refusal = refused;
  }
}

/** The value. A refusal in its place is the answer to the request. @throws RequestRefused */
export function orRefuse<Value>(value: Value): Exclude<Value, Refusal>;
/** The same, and this code is the answer where there is no value. @throws RequestRefused */
export function orRefuse<Value>(value: Value, ifNone: ErrorCode): Exclude<Value, Refusal | null | undefined>;
export function orRefuse<Value>(value: Value, ifNone?: ErrorCode): Exclude<Value, Refusal> {
  if (isRefusal(value)) throw new RequestRefused(value);
  if (ifNone !== undefined && (value === null || value === undefined)) throw new RequestRefused(ifNone);
  return value as Exclude<Value, Refusal>;
}

/** Answers with the problem, where there is one. @throws RequestRefused */
export function refuseIf(problem: Refusal | null): void {
  if (problem !== null) throw new RequestRefused(problem);
}
