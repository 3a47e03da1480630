// Work that the service cannot take now: thrown by whatever has a bounded queue, answered with 503 and
// Retry-After.

/** Nothing was done. The sentence is for the log. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
