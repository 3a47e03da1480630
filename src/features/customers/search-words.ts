// What somebody types to find a customer: words in any order, each a fragment of the reference, the name or the account's own
// id, whatever case and accents either was written with. The database's locale may know the letters of ASCII only, so it
// leaves out what surely does not fit, and the program judges texts with other letters (list-customers.ts).

import type { ListQuery } from '../../platform/http/list-query.ts';
import { RequestRefused } from '../../platform/http/request-refused.ts';
import { fieldRefusal } from '../../shared/error-catalogue.ts';

/** What a customer is searched by. */
export interface SearchedTexts {
  readonly reference: string;
  readonly name: string;
  readonly externalRef: string | null;
}

/** Longer than any reference, and more than anybody types. */
const searchTextMax = 300;

/** Letters that no decomposition leads back to those of ASCII: who looks for them may have no key for them. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  þ: 'th',
  ŧ: 't',
  ς: 'σ',
};
const specialLetters = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'gu');

/** Without case and accents: "Ọkàfọr" is "okafor". */
function plainText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(specialLetters, (letter) => plainLetters[letter] ?? letter);
}

/** The words that all have to be there; none: everything fits. */
export function searchWords(text: string): readonly string[] {
  const words = [...new Set(plainText(text).split(/\s+/u))].filter((word) => word !== '');
  const typed = text.trim();
  // Of accents alone no word is left. They stay as they are, and are in no text without accents: nobody is found, not everybody.
  return words.length === 0 && typed !== '' ? [typed] : words;
}

export function holdsWords(
  { reference, name, externalRef }: SearchedTexts,
  words: readonly string[],
): boolean {
  if (words.length === 0) return true;
  const text = plainText(`${reference} ${name} ${externalRef ?? ''}`);
  return words.every((word) => text.includes(word));
}

/** Of the words, patterns for `mayHoldWords`. */
export function wordPatterns(words: readonly string[]): readonly string[] {
  return words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
}

/** Whether a row of customers may hold the words that the patterns were made of: surely not, or to be judged. */
export function mayHoldWords(alias: string, patterns: string): string {
  const text = `(${alias}.reference || ' ' || ${alias}.name || ' ' || coalesce(${alias}.external_ref, '')) collate "C"`;
  return `(lower(${text}) like all (${patterns}) or octet_length(${text}) <> char_length(${text}))`;
}

/** What was typed, as the parameter `words` has it. @throws RequestRefused */
export function wordsOf(sent: ListQuery): string {
  const text = sent.text('words').trim();
  if (text.length <= searchTextMax) return text;
  const reason = `must have at most ${searchTextMax} characters`;
  throw new RequestRefused(fieldRefusal('invalid_filter', 'words', reason));
}
