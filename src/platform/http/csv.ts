// Writes a list as CSV, page by page, so that a slow client holds no database connection. Texts are quoted and cannot become
// formulas (shared/csv-text.ts).

import { type CsvCell, csvLines } from '../../shared/csv-text.ts';

export type Pages<Item> = AsyncIterable<readonly Item[]>;

export async function* csvOf<Item>(
  pages: Pages<Item>,
  header: readonly string[],
  cells: (item: Item) => readonly CsvCell[],
): AsyncGenerator<string> {
  yield csvLines([header]);
  for await (const page of pages) yield csvLines(page.map(cells));
}
