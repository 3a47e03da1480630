// Takes what named an erased customer out of the audit log. Entries keep their number, time, author and action; the table
// refuses every other change, and this one without the setting.

import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import type { Database, Row, SqlStatement } from '../database/database.ts';
import { searchTexts, textSearch } from '../database/search-texts.ts';
import { numberArray, textArray } from '../database/sql-arrays.ts';

const search = textSearch('search_audit_texts', 'audit_log', ['number'], {
  subject: 'subject',
  before: 'before',
  after: 'after',
});

/** Until the end of the transaction. */
export const allowErasing: SqlStatement = {
  name: 'allow_erasing_of_audit_texts',
  text: `select set_config('sellthrough.erasing', 'on', true)`,
};

const update: SqlStatement = {
  name: 'erase_audit_texts',
  text: `update audit_log t set subject = row.subject, before = row.before::jsonb, after = row.after::jsonb
    from unnest($1::int[], $2::text[], $3::text[], $4::text[]) row (number, subject, before, after)
    where t.number = row.number`,
};

export async function eraseFromAudit(
  database: Database,
  words: readonly string[],
  erased: (entry: {
    readonly subject: string;
    readonly before: JsonObject | null;
    readonly after: JsonObject | null;
  }) => {
    readonly subject: string;
    readonly before: unknown;
    readonly after: unknown;
  },
): Promise<void> {
  for await (const rows of searchTexts(database, search, words)) {
    const entries = rows.map((row) =>
      erased({ subject: String(row['subject']), before: jsonOf(row, 'before'), after: jsonOf(row, 'after') }),
    );
    await database.transaction(async (transaction) => {
      await transaction.query(allowErasing);
      await transaction.query(update, [
        numberArray(rows.map((row) => Number(row['number']))),
        textArray(entries.map(({ subject }) => subject)),
        textArray(entries.map(({ before }) => (before === null ? null : JSON.stringify(before)))),
        textArray(entries.map(({ after }) => (after === null ? null : JSON.stringify(after)))),
      ]);
    });
  }
}

function jsonOf(row: Row, name: string): JsonObject | null {
  const value = row[name];
  return isJsonObject(value) ? value : null;
}
