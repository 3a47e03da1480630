// Takes what named an erased customer out of the account's events. They keep their numbers and types.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { searchTexts, textSearch } from '../../platform/database/search-texts.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';

const search = textSearch('search_events', 'events', ['account_id', 'number'], { data: 'data' });

const update: SqlStatement = {
  name: 'erase_event_texts',
  text: `update events t set data = row.data from unnest($2::int[], $3::text[]) row (number, data)
    where t.account_id = $1::int and t.number = row.number`,
};

export async function eraseFromEvents(
  database: Database,
  accountId: number,
  words: readonly string[],
  erased: (data: unknown) => unknown,
): Promise<void> {
  const group = database.ofAccount(accountId);
  const ofAccount = {
    after: [accountId, 0],
    isPast: (row: { readonly [name: string]: unknown }) => row['account_id'] !== accountId,
  } as const;
  for await (const rows of searchTexts(group, search, words, ofAccount)) {
    const data = rows.map((row) => JSON.stringify(erased(JSON.parse(String(row['data'])))));
    await group.query(update, [
      accountId,
      numberArray(rows.map((row) => Number(row['number']))),
      textArray(data),
    ]);
  }
}
