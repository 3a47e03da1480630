// Parses typed amounts. Ambiguous input is invalid, so that no amount is read as a hundred times as much.

export interface Separators {
  readonly group: string;
  readonly decimal: string;
}

export function separatorsOf(locale: string): Separators {
  const parts = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }).formatToParts(1_000_000);
  const partOf = (type: string, otherwise: string) =>
    parts.find((part) => part.type === type)?.value ?? otherwise;
  return { group: partOf('group', ','), decimal: partOf('decimal', '.') };
}

/** Returns "1234.5" or null. One or two final digits after a point or comma are decimals in every language. */
export function readTypedAmount(typed: string, { group, decimal }: Separators): string | null {
  const text = typed.trim();
  const [, whole = '', part = ''] = /^(\d{1,12})(?:[.,](\d{1,2}))?$/.exec(text) ?? [];
  if (whole !== '') return part === '' ? whole : `${whole}.${part}`;
  const [digits = '', decimals, ...more] = text.split(decimal);
  const groups = digits.split(group);
  const isGrouped =
    more.length === 0 &&
    groups.length > 1 &&
    groups.length <= 4 &&
    groups.every((each, place) => (place === 0 ? /^\d{1,3}$/ : /^\d{3}$/).test(each));
  if (!isGrouped || (decimals !== undefined && !/^\d{1,2}$/.test(decimals))) return null;
  return decimals === undefined ? groups.join('') : `${groups.join('')}.${decimals}`;
}

/** The service stores counts in 32 bits. */
const wholeMax = 2_147_483_647;

/** Reads 1,234 or 1.234. Returns null for fractions in any language, so that 1,5 is never read as 15. */
export function readWholeNumber(typed: string, separators: Separators, max = wholeMax): number | null {
  const amount = readTypedAmount(typed, separators);
  if (amount === null || amount.includes('.')) return null;
  return Number(amount) <= max ? Number(amount) : null;
}
