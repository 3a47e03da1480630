// Finds an account's current test account, and copies the real account's settings to it.
// Invariant: an account has at most one current test account (accounts_test_current).

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { bySharding, queryShards } from '../../platform/database/shards/query-shards.ts';
import { type Account, accounts } from './account-table.ts';

const findCurrentTestAccount: SqlStatement = {
  name: 'find_current_test_account',
  text: `select ${accounts.list('a')} from accounts a where a.test_of = $1::int and a.test_state = 'current'`,
};

/** Versions are only compared for equality, so wrapping after two billion is harmless. */
const nextAccessVersion = 't.access_version % 2000000000 + 1';

const findSettings: SqlStatement = {
  name: 'find_settings_for_test_account',
  text: `select t.id, a.display_name, a.search_text, a.group_name, a.blocked, a.api_enabled, a.rate_limit_per_minute,
      a.allowed_ips, a.keeps_request_bodies
    from accounts a join accounts t on t.test_of = a.id and t.test_state = 'current' where a.id = $1::int`,
};

const findOwnSettings: SqlStatement = {
  name: 'find_own_settings_for_test_account',
  text: `select a.display_name, a.search_text, a.group_name, a.blocked, a.api_enabled, a.rate_limit_per_minute,
      a.allowed_ips, a.keeps_request_bodies
    from accounts a where a.id = $1::int`,
};

const writeSettings: SqlStatement = {
  name: 'write_settings_of_test_account',
  text: `update accounts t set display_name = $2, search_text = $3, group_name = $4, blocked = $5::boolean,
      api_enabled = $6::boolean, rate_limit_per_minute = $7::int, allowed_ips = $8::text[],
      keeps_request_bodies = $9::boolean, access_version = ${nextAccessVersion}
    where t.id = $1::int`,
};

/** Returns null if test mode was never used. */
export async function findTestAccount(database: Queryable, accountId: number): Promise<Account | null> {
  const [row] = await queryShards(database, findCurrentTestAccount, [accountId], 'any');
  return row === undefined ? null : accounts.parse(row);
}

function settingsForTestAccount(transaction: Queryable, accountId: number): Promise<Row | undefined> {
  return bySharding(transaction, {
    together: async () => (await transaction.query(findSettings, [accountId]))[0],
    apart: async () => {
      const testAccount = await findTestAccount(transaction, accountId);
      if (testAccount === null) return undefined;
      const [row] = await transaction.ofAccount(accountId).query(findOwnSettings, [accountId]);
      return row === undefined ? undefined : { ...row, id: testAccount.id };
    },
  });
}

/** Call in the transaction that changes the account, under its lock. Returns the test account's id or null. */
export async function copySettingsToTestAccount(
  transaction: Queryable,
  accountId: number,
): Promise<number | null> {
  const row = await settingsForTestAccount(transaction, accountId);
  if (row === undefined) return null;
  const id = Number(row['id']);
  const settings = [
    'display_name',
    'search_text',
    'group_name',
    'blocked',
    'api_enabled',
    'rate_limit_per_minute',
  ];
  const values = settings.map((name) => row[name]);
  const access = [row['allowed_ips'], row['keeps_request_bodies']];
  await transaction.ofAccount(id).query(writeSettings, [id, ...values, ...access]);
  return id;
}
