// Amounts and dates as banks write them. Every function returns null for what it does not understand; nothing is guessed.

/** Digits with `decimal` before the cents, without sign or thousands. More than two decimals must be zeros. */
export function parseBankAmount(text: string, decimal: ',' | '.'): bigint | null {
  const [units = '', fraction = '', ...more] = text.split(decimal);
  if (more.length > 0 || !/^0*\d{0,13}$/.test(units) || !/^\d*$/.test(fraction) || units + fraction === '')
    return null;
  if (/[^0]/.test(fraction.slice(2))) return null;
  return BigInt(units) * 100n + BigInt(fraction.slice(0, 2).padEnd(2, '0'));
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** "2026-11-26", or null if there is no such day. */
export function calendarDay(year: number, month: number, day: number): string | null {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (daysOfMonths[month - 1] ?? 0);
  if (!(year >= 1970 && year < 2200 && day >= 1 && day <= days)) return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** An ISO day, with or without a time or zone behind it: the day as the bank wrote it. */
export function parseIsoDay(text: string): string | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:[T ].*|Z|[+-]\d{2}:\d{2})?$/.exec(text.trim());
  return match === null ? null : calendarDay(Number(match[1]), Number(match[2]), Number(match[3]));
}
