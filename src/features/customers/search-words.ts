// Searches customers by fragments of words, ignoring case and accents. The database's locale may only know ASCII letters, so
// SQL excludes certain mismatches and the program checks texts with other letters (list-customers.ts).

export interface SearchedTexts {
  readonly reference: string;
  readonly name: string;
  readonly externalRef: string | null;
}

/** Letters that do not decompose into ASCII. Users may not be able to type them. */
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

/** Removes case and accents: "Ọkàfọr" becomes "okafor". */
function plainText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(specialLetters, (letter) => plainLetters[letter] ?? letter);
}

/** All words must match. An empty list matches everything. */
export function searchWords(text: string): readonly string[] {
  const words = [...new Set(plainText(text).split(/\s+/u))].filter((word) => word !== '');
  const typed = text.trim();
  // Text made only of accents has no words. Keep it, so that it matches nothing instead of everything.
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

export function wordPatterns(words: readonly string[]): readonly string[] {
  return words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
}

/** SQL that is false only if the row cannot contain the words. The program checks the other rows. */
export function mayHoldWords(alias: string, patterns: string): string {
  const text = `(${alias}.reference || ' ' || ${alias}.name || ' ' || coalesce(${alias}.external_ref, '')) collate "C"`;
  return `(lower(${text}) like all (${patterns}) or octet_length(${text}) <> char_length(${text}))`;
}
