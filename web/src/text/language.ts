// Which language and number format the pages speak: the person's choice, else the browser's. Decided once, before any
// page is loaded; another choice loads the pages anew (start.tsx), so every text may be made where it stands, at any time.

import { keep, readKept } from '../api/browser-storage.ts';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** Each in itself, as whoever looks for it reads it. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

const storageName = 'sellthrough-language';

export const language: Language = chosenLanguage();

/** For `Intl`, of times: day before month in English too, so that nobody reads 3 November as 11 March. */
export const timeLocale = { en: 'en-GB', de: 'de-DE' }[language];
/** Of numbers and money: "$1,234.50", not "US$". */
export const numberLocale = { en: 'en', de: 'de-DE' }[language];

const counts = new Intl.NumberFormat(numberLocale);

/** "1,234" */
export function formatCount(count: number): string {
  return counts.format(count);
}

const percents = new Intl.NumberFormat(numberLocale, { style: 'percent', signDisplay: 'exceptZero' });

/** Of a change, 0.12: "+12%". */
export function formatChange(share: number): string {
  return percents.format(share).replace('-', '−');
}

/** null: the browser's. True where the pages now speak another one, and must be loaded anew. */
export function keepLanguage(chosen: Language | null): boolean {
  // A browser that keeps nothing speaks its own language.
  return keep(storageName, chosen) && chosenLanguage() !== language;
}

function chosenLanguage(): Language {
  return [keptLanguage(), ...browserLanguages()].find(isLanguage) ?? 'en';
}

/** What was chosen in this browser; empty: nothing. */
export function keptLanguage(): string {
  return readKept(storageName) ?? '';
}

function browserLanguages(): readonly string[] {
  return navigator.languages.map((tag) => tag.split('-')[0]?.toLowerCase() ?? '');
}

export function isLanguage(text: string): text is Language {
  return languages.some((known) => known === text);
}
