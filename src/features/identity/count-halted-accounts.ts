// Counts the accounts that a verification halted, for the console's health page.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';

// Reads all accounts: there are thousands of them, not millions.
const countHalted: SqlStatement = {
  name: 'count_halted_accounts',
  text: 'select count(*) as count from accounts where halted_at is not null and test_of is null',
};

export async function countHaltedAccounts(database: Database): Promise<number> {
  const rows = await queryShards(database, countHalted, [], 'every');
  return rows.reduce((all, row) => all + Number(row['count']), 0);
}
