// The console's filtered account list, with cursors. A page with few matches may scan the whole index: there are thousands
// of accounts, not millions, and only the operator reads.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { Group } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type Account, accounts } from '../identity/account-table.ts';
import { findHolderAccounts } from './find-holders.ts';

export const accountStates = ['active', 'blocked', 'api_off', 'halted', 'closed'] as const;
export type AccountState = (typeof accountStates)[number];

/** Balances have no index, because every order would have to update it. Sorting them reads all accounts. */
export const accountOrders = ['newest', 'name', 'balance'] as const;

export interface AccountFilter {
  /** Matches part of a username or display name, an e-mail address, or a key's last four characters. */
  readonly search: string;
  readonly group: Group | null;
  readonly state: AccountState | null;
  readonly balanceBelowCents: bigint | null;
  readonly order: (typeof accountOrders)[number];
  /** The cursor: the id or name of the last account read, or its balance and id. "" starts from the beginning. */
  readonly behind: string;
  readonly limit: number;
}

export interface FoundAccount {
  readonly account: Account;
  readonly isHalted: boolean;
  readonly lastOrderAt: EpochSeconds | null;
}

const statement = (name: string, behind: string, order: string): SqlStatement => ({
  name,
  text: `select ${accounts.list('a')}, a.halted_at is not null as is_halted, (
      select extract(epoch from o.created_at)::bigint from orders o
      where o.account_id = a.id and o.number = a.order_count) as last_order_at
    from accounts a
    where a.test_of is null and ${behind}
      and ($3::text = '' or strpos(a.search_text, $3::text) > 0 or a.id = any($7::int[]))
      and ($4::text = '' or a.group_name = $4::text)
      and case $5::text when 'blocked' then a.blocked and a.closed_at is null
        when 'api_off' then not a.api_enabled and a.closed_at is null
        when 'halted' then a.halted_at is not null when 'closed' then a.closed_at is not null
        when 'active' then not a.blocked and a.api_enabled and a.halted_at is null else true end
      and ($6::bigint is null or a.balance_cents < $6::bigint)
    order by ${order} limit $2::int`,
});

const searchNewest = statement('search_accounts_by_age', 'a.id < $1::int', 'a.id desc');
const name = 'a.username collate "C"';
const searchByName = statement('search_accounts_by_name', `${name} > $1::text`, name);
const searchByBalance = statement(
  'search_accounts_by_balance',
  '(a.balance_cents, a.id) > ($1::bigint, $8::int)',
  'a.balance_cents, a.id',
);

interface Listing {
  readonly statement: SqlStatement;
  readonly columns: readonly string[];
  /** The values of the cursor: $1, and $8 if there are two. */
  placeOf(behind: string): readonly (string | number)[];
  positionOf(row: Row): string;
}

const listings: Readonly<Record<AccountFilter['order'], Listing>> = {
  newest: {
    statement: searchNewest,
    columns: ['id'],
    placeOf: (behind) => [behind === '' ? realAccountIdMax + 1 : Number(behind)],
    positionOf: (row) => String(row['id']),
  },
  name: {
    statement: searchByName,
    columns: ['username'],
    placeOf: (behind) => [behind],
    positionOf: (row) => String(row['username']),
  },
  balance: {
    statement: searchByBalance,
    columns: ['balance_cents', 'id'],
    placeOf: (behind) => (behind === '' ? [-1, 0] : behind.split('.')),
    positionOf: (row) => `${row['balance_cents']}.${row['id']}`,
  },
};

export async function searchAccounts(
  database: Queryable,
  { search, group, state, balanceBelowCents, order, behind, limit }: AccountFilter,
): Promise<{ found: FoundAccount[]; next: string | null }> {
  // Names contain no control characters, but search_text uses one as a separator.
  if (/\p{Cc}/u.test(search)) return { found: [], next: null };
  const listing = listings[order];
  const [place, ...more] = listing.placeOf(behind);
  const values = [
    place,
    limit + 1,
    search.toLowerCase(),
    group ?? '',
    state ?? '',
    balanceBelowCents?.toString() ?? null,
    numberArray(await findHolderAccounts(database, search)),
    ...more,
  ];
  const first = { columns: listing.columns, descending: order === 'newest', limit: limit + 1 };
  const rows = await queryShards(database, listing.statement, values, { first });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    found: page.map((row) => ({
      account: accounts.parse(row),
      isHalted: row['is_halted'] === true,
      lastOrderAt: nullable(Number, row['last_order_at']),
    })),
    next: rows.length > limit && last !== undefined ? listing.positionOf(last) : null,
  };
}
