// Whether an account may be written of: it is real, or the test that its keys reach. A test that was reset since a request
// was let in, or since a job found it, is nobody's, and its row will be deleted. Called by the features before they write of
// an account outside the engine, which sees it for itself.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { isTestAccount } from '../../shared/identifiers.ts';

/** Of a row `a` of accounts. */
export const isInUse = (a: string) => `(${a}.test_state is null or ${a}.test_state = 'current')`;

const lockInUse: SqlStatement = {
  name: 'lock_account_in_use',
  text: `select a.id from accounts a where a.id = $1::int and ${isInUse('a')} for no key update`,
};

// Orders do not wait for it; whoever deletes the row does.
const holdInUse: SqlStatement = {
  name: 'hold_test_in_use',
  text: `select a.id from accounts a where a.id = $1::int and a.test_state = 'current' for key share`,
};

/** Locks the account until the end of the transaction, as orders do. false: its test was reset meanwhile, or there is none. */
export async function lockAccountInUse(transaction: Queryable, accountId: number): Promise<boolean> {
  return (await transaction.ofAccount(accountId).query(lockInUse, [accountId])).length > 0;
}

/**
 * For jobs, which write of accounts without a lock on them: until the end of the transaction the row of a test is not
 * deleted. false: it was reset, and may be gone. Of real accounts nothing is asked.
 */
export async function holdTestInUse(transaction: Queryable, accountId: number): Promise<boolean> {
  if (!isTestAccount(accountId)) return true;
  return (await transaction.ofAccount(accountId).query(holdInUse, [accountId])).length > 0;
}
