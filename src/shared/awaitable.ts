// A value that is known now or comes later. With a known value, the order path needs no promise and no event-loop turn.

export type Awaitable<Value> = Value | Promise<Value>;

/** Calls `next` at once if the value is known. */
export function after<Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
