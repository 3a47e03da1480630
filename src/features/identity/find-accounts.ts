// Reads accounts. For changes: account-store.ts; for balances and counters: account-reads.ts; for sign-in: find-people.ts.

import { type BatchedLookup, createBatchedLookup } from '../../platform/database/batched-lookup.ts';
import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { bySharding, queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import type { Page } from '../../shared/pages.ts';
import { type Account, accounts } from './account-table.ts';
import { heldSecrets } from './api-key-rows.ts';

const findAccountsByKey: SqlStatement = {
  name: 'find_accounts_by_key',
  text: `select wanted.position, coalesce(r.is_admin, a.is_admin) as is_operators, ${heldSecrets.list('k', 'k_')},
      ${accounts.list('a')}
    from unnest($1::text[]) with ordinality wanted (lookup_hash, position)
    join api_keys k on k.lookup_hash = wanted.lookup_hash
    join accounts a on a.id = k.account_id left join accounts r on r.id = a.test_of`,
};

const findAccountIdsByKey: SqlStatement = {
  name: 'find_account_ids_by_key',
  text: `select wanted.position, k.account_id from unnest($1::text[]) with ordinality wanted (lookup_hash, position)
    join api_keys k on k.lookup_hash = wanted.lookup_hash`,
};
const findKeysApart: SqlStatement = {
  name: 'find_accounts_by_key_apart',
  text: `select wanted.position, k.account_id, ${heldSecrets.list('k', 'k_')}
    from unnest($1::text[]) with ordinality wanted (lookup_hash, position)
    join api_keys k on k.lookup_hash = wanted.lookup_hash`,
};
const findAccountsApart: SqlStatement = {
  name: 'find_accounts_apart',
  text: `select wanted.position, ${accounts.list('a')}
    from unnest($1::int[]) with ordinality wanted (id, position) join accounts a on a.id = wanted.id`,
};

const findAccountById: SqlStatement = {
  name: 'find_account',
  text: `select ${accounts.list('a')} from accounts a where a.id = $1::int`,
};

const findByUsername: SqlStatement = {
  name: 'find_account_by_username',
  text: `select ${accounts.list('a')} from accounts a where a.username = $1`,
};

// A search may count all its matches: there are thousands of accounts, not millions, and only administrators search.
const listAccountsPage: SqlStatement = {
  name: 'list_accounts',
  text: `select ${accounts.list('a')}, count(*) over () as total from accounts a
    where a.test_of is null and strpos(a.search_text, $1::text) > 0
      and ($2::text = '' or a.group_name = $2::text)
      and ($3::boolean is null or a.is_admin = $3::boolean)
    order by a.id desc limit $4::int offset $5::bigint`,
};

const countAccounts: SqlStatement = {
  name: 'count_accounts',
  text: `select count(*) as total from accounts a
    where a.test_of is null and strpos(a.search_text, $1::text) > 0
      and ($2::text = '' or a.group_name = $2::text)
      and ($3::boolean is null or a.is_admin = $3::boolean)`,
};

const findAdministrator: SqlStatement = {
  name: 'find_administrator',
  text: 'select id from accounts where is_admin order by id limit 1',
};

/** Finds a key by its hash: columns of the account and ("k_") the key, and whether an administrator owns it. */
export function createKeyLookup(database: Queryable): BatchedLookup<string> {
  const byHash = (statement: SqlStatement) =>
    createBatchedLookup<string>(database, statement, (hashes) => [textArray(hashes)]);
  return bySharding(database, {
    together: () => byHash(findAccountsByKey),
    apart: () => keyLookupApart(database, byHash(findAccountIdsByKey), byHash(findKeysApart)),
  });
}

function keyLookupApart(
  database: Queryable,
  ids: BatchedLookup<string>,
  keys: BatchedLookup<string>,
): BatchedLookup<string> {
  const rows = createBatchedLookup<number>(
    database,
    findAccountsApart,
    (some) => [numberArray(some)],
    (id) => id,
  );
  // Read the account before the key: in the other order, a key that was just revoked could come with the new access_version,
  // which orders check.
  async function findOnce(hash: string): Promise<Row | null> {
    const owner = await ids.find(hash);
    const account = owner === null ? null : await rows.find(Number(owner['account_id']));
    if (account === null) return null;
    const testOf = nullable(Number, account['test_of']);
    const real = testOf === null ? null : await rows.find(testOf);
    const key = await keys.find(hash);
    if (key === null || Number(key['account_id']) !== Number(account['id'])) return null;
    return { ...key, ...account, is_operators: (real ?? account)['is_admin'] };
  }
  return {
    async find(hash) {
      const found = await findOnce(hash);
      // A test was reset meanwhile, so its keys now belong to the next test account.
      const isMoved = found === null || found['test_state'] === 'discarded';
      return isMoved ? findOnce(hash) : found;
    },
  };
}

export async function findAccount(database: Queryable, id: number): Promise<Account | null> {
  const [row] = await database.ofAccount(id).query(findAccountById, [id]);
  return row === undefined ? null : accounts.parse(row);
}

export async function findAccountByUsername(database: Queryable, username: string): Promise<Account | null> {
  const [row] = await database.query(findByUsername, [username]);
  return row === undefined ? null : accounts.parse(row);
}

export async function findAdministratorId(database: Queryable): Promise<number | null> {
  const [row] = await database.query(findAdministrator);
  return row === undefined ? null : Number(row['id']);
}

const maxInt = 2_147_483_647;

/** Newest first. `search` is part of a username or display name. `isAdmin` null lists both kinds. */
export async function listAccounts(
  database: Queryable,
  { search, group, isAdmin, page, limit }: Page & { search: string; group: string; isAdmin: boolean | null },
): Promise<{ total: number; accounts: Account[] }> {
  // Names contain no control characters, but search_text uses one as a separator.
  if (/\p{Cc}/u.test(search)) return { total: 0, accounts: [] };
  const offset = Math.min(Number.MAX_SAFE_INTEGER, (page - 1) * limit);
  const wanted = [search.toLowerCase(), group, isAdmin];
  const { rows, counted } = await bySharding(database, {
    together: async () => {
      const found = await database.query(listAccountsPage, [...wanted, limit, offset]);
      return {
        rows: found,
        counted: found.length > 0 ? found.slice(0, 1) : await database.query(countAccounts, wanted),
      };
    },
    apart: async () => {
      // Reads all rows up to this page's end from each shard, because there are only thousands of accounts.
      const first = { columns: ['id'], descending: true, limit: Math.min(maxInt, offset + limit) };
      const found = await queryShards(database, listAccountsPage, [...wanted, first.limit, 0], { first });
      return {
        rows: found.slice(offset),
        counted: await queryShards(database, countAccounts, wanted, 'every'),
      };
    },
  });
  const total = counted.reduce((sum, row) => sum + Number(row['total']), 0);
  return { total, accounts: rows.map((row) => accounts.parse(row)) };
}
