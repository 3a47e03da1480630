// Takes what named an erased customer out of the answers of endpoints that the delivery log keeps.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { searchTexts, textSearch } from '../../platform/database/search-texts.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';

const search = textSearch('search_webhook_answers', 'webhook_attempts', ['webhook_id', 'number'], {
  answer: 'answer',
  account_id: 'account_id',
});

const update: SqlStatement = {
  name: 'erase_webhook_answers',
  text: `update webhook_attempts t set answer = row.answer
    from unnest($1::int[], $2::bigint[], $3::text[]) row (webhook_id, number, answer)
    where t.webhook_id = row.webhook_id and t.number = row.number`,
};

export async function eraseFromAttempts(
  database: Database,
  words: readonly string[],
  replaced: (answer: string, accountId: number) => string,
): Promise<void> {
  for await (const rows of searchTexts(database, search, words)) {
    await database.query(update, [
      numberArray(rows.map((row) => Number(row['webhook_id']))),
      numberArray(rows.map((row) => Number(row['number']))),
      textArray(rows.map((row) => replaced(String(row['answer']), Number(row['account_id'])))),
    ]);
  }
}
