// CSV for spreadsheets and programs.
// Invariant: no part of a text can become a formula, whichever separator the file is opened with.

import { stringify } from 'csv-stringify/sync';

/** A string is the service's own: an id, number, date or word. `text` is user input. */
export type CsvCell = string | { readonly text: string };

export function csvLines(rows: readonly (readonly CsvCell[])[]): string {
  return stringify(rows as CsvCell[][], {
    cast: { object: (cell) => ({ value: inert((cell as { text: string }).text), quoted: true }) },
  });
}

// A German Excel splits at semicolons even in a quoted cell, so each part may start a cell.
const cellBorder = String.raw`[,;|\t\n\v\f\r\u0085\u2028\u2029]`;
/** Some programs skip blanks, quotes or full-width forms before a formula. */
const formulaStart = String.raw`(?:"|\p{Cf}|[^\S\t\n\v\f\r\u2028\u2029])*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]`;
/** The places where an apostrophe is inserted. If a text has some there, it gets one more, so that removal is exact. */
const placesOf = (guard: string) =>
  new RegExp(`(?:(?<=^)${guard}(?='*[\\t\\r\\n])|(?<=^|${cellBorder})${guard}(?='*${formulaStart}))`, 'gu');
const dangerous = placesOf('');
const guarded = placesOf("'");

function inert(text: string): string {
  return text.replace(dangerous, "'");
}

/** Removes the apostrophes that csvLines inserted. */
export function withoutGuards(text: string): string {
  return text.replace(guarded, '');
}
