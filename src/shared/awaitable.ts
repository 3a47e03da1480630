// A value now or later. The order path spends no event-loop turn and no promise on values known now.

export type Awaitable<Value> = Value | Promise<Value>;

/** Calls `next` at once if the value is known. */
export function after<Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
