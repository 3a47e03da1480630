// Pages of an account's ledger.

import { type Page, pageRange } from '../contract/pages.ts';
import type { Queryable, Statement } from '../database/database.ts';
import { nullable } from '../database/row-values.ts';
import { type LedgerEntry, ledgerEntries } from './ledger-entry.ts';

const listEntries: Statement = {
  name: 'list_ledger_entries',
  text: `select ${ledgerEntries.list('e')}, a.username as actor
    from ledger_entries e left join account_names a on a.id = e.actor_id
    where e.account_id = $1::int and e.number between $2::int and $3::int order by e.number desc`,
};

/** Newest first; `total` is the account's entry count. */
export async function listLedger(
  database: Queryable,
  accountId: number,
  page: Page,
  total: number,
): Promise<{ entry: LedgerEntry; actor: string | null }[]> {
  const range = pageRange(page, total);
  if (range === null) return [];
  const rows = await database.ofAccount(accountId).query(listEntries, [accountId, range.from, range.to]);
  return rows.map((row) => ({
    entry: ledgerEntries.parse(row),
    actor: nullable(String, row['actor']),
  }));
}
