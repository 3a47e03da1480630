// Whether an account may be written to: a real account, or the test account that its keys reach now. A test that was reset
// will be deleted. Features call this before writes outside the engine, which checks it itself.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { isTestAccount } from '../../shared/identifiers.ts';

export const isInUse = (a: string) => `(${a}.test_state is null or ${a}.test_state = 'current')`;

const lockInUse: SqlStatement = {
  name: 'lock_account_in_use',
  text: `select a.id from accounts a where a.id = $1::int and ${isInUse('a')} for no key update`,
};

// This lock does not block orders, but it prevents deletion of the row.
const holdInUse: SqlStatement = {
  name: 'hold_test_in_use',
  text: `select a.id from accounts a where a.id = $1::int and a.test_state = 'current' for key share`,
};

/** Locks the account like orders do, until COMMIT. Returns false if it is a reset test or missing. */
export async function lockAccountInUse(transaction: Queryable, accountId: number): Promise<boolean> {
  return (await transaction.ofAccount(accountId).query(lockInUse, [accountId])).length > 0;
}

/** For jobs without the account's lock: prevents deletion of a test's row. Returns false if it was reset. */
export async function holdTestInUse(transaction: Queryable, accountId: number): Promise<boolean> {
  if (!isTestAccount(accountId)) return true;
  return (await transaction.ofAccount(accountId).query(holdInUse, [accountId])).length > 0;
}
