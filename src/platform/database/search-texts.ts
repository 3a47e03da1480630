// Reads a table in ranges of its key and returns the rows whose texts contain a word, for erasures. Each statement is short,
// so that orders never wait long for it.

import type { Queryable, Row, SqlStatement } from './database.ts';
import { textArray } from './sql-arrays.ts';

export interface TextSearch {
  readonly statement: SqlStatement;
  readonly keys: readonly string[];
}

const rowsAtOnce = 1_000;

/** `keys` are one or two integer columns that order the table. `texts` are expressions by the name that rows show them under. */
export function textSearch(
  name: string,
  table: string,
  keys: readonly [string] | readonly [string, string],
  texts: Readonly<Record<string, string>>,
): TextSearch {
  const all = Object.values(texts)
    .map((text) => `coalesce((${text})::text, '')`)
    .join(` || ' ' || `);
  const behind =
    keys.length === 1
      ? `$1::int is not null and ${keys[0]} > $2::bigint`
      : `(${keys.join(', ')}) > ($1::int, $2::bigint)`;
  const shown = Object.entries(texts).map(([as, text]) => `case when is_found then (${text}) end as ${as}`);
  return {
    keys,
    statement: {
      name,
      text: `select ${keys.join(', ')}, is_found, ${shown.join(', ')} from (
          select t.*, exists (select from unnest($3::text[]) w (word) where strpos(lower(${all}), w.word) > 0) as is_found
          from (select * from ${table} where ${behind}
            order by ${keys.join(', ')} limit ${rowsAtOnce}) t) found
        order by ${keys.join(', ')}`,
    },
  };
}

/** `after` is the key to begin behind; the first row that is past ends the search. Words are in lower case. */
export async function* searchTexts(
  database: Queryable,
  { statement, keys }: TextSearch,
  words: readonly string[],
  {
    after = [0, 0],
    isPast = () => false,
  }: { readonly after?: readonly [number, number]; readonly isPast?: (row: Row) => boolean } = {},
): AsyncGenerator<readonly Row[]> {
  let [first, second] = after;
  for (;;) {
    const rows = await database.query(statement, [first, second, textArray(words)]);
    const inside = rows.filter((row) => !isPast(row));
    const found = inside.filter((row) => row['is_found'] === true);
    if (found.length > 0) yield found;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce || inside.length < rows.length) return;
    [first, second] = [Number(last[keys[0] ?? '']), Number(last[keys.at(-1) ?? ''])];
  }
}
