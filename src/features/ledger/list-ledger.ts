import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { bySharding, queryShards } from '../../platform/database/shards/query-shards.ts';
import { type Page, pageRange } from '../../shared/pages.ts';
import { findAccountNames } from '../identity/account-names.ts';
import { type LedgerEntry, ledgerEntries } from '../order-engine/records/ledger-entry.ts';

const listEntries: SqlStatement = {
  name: 'list_ledger_entries',
  text: `select ${ledgerEntries.list('e')}, a.username as actor
    from ledger_entries e left join account_names a on a.id = e.actor_id
    where e.account_id = $1::int and e.number between $2::int and $3::int order by e.number desc`,
};

/** With accounts on several servers, usernames are in another group and are looked up separately. */
const listEntriesApart: SqlStatement = {
  name: 'list_ledger_entries_apart',
  text: `select ${ledgerEntries.list('e')} from ledger_entries e
    where e.account_id = $1::int and e.number between $2::int and $3::int order by e.number desc`,
};

export async function listLedger(
  database: Queryable,
  accountId: number,
  page: Page,
  total: number,
): Promise<{ entry: LedgerEntry; actor: string | null }[]> {
  const range = pageRange(page, total);
  if (range === null) return [];
  const statement = { together: listEntries, apart: listEntriesApart };
  const values = [accountId, range.from, range.to];
  const rows = await queryShards(database, statement, values, { account: accountId });
  const actorOf = await actorsOf(database, rows);
  return rows.map((row) => ({ entry: ledgerEntries.parse(row), actor: actorOf(row) }));
}

/** Returns a function that names the actor of an entry's row, from the row or looked up in another group. */
export async function actorsOf(
  database: Queryable,
  rows: readonly Row[],
): Promise<(row: Row) => string | null> {
  const names = await bySharding(database, {
    together: () => null,
    apart: () =>
      findAccountNames(
        database,
        rows.flatMap((row) => nullable(Number, row['actor_id']) ?? []),
      ),
  });
  return (row) =>
    names === null ? nullable(String, row['actor']) : (names.get(Number(row['actor_id'])) ?? null);
}
