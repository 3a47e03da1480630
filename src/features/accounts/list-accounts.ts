// The console's filtered account list, with cursors. A page with few matches may scan the whole index, and the orders without
// an index read every account: there are thousands of accounts, not millions, and only the operator reads.

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

/** From `balance` on, orders have no index, because every order would have to update it. */
export const accountOrders = ['newest', 'name', 'balance', 'customers', 'last_order', 'mrr'] as const;

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
  /** Days of the plans that count as active, for the order by MRR. */
  readonly days: { readonly today: string; readonly month: string };
}

export interface FoundAccount {
  readonly account: Account;
  readonly isHalted: boolean;
  readonly lastOrderAt: EpochSeconds | null;
}

const lastOrderAt = `select extract(epoch from o.created_at)::bigint from orders o
      where o.account_id = a.id and o.number = a.order_count`;

/** `from`: the number of its first parameter, of five. */
const fits = (from: number) => `a.test_of is null
      and ($${from}::text = '' or strpos(a.search_text, $${from}::text) > 0 or a.id = any($${from + 4}::int[]))
      and ($${from + 1}::text = '' or a.group_name = $${from + 1}::text)
      and case $${from + 2}::text when 'blocked' then a.blocked and a.closed_at is null
        when 'api_off' then not a.api_enabled and a.closed_at is null
        when 'halted' then a.halted_at is not null when 'closed' then a.closed_at is not null
        when 'active' then not a.blocked and a.api_enabled and a.halted_at is null else true end
      and ($${from + 3}::bigint is null or a.balance_cents < $${from + 3}::bigint)`;

const statement = (name: string, behind: string, order: string): SqlStatement => ({
  name,
  text: `select ${accounts.list('a')}, a.halted_at is not null as is_halted, (${lastOrderAt}) as last_order_at
    from accounts a where ${fits(3)} and ${behind} order by ${order} limit $2::int`,
});

/** The highest value first, computed for every account. `offset 0` computes it once. */
const highestFirst = (name: string, value: string): SqlStatement => ({
  name,
  text: `select ${accounts.list('a')}, a.halted_at is not null as is_halted, (${lastOrderAt}) as last_order_at, v.place
    from accounts a cross join lateral (select coalesce((${value}), 0) as place offset 0) v
    where ${fits(3)} and (v.place, a.id) < ($1::bigint, $8::int) order by v.place desc, a.id desc limit $2::int`,
});

const searchNewest = statement('search_accounts_by_age', 'a.id < $1::int', 'a.id desc');
const name = 'a.username collate "C"';
const searchByName = statement('search_accounts_by_name', `${name} > $1::text`, name);
const searchByBalance = statement(
  'search_accounts_by_balance',
  '(a.balance_cents, a.id) > ($1::bigint, $8::int)',
  'a.balance_cents, a.id',
);

const countFitting: SqlStatement = {
  name: 'count_searched_accounts',
  text: `select count(*) as count from accounts a where ${fits(1)}`,
};

const searchByCustomers = highestFirst('search_accounts_by_customers', 'select a.customer_count::bigint');
const searchByLastOrder = highestFirst('search_accounts_by_last_order', lastOrderAt);
const searchByMrr = highestFirst(
  'search_accounts_by_mrr',
  `select sum(cents)::bigint from (
        select lost_cents as cents from plan_sums where account_id = a.id and step = 'month' and since >= $10::date
        union all
        select -lost_cents from plan_sums
        where account_id = a.id and step = 'day' and since >= $10::date and since < $9::date) ends`,
);

interface Listing {
  readonly statement: SqlStatement;
  readonly columns: readonly string[];
  readonly descending?: boolean;
  /** The values of the cursor: $1, and $8 if there are two. */
  placeOf(behind: string): readonly (string | number)[];
  positionOf(row: Row): string;
}

const listings: Readonly<Record<AccountFilter['order'], Listing>> = {
  newest: {
    statement: searchNewest,
    columns: ['id'],
    descending: true,
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
  customers: highest(searchByCustomers),
  last_order: highest(searchByLastOrder),
  mrr: highest(searchByMrr),
};

function highest(ofValue: SqlStatement): Listing {
  return {
    statement: ofValue,
    columns: ['place', 'id'],
    descending: true,
    placeOf: (behind) => (behind === '' ? [String(2n ** 63n - 1n), 0] : behind.split('.')),
    positionOf: (row) => `${row['place']}.${row['id']}`,
  };
}

export async function searchAccounts(
  database: Queryable,
  filter: AccountFilter,
): Promise<{ found: FoundAccount[]; next: string | null }> {
  const { order, behind, limit, days } = filter;
  const terms = await termsOf(database, filter);
  if (terms === null) return { found: [], next: null };
  const listing = listings[order];
  const [place, ...more] = listing.placeOf(behind);
  const ofPlans = order === 'mrr' ? [days.today, days.month] : [];
  const values = [place, limit + 1, ...terms, ...more, ...ofPlans];
  const first = { columns: listing.columns, descending: listing.descending === true, limit: limit + 1 };
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

export async function countSearchedAccounts(database: Queryable, filter: AccountFilter): Promise<number> {
  const terms = await termsOf(database, filter);
  if (terms === null) return 0;
  const rows = await queryShards(database, countFitting, terms, 'every');
  return rows.reduce((sum, row) => sum + Number(row['count']), 0);
}

/** The parameters of `fits`. null: nothing can match. */
async function termsOf(
  database: Queryable,
  { search, group, state, balanceBelowCents }: AccountFilter,
): Promise<readonly unknown[] | null> {
  // Names contain no control characters, but search_text uses one as a separator.
  if (/\p{Cc}/u.test(search)) return null;
  const holders = numberArray(await findHolderAccounts(database, search));
  return [search.toLowerCase(), group ?? '', state ?? '', balanceBelowCents?.toString() ?? null, holders];
}
