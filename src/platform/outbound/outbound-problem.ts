// Why a call got no answer. Thrown only inside the outbound client.

export type OutboundFailure =
  /** The URL, or an address that its name resolves to, is not allowed. */
  | 'address_refused'
  | 'name_not_found'
  | 'connection_refused'
  /** The connection broke before the answer was complete. */
  | 'connection_lost'
  /** No TLS, or no trusted certificate for this name. */
  | 'tls'
  | 'timeout'
  /** Malformed response, or Content-Length mismatch. */
  | 'malformed_answer';

export class OutboundProblem extends Error {
  override readonly name = 'OutboundProblem';
  readonly reason: OutboundFailure;

  constructor(reason: OutboundFailure) {
    super(reason);
    this.reason = reason;
  }

  static of(value: unknown): OutboundProblem {
    if (value instanceof OutboundProblem) return value;
    throw new TypeError('A call was given up without a reason.', { cause: value });
  }
}
