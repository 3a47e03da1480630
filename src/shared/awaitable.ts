// What is known at once, or after a wait. The orders' road takes no turn of the event loop, and no promise, for what is known.

export type Awaitable<Value> = Value | Promise<Value>;

/** `next` with the value: now where it is known, which costs nothing, later where it is not. */
export function after<Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
