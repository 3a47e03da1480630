// Thrown when a bounded queue is full; answered with 503 and Retry-After.

/** Nothing was done. The message is for the log. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
