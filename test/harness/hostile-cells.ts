// Texts that users may choose and that spreadsheets must not compute.

import { readFileSync } from 'node:fs';
import { type CsvCell, csvLines } from '../../src/shared/csv-text.ts';

const naughty: readonly string[] = JSON.parse(
  readFileSync(new URL('../corpora/naughty-strings.json', import.meta.url), 'utf8'),
);
const formula = '=1+1';
const borders = [',', ';', '|', '\t', '\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029'];
const covers = ['', ' ', '\u00a0', '\u200b', '"', '""', "'", ' "', '";', '",'];

export const hostileTexts: readonly string[] = [
  "Ada;=cmd|' /C calc'!A0",
  ...covers.flatMap((cover) => ['=', '+', '-', '@', '＝'].map((sign) => `${cover}${sign}1+1`)),
  ...borders.flatMap((border) => covers.map((cover) => `Ada${border}${cover}${formula}`)),
  ...borders.flatMap((border) => [
    border,
    `Ada${border}`,
    `${border}${border}${formula}`,
    `"${border}"${formula}`,
  ]),
  ...naughty,
];

export const columns = ['number', 'created_at', 'name', 'reference', 'amount', 'currency', 'memo'];

export function rowOf(number: number, [name, reference, memo]: readonly [string, string, string]): CsvCell[] {
  const amount = number % 2 === 0 ? '-12.50' : '1200.00';
  return [
    String(number),
    '2026-01-31T12:00:00Z',
    { text: name },
    { text: reference },
    amount,
    'EUR',
    { text: memo },
  ];
}

export function hostileFile(texts: readonly string[]): string {
  const rows = texts.map((text, index) => rowOf(index + 1, [text, texts.at(-1 - index) ?? '', text]));
  return csvLines([columns, ...rows]);
}
