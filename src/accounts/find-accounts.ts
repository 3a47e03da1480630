// Reading accounts: one, or a page of them. Called by whoever needs to know an account; changes are account-store.ts,
// balances and counters account-reads.ts, who signs in find-people.ts.

import type { Page } from '../contract/pages.ts';
import type { Queryable, Statement } from '../database/database.ts';
import { numberArray } from '../database/sql-arrays.ts';
import { type Account, accounts } from './account-table.ts';
import { heldSecrets } from './api-key-store.ts';

export const findAccountsByKey: Statement = {
  name: 'find_accounts_by_key',
  text: `select wanted.position, coalesce(r.is_admin, a.is_admin) as is_operators, ${heldSecrets.list('k', 'k_')},
      ${accounts.list('a')}
    from unnest($1::text[]) with ordinality wanted (lookup_hash, position)
    join api_keys k on k.lookup_hash = wanted.lookup_hash
    join accounts a on a.id = k.account_id left join accounts r on r.id = a.test_of`,
};

const findAccountById: Statement = {
  name: 'find_account',
  text: `select ${accounts.list('a')} from accounts a where a.id = $1::int`,
};

const findUsernames: Statement = {
  name: 'find_usernames',
  text: 'select id, username from accounts where id = any($1::int[])',
};

const findByUsername: Statement = {
  name: 'find_account_by_username',
  text: `select ${accounts.list('a')} from accounts a where a.username = $1`,
};

// A search counts what it finds: accounts are thousands, not millions, and only administrators look.
const listAccountsPage: Statement = {
  name: 'list_accounts',
  text: `select ${accounts.list('a')}, count(*) over () as total from accounts a
    where a.test_of is null and strpos(a.search_text, $1::text) > 0
      and ($2::text = '' or a.group_name = $2::text)
      and ($3::boolean is null or a.is_admin = $3::boolean)
    order by a.id desc limit $4::int offset $5::bigint`,
};

const countAccounts: Statement = {
  name: 'count_accounts',
  text: `select count(*) as total from accounts a
    where a.test_of is null and strpos(a.search_text, $1::text) > 0
      and ($2::text = '' or a.group_name = $2::text)
      and ($3::boolean is null or a.is_admin = $3::boolean)`,
};

const findAdministrator: Statement = {
  name: 'find_administrator',
  text: 'select id from accounts where is_admin order by id limit 1',
};

export async function findAccount(database: Queryable, id: number): Promise<Account | null> {
  const [row] = await database.ofAccount(id).query(findAccountById, [id]);
  return row === undefined ? null : accounts.parse(row);
}

export async function findAccountByUsername(database: Queryable, username: string): Promise<Account | null> {
  const [row] = await database.query(findByUsername, [username]);
  return row === undefined ? null : accounts.parse(row);
}

/** Ids to usernames. */
export async function findAccountNames(
  database: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database.query(findUsernames, [numberArray([...new Set(ids)])]);
  return new Map(rows.map((row) => [Number(row['id']), String(row['username'])]));
}

/** The id of the oldest administrator; null while there is none. */
export async function findAdministratorId(database: Queryable): Promise<number | null> {
  const [row] = await database.query(findAdministrator);
  return row === undefined ? null : Number(row['id']);
}

/** Newest first; `search` is part of a username or display name; `isAdmin` null: whether administrator or not. */
export async function listAccounts(
  database: Queryable,
  { search, group, isAdmin, page, limit }: Page & { search: string; group: string; isAdmin: boolean | null },
): Promise<{ total: number; accounts: Account[] }> {
  // No name holds a control character, only the seam of search_text is one.
  if (/\p{Cc}/u.test(search)) return { total: 0, accounts: [] };
  const offset = Math.min(Number.MAX_SAFE_INTEGER, (page - 1) * limit);
  const wanted = [search.toLowerCase(), group, isAdmin];
  const rows = await database.query(listAccountsPage, [...wanted, limit, offset]);
  const counted = rows[0] ?? (await database.query(countAccounts, wanted))[0];
  return { total: Number(counted?.['total'] ?? 0), accounts: rows.map((row) => accounts.parse(row)) };
}
