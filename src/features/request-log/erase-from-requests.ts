// Takes what named an erased customer out of the request log: out of paths, and with the kept bodies that mention them.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { searchTexts, textSearch } from '../../platform/database/search-texts.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';

const keys = ['account_id', 'number'] as const;
const searchPaths = textSearch('search_request_paths', 'api_requests', keys, { path: 'path' });
const searchBodies = textSearch('search_request_bodies', 'api_request_bodies', keys, {
  texts: `coalesce(query, '') || ' ' || coalesce(sent, '') || ' ' || coalesce(answered, '')`,
});

const updatePaths: SqlStatement = {
  name: 'erase_request_paths',
  text: `update api_requests t set path = row.path
    from unnest($1::int[], $2::int[], $3::text[]) row (account_id, number, path)
    where t.account_id = row.account_id and t.number = row.number`,
};

const deleteBodies: SqlStatement = {
  name: 'erase_request_bodies',
  text: `delete from api_request_bodies t using unnest($1::int[], $2::int[]) row (account_id, number)
    where t.account_id = row.account_id and t.number = row.number`,
};

/** Looks at all accounts, because the product and administrators name customers as well. */
export async function eraseFromRequests(
  database: Database,
  words: readonly string[],
  {
    mentions,
    replacedPath,
  }: { readonly mentions: (text: string) => boolean; readonly replacedPath: (path: string) => string },
): Promise<void> {
  for (const group of database.accountGroups()) {
    for await (const rows of searchTexts(group, searchPaths, words)) {
      await group.query(updatePaths, [
        numberArray(rows.map((row) => Number(row['account_id']))),
        numberArray(rows.map((row) => Number(row['number']))),
        textArray(rows.map((row) => replacedPath(String(row['path'])))),
      ]);
    }
    for await (const found of searchTexts(group, searchBodies, words)) {
      const rows = found.filter((row) => mentions(String(row['texts'])));
      await group.query(deleteBodies, [
        numberArray(rows.map((row) => Number(row['account_id']))),
        numberArray(rows.map((row) => Number(row['number']))),
      ]);
    }
  }
}
