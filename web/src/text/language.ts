// The pages' language: the person's choice, else the browser's. Fixed before the pages load; a change reloads them.

import { keep, readKept } from '../api/browser-storage.ts';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** Each language in its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

const storageName = 'sellthrough-language';

export const language: Language = chosenLanguage();

/** For times. English uses en-GB, so that 3 November is never read as 11 March. */
export const timeLocale = { en: 'en-GB', de: 'de-DE' }[language];
/** For numbers and money. With `en`, dollars are written "$1,234.50" instead of "US$1,234.50". */
export const numberLocale = { en: 'en', de: 'de-DE' }[language];

const counts = new Intl.NumberFormat(numberLocale);

export function formatCount(count: number): string {
  return counts.format(count);
}

const percents = new Intl.NumberFormat(numberLocale, { style: 'percent', signDisplay: 'exceptZero' });

/** With a no-break space, as all units. */
export function formatMilliseconds(milliseconds: number): string {
  return `${formatCount(milliseconds)}\u00a0ms`;
}

const tenths = new Intl.NumberFormat(numberLocale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** With one decimal below ten seconds. */
export function formatSeconds(seconds: number): string {
  return `${seconds < 10 ? tenths.format(seconds) : formatCount(Math.round(seconds))}\u00a0s`;
}

/** Formats 0.12 as "+12%". */
export function formatSignedCount(count: number): string {
  return count > 0 ? `+${formatCount(count)}` : formatCount(count).replace('-', '−');
}

export function formatChange(share: number): string {
  return percents.format(share).replace('-', '−');
}

/** null chooses the browser's language. Returns true if the pages must be reloaded. */
export function keepLanguage(chosen: Language | null): boolean {
  // If the browser refuses storage, its own language applies.
  return keep(storageName, chosen) && chosenLanguage() !== language;
}

function chosenLanguage(): Language {
  return [keptLanguage(), ...browserLanguages()].find(isLanguage) ?? 'en';
}

/** Returns "" if no language was chosen. */
export function keptLanguage(): string {
  return readKept(storageName) ?? '';
}

function browserLanguages(): readonly string[] {
  return navigator.languages.map((tag) => tag.split('-')[0]?.toLowerCase() ?? '');
}

export function isLanguage(text: string): text is Language {
  return languages.some((known) => known === text);
}
