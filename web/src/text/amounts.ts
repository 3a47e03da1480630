// Money as the service writes it ("12.50"). It is parsed to cents, never to floats, and shown with its currency.

import { numberLocale } from './language.ts';
import { readTypedAmount, readWholeNumber, separatorsOf } from './typed-amount.ts';

/** @throws SyntaxError if the amount is invalid */
export function toCents(amount: string): bigint {
  const [, sign = '', whole = '', cents = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(amount) ?? [];
  if (whole === '') throw new SyntaxError(`Not an amount: ${amount}`);
  const value = BigInt(whole) * 100n + BigInt(cents.padEnd(2, '0'));
  return sign === '-' ? -value : value;
}

export function fromCents(cents: bigint): string {
  const size = cents < 0n ? -cents : cents;
  return `${cents < 0n ? '-' : ''}${size / 100n}.${String(size % 100n).padStart(2, '0')}`;
}

export function sumAmounts(amounts: readonly string[]): string {
  return fromCents(amounts.reduce((sum, amount) => sum + toCents(amount), 0n));
}

const separators = separatorsOf(numberLocale);

/** Reads a typed amount and returns it with two decimals, or null if it is invalid. */
export function readAmount(typed: string): string | null {
  const amount = readTypedAmount(typed, separators);
  return amount === null ? null : fromCents(toCents(amount));
}

/** Reads a typed whole number. Returns null if it is invalid. */
export function readCount(typed: string, max?: number): number | null {
  return readWholeNumber(typed, separators, max);
}

/** Writes "1234.50" with the language's decimal separator. */
export function typedAmount(amount: string): string {
  return amount.replace('.', separators.decimal);
}

const formats = new Map<string, Intl.NumberFormat>();

/** Formats "$1,234.50" from the decimal text, so that amounts of any size stay exact. */
export function formatMoney(amount: string, currency: string, signed = false): string {
  const name = `${currency} ${signed}`;
  let format = formats.get(name);
  if (format === undefined) {
    format = new Intl.NumberFormat(numberLocale, {
      style: 'currency',
      currency,
      signDisplay: signed ? 'exceptZero' : 'auto',
    });
    formats.set(name, format);
  }
  return format.format(amount as Intl.StringNumericLiteral).replace('-', '−');
}
