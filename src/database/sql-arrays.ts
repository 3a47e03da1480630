// Array parameters for `unnest`, written as PostgreSQL reads them. The driver's own conversion walks
// every element through several type tests; on the order path these few lines are most of its work.

export function numberArray(values: readonly (number | bigint)[]): string {
  return `{${values.join(',')}}`;
}

export function textArray(values: readonly (string | null)[]): string {
  let text = '{';
  for (const [index, value] of values.entries()) {
    if (index > 0) text += ',';
    text += value === null ? 'null' : quote(value);
  }
  return `${text}}`;
}

/** For null among numbers. */
export function nullableNumberArray(values: readonly (number | bigint | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}

function quote(value: string): string {
  // Most values have nothing to escape.
  return /["\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
}
