// Array parameters for `unnest`, written as PostgreSQL reads them. The driver's own conversion walks
// every element through several type tests; on the order path these few lines are most of its work.

export function numberArray(values: readonly (number | bigint)[]): string {
  return `{${values.join(',')}}`;
}

export function textArray(values: readonly (string | null)[]): string {
  if (values.length === 0) return '{}';
  return values.every(isPlain) ? `{"${values.join('","')}"}` : `{${values.map(quoted).join(',')}}`;
}

/** For null among numbers. */
export function nullableNumberArray(values: readonly (number | bigint | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}

/** Most values have nothing to escape. */
function isPlain(value: string | null): boolean {
  return value !== null && !/["\\]/.test(value);
}

function quoted(value: string | null): string {
  return value === null ? 'null' : `"${value.replace(/["\\]/g, '\\$&')}"`;
}
