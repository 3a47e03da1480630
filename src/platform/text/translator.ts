// Texts, dates and numbers in a language, for server-made pages, mails and documents.
// Invariant: values never change the text around them. Times are in UTC, and say so.

import { IntlMessageFormat } from 'intl-messageformat';
import type { Language } from '../../shared/languages.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { englishTexts, type TextKey } from './english-texts.ts';
import { germanTexts } from './german-texts.ts';

export type TextValues = Readonly<Record<string, string | number>>;

export interface Translator {
  readonly language: Language;
  t(key: TextKey, values?: TextValues): string;
  /** "January 15, 2026" */
  day(seconds: EpochSeconds): string;
  /** "January 15, 2026, 12:00 UTC" */
  moment(seconds: EpochSeconds): string;
  /** "January 2026", of "2026-01". */
  month(month: string): string;
  count(value: number): string;
  /** "1,234.50", of "1234.50". */
  amount(written: string): string;
  /** "$1,234.50" and "1.234,50 $", as on the pages. */
  money(written: string, currency: string): string;
}

const catalogs = { en: englishTexts, de: germanTexts } as const;

const translators = new Map<Language, Translator>();

/** Created on first use: Intl formats are slow to create. */
export function translatorOf(language: Language): Translator {
  const translator = translators.get(language) ?? createTranslator(language);
  translators.set(language, translator);
  return translator;
}

function createTranslator(language: Language): Translator {
  const texts = catalogs[language];
  const messages = new Map<TextKey, IntlMessageFormat>();
  const zone = { timeZone: 'UTC' } as const;
  const days = new Intl.DateTimeFormat(language, { dateStyle: 'long', ...zone });
  const clock = new Intl.DateTimeFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    ...zone,
  });
  const months = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', ...zone });
  const counts = new Intl.NumberFormat(language);
  const amounts = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const moneys = new Map<string, Intl.NumberFormat>();
  const moneyIn = (currency: string) => {
    const made = moneys.get(currency) ?? new Intl.NumberFormat(language, { style: 'currency', currency });
    moneys.set(currency, made);
    return made;
  };
  const day = (seconds: EpochSeconds) => days.format(new Date(seconds * 1000));
  const time = (seconds: EpochSeconds) => clock.format(new Date(seconds * 1000));
  return {
    language,
    t(key, values = {}) {
      let message = messages.get(key);
      if (message === undefined) {
        message = new IntlMessageFormat(texts[key], language, undefined, { ignoreTag: true });
        messages.set(key, message);
      }
      return String(message.format(values));
    },
    day,
    moment: (seconds) => `${day(seconds)}, ${time(seconds)}`,
    month: (month) => months.format(new Date(`${month}-01T00:00:00Z`)),
    count: (value) => counts.format(value),
    // Formatted from the string, because a number would be rounded beyond 2^53.
    amount: (written) => amounts.format(written as Intl.StringNumericLiteral),
    money: (written, currency) => moneyIn(currency).format(written as Intl.StringNumericLiteral),
  };
}
