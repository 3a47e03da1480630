// The twin of an account: the row that its test keys reach. Which one it is, and what it has in common with the real
// account: group, names, limits and access, copied in the transaction that changes them there.
// Always true: of the twins of an account one at most is current (accounts_test_current).

import type { Queryable, Statement } from '../database/database.ts';
import { type Account, accounts } from './account-table.ts';

const findCurrentTwin: Statement = {
  name: 'find_current_twin',
  text: `select ${accounts.list('a')} from accounts a where a.test_of = $1::int and a.test_state = 'current'`,
};

/** Only whether it is the same counts: behind two thousand million it begins anew. */
const nextAccessVersion = 't.access_version % 2000000000 + 1';

const copySettings: Statement = {
  name: 'copy_settings_to_twin',
  text: `update accounts t set display_name = a.display_name, search_text = a.search_text, group_name = a.group_name,
      blocked = a.blocked, api_enabled = a.api_enabled, rate_limit_per_minute = a.rate_limit_per_minute,
      allowed_ips = a.allowed_ips, access_version = ${nextAccessVersion}
    from accounts a where a.id = $1::int and t.test_of = a.id and t.test_state = 'current'
    returning t.id`,
};

/** null: nobody has looked at the account's test mode yet. */
export async function findTwin(database: Queryable, accountId: number): Promise<Account | null> {
  const [row] = await database.query(findCurrentTwin, [accountId]);
  return row === undefined ? null : accounts.parse(row);
}

/** In the transaction that changed the account, under its lock. The twin's id; null: it has none. */
export async function copySettingsToTwin(transaction: Queryable, accountId: number): Promise<number | null> {
  const [row] = await transaction.query(copySettings, [accountId]);
  return row === undefined ? null : Number(row['id']);
}
