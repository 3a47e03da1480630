// Why a call got no answer: thrown inside the outbound client alone, and handed out by outbound.ts as a value.

/** A closed list; the log of deliveries shows it. */
export type OutboundFailure =
  /** The URL, or an address that its name leads to, may not be called. */
  | 'address_refused'
  | 'name_not_found'
  /** Nobody took the connection. */
  | 'connection_refused'
  /** It broke before the answer was complete. */
  | 'connection_lost'
  /** The certificate is not one for this name that can be trusted, or there is no TLS there. */
  | 'tls'
  | 'timeout'
  /** What came is not HTTP, or not as long as it says. */
  | 'malformed_answer';

export class OutboundProblem extends Error {
  override readonly name = 'OutboundProblem';
  readonly reason: OutboundFailure;

  constructor(reason: OutboundFailure) {
    super(reason);
    this.reason = reason;
  }

  /** What a signal was aborted with. */
  static of(value: unknown): OutboundProblem {
    if (value instanceof OutboundProblem) return value;
    throw new TypeError('A call was given up without a reason.', { cause: value });
  }
}
