import { numberLocale } from './language.ts';

const format = new Intl.NumberFormat(numberLocale, { style: 'percent', maximumFractionDigits: 1 });

/** Formats 4.2 as "4.2%". null: nothing to compare with. */
export function formatPercent(value: number | null): string {
  return value === null ? '–' : format.format(value / 100).replace('-', '−');
}
