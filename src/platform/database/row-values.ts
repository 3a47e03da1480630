// Checks the types of column values read from the database. A wrong type is a bug.

export function bigint(value: unknown): bigint {
  if (typeof value !== 'bigint') throw new Error(`Expected an int8 column, found ${typeof value}.`);
  return value;
}

export function nullable<Value>(parse: (value: unknown) => Value, value: unknown): Value | null {
  return value === null || value === undefined ? null : parse(value);
}

export function oneOf<Value extends string>(allowed: readonly Value[], value: unknown): Value {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new Error(`Expected one of ${allowed.join(', ')}, found ${String(value)}.`);
  return found;
}
