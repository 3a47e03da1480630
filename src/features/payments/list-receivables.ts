// The accounts that owe money, for administrators.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { bigint } from '../../platform/database/row-values.ts';
import { bySharding, queryShards } from '../../platform/database/shards/query-shards.ts';
import type { Page } from '../../shared/pages.ts';
import { databaseIntegerMax } from '../../shared/schema-parts.ts';
import type { EpochSeconds } from '../../shared/times.ts';

export interface Receivable {
  readonly accountId: number;
  readonly username: string;
  readonly displayName: string;
  readonly receivableCents: bigint;
  readonly balanceCents: bigint;
  /** When the oldest reversal came that is still owed for. */
  readonly since: EpochSeconds;
}

// Few accounts owe, and there are thousands of accounts, not millions, so the sum may be sorted without an index.
const listOwing: SqlStatement = {
  name: 'list_receivables',
  text: `select a.id, a.username, a.display_name, a.receivable_cents, a.balance_cents,
      coalesce((select extract(epoch from min(r.created_at))::bigint from reversals r
        where r.account_id = a.id and r.open_cents > 0), 0) as since
    from accounts a where a.test_of is null and a.receivable_cents > 0
    order by a.receivable_cents desc, a.id desc limit $1::int offset $2::bigint`,
};

const countOwing: SqlStatement = {
  name: 'count_receivables',
  text: `select count(*) as total from accounts a where a.test_of is null and a.receivable_cents > 0`,
};

export async function listReceivables(
  database: Queryable,
  { page, limit }: Page,
): Promise<{ readonly total: number; readonly receivables: readonly Receivable[] }> {
  const offset = Math.min(Number.MAX_SAFE_INTEGER, (page - 1) * limit);
  const rows = await bySharding(database, {
    together: () => database.query(listOwing, [limit, offset]),
    apart: async () => {
      const first = {
        columns: ['receivable_cents', 'id'],
        descending: true,
        limit: Math.min(databaseIntegerMax, offset + limit),
      };
      const found = await queryShards(database, listOwing, [first.limit, 0], { first });
      return found.slice(offset);
    },
  });
  const counted = await queryShards(database, countOwing, [], 'every');
  return {
    total: counted.reduce((sum, row) => sum + Number(row['total']), 0),
    receivables: rows.map(parse),
  };
}

function parse(row: Row): Receivable {
  return {
    accountId: Number(row['id']),
    username: String(row['username']),
    displayName: String(row['display_name']),
    receivableCents: bigint(row['receivable_cents']),
    balanceCents: bigint(row['balance_cents']),
    since: Number(row['since']),
  };
}
