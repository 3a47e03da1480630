// The text of CSV files, for people with spreadsheets and for programs. Used by lists of the API and by `sellthrough bulk`.
// Invariant: no part of a text can become a formula, whichever separator the file is opened with.

import { stringify } from 'csv-stringify/sync';

/** A string stands as it is: an id, a number, a date or a word of ours. `text` is what somebody else wrote. */
export type CsvCell = string | { readonly text: string };

export function csvLines(rows: readonly (readonly CsvCell[])[]): string {
  return stringify(rows as CsvCell[][], {
    cast: { object: (cell) => ({ value: inert((cell as { text: string }).text), quoted: true }) },
  });
}

// A German Excel splits at semicolons, whether a comma-separated cell is quoted or not: each piece may begin a cell.
const cellBorder = String.raw`[,;|\t\n\v\f\r\u0085\u2028\u2029]`;
/** Begins a formula, for some programs after blanks or quotes, or in full width. */
const formulaStart = String.raw`(?:"|\p{Cf}|[^\S\t\n\v\f\r\u2028\u2029])*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]`;
/** Where an apostrophe belongs; the apostrophes of the text itself are counted, so that it can be taken off again. */
const placesOf = (guard: string) =>
  new RegExp(`(?:(?<=^)${guard}(?='*[\\t\\r\\n])|(?<=^|${cellBorder})${guard}(?='*${formulaStart}))`, 'gu');
const dangerous = placesOf('');
const guarded = placesOf("'");

/** An apostrophe makes a cell text. */
function inert(text: string): string {
  return text.replace(dangerous, "'");
}

/** The text that csvLines wrote so. */
export function withoutGuards(text: string): string {
  return text.replace(guarded, '');
}
