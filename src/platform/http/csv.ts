// A list as CSV, page by page: a slow reader holds no connection to the database. Texts are quoted and cannot become
// formulas (shared/csv-text.ts); numbers and dates stay plain, so that a spreadsheet can compute with them.

import { type CsvCell, csvLines } from '../../shared/csv-text.ts';

export type Pages<Item> = AsyncIterable<readonly Item[]>;

/** The header, then one piece of text for each page. */
export async function* csvOf<Item>(
  pages: Pages<Item>,
  header: readonly string[],
  cells: (item: Item) => readonly CsvCell[],
): AsyncGenerator<string> {
  yield csvLines([header]);
  for await (const page of pages) yield csvLines(page.map(cells));
}
