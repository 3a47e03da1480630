// Serializes array parameters for `unnest`. The driver's own conversion took most of its time for orders.

export function numberArray(values: readonly (number | bigint)[]): string {
  return `{${values.join(',')}}`;
}

export function textArray(values: readonly (string | null)[]): string {
  if (values.length === 0) return '{}';
  return values.every(isPlain) ? `{"${values.join('","')}"}` : `{${values.map(quoted).join(',')}}`;
}

export function nullableNumberArray(values: readonly (number | bigint | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}

function isPlain(value: string | null): boolean {
  return value !== null && !/["\\]/.test(value);
}

function quoted(value: string | null): string {
  return value === null ? 'null' : `"${value.replace(/["\\]/g, '\\$&')}"`;
}
