// Pages of an account's ledger, and a ledger entry as the API shows it.

import type { LedgerEntryView } from '../contract/admin-schemas.ts';
import { formatAmount } from '../contract/amounts.ts';
import { publicId } from '../contract/identifiers.ts';
import { type Page, pageRange } from '../contract/pages.ts';
import { formatTime } from '../contract/times.ts';
import type { Queryable, Statement } from '../database/database.ts';
import { nullable } from '../database/row-values.ts';
import { type LedgerEntry, ledgerEntries } from './ledger-entry.ts';

const listEntries: Statement = {
  name: 'list_ledger_entries',
  text: `select ${ledgerEntries.list('e')}, a.username as actor
    from ledger_entries e left join accounts a on a.id = e.actor_id
    where e.account_id = $1::int and e.number between $2::int and $3::int order by e.number desc`,
};

/** Newest first; `total` is the account's entry count. */
export async function listLedger(
  database: Queryable,
  accountId: number,
  page: Page,
  total: number,
  currency: string,
): Promise<LedgerEntryView[]> {
  const range = pageRange(page, total);
  if (range === null) return [];
  const rows = await database.query(listEntries, [accountId, range.from, range.to]);
  return rows.map((row) =>
    ledgerEntryView(ledgerEntries.parse(row), nullable(String, row['actor']), currency),
  );
}

/** `actor`: the username of the administrator who made it; null for what orders did. */
export function ledgerEntryView(entry: LedgerEntry, actor: string | null, currency: string): LedgerEntryView {
  const { accountId, number, orderNumber } = entry;
  return {
    id: publicId(accountId, number),
    number,
    kind: entry.kind,
    amount: formatAmount(entry.amountCents),
    balance_after: formatAmount(entry.balanceAfterCents),
    currency,
    order_id: orderNumber === null ? null : publicId(accountId, orderNumber),
    actor,
    memo: entry.memo,
    created_at: formatTime(entry.createdAt),
  };
}
