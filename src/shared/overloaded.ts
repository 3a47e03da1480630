// Thrown when a bounded queue is full. The answer is 503 with Retry-After.

/** The work has not begun. The message is for the log. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
