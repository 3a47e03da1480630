// Whether an account may be written to: a real one, or the test account that its keys currently reach. A test that was
// reset since a request or job found it will be deleted. Called by features before writes outside the engine, which checks
// itself.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { isTestAccount } from '../../shared/identifiers.ts';

export const isInUse = (a: string) => `(${a}.test_state is null or ${a}.test_state = 'current')`;

const lockInUse: SqlStatement = {
  name: 'lock_account_in_use',
  text: `select a.id from accounts a where a.id = $1::int and ${isInUse('a')} for no key update`,
};

// Does not block orders, but blocks deletion of the row.
const holdInUse: SqlStatement = {
  name: 'hold_test_in_use',
  text: `select a.id from accounts a where a.id = $1::int and a.test_state = 'current' for key share`,
};

/** Locks the account like orders do, until the transaction ends. false: the test was reset, or the account is missing. */
export async function lockAccountInUse(transaction: Queryable, accountId: number): Promise<boolean> {
  return (await transaction.ofAccount(accountId).query(lockInUse, [accountId])).length > 0;
}

/** For jobs without the account's lock: prevents deletion of a test's row. false: it was reset. Ignores real accounts. */
export async function holdTestInUse(transaction: Queryable, accountId: number): Promise<boolean> {
  if (!isTestAccount(accountId)) return true;
  return (await transaction.ofAccount(accountId).query(holdInUse, [accountId])).length > 0;
}
