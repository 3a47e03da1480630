// The payment reference of an account by ISO 11649: "RF", two check digits, and the account's id in eight digits. Account
// 1003 has RF83 0000 1003.
// Invariant: it depends on the account's id alone, since people keep it in the templates of their banks.

import { accountIdMax } from '../../../shared/identifiers.ts';

// A fixed length shows where a reference ends in a text with spaces; the zeros distinguish it from other creditors'
// references. Digits only, because they can be typed on a number pad and read out without taking O for 0.
const bodyLength = 8;

/** Without spaces: "RF8300001003". */
export function rfReference(accountId: number): string {
  if (!Number.isInteger(accountId) || accountId < 1 || accountId > accountIdMax)
    throw new RangeError(`${accountId} is not an account id.`);
  const body = String(accountId).padStart(bodyLength, '0');
  // 2715 stands for the letters RF, which go behind the body with 00 as check digits (ISO 7064, mod 97-10).
  const checkDigits = 98 - (Number(`${body}271500`) % 97);
  return `RF${String(checkDigits).padStart(2, '0')}${body}`;
}

/** In groups of four, as the standard prints it. */
export function spacedReference(reference: string): string {
  return reference.replace(/.{4}(?=.)/g, '$& ');
}

/** null for a reference with wrong check digits or of another form. */
export function accountIdOfReference(reference: string): number | null {
  const match = /^RF\d{2}(\d{8})$/.exec(reference);
  const accountId = Number(match?.[1]);
  if (match === null || accountId < 1 || accountId > accountIdMax) return null;
  return rfReference(accountId) === reference ? accountId : null;
}

// Banks and people insert spaces, hyphens and line ends anywhere. The gap is bounded, so the search takes linear time.
const gap = String.raw`[\s.-]{0,4}`;
const wherever = new RegExp(
  String.raw`(?<![\p{L}\p{N}])R${gap}F(?:${gap}[0-9]){${2 + bodyLength}}(?![\p{L}\p{N}])`,
  'giu',
);

/** The accounts' references in a text, each once, without spaces. Never within a longer word. */
export function findRfReferences(text: string): string[] {
  const found = Array.from(text.matchAll(wherever), ([match]) =>
    match.replace(/[\s.-]/g, '').toUpperCase(),
  ).filter((reference) => accountIdOfReference(reference) !== null);
  return [...new Set(found)];
}

const nearlyMax = 4;

/**
 * The accounts of references in a text that one mistake made wrong: a digit, two swapped digits, or the check digits. Only for
 * a person to decide: nothing is credited by it.
 */
export function findNearlyNamedAccounts(text: string): number[] {
  const found = Array.from(text.matchAll(wherever), ([match]) => match.replace(/\D/g, ''))
    .filter((digits) => accountIdOfReference(`RF${digits}`) === null)
    .slice(0, nearlyMax)
    .flatMap((digits) => [Number(digits.slice(2)), ...oneMistakeAway(digits)]);
  return [...new Set(found)].filter((id) => id >= 1 && id <= accountIdMax);
}

function oneMistakeAway(digits: string): number[] {
  const all = Array.from(digits, (_, at) => at);
  const before = (at: number) => digits.slice(0, at);
  const changed = all.flatMap((at) =>
    Array.from('0123456789', (digit) => `${before(at)}${digit}${digits.slice(at + 1)}`),
  );
  const swapped = all.map(
    (at) =>
      `${before(at)}${digits
        .slice(at, at + 2)
        .split('')
        .reverse()
        .join('')}${digits.slice(at + 2)}`,
  );
  return [...changed, ...swapped].flatMap((each) => accountIdOfReference(`RF${each}`) ?? []);
}
