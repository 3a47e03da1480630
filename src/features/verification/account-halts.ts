// Stops the writes of an account whose books do not add up, and lets them go on when they do. Halts are
// numbered in the order in which they were made, over all processes: an audit remembers the newest at its
// start, and lifts none that is newer. So an audit that read an account while it was sound cannot lift what
// another has found since, however slow it is, and no clock is asked. Called by verify-ledger.ts; the only
// writer of accounts.halted_at.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { isInUse } from '../identity/account-in-use.ts';

const readHaltCount: SqlStatement = {
  name: 'read_halt_count',
  text: 'select halt_count from service_state',
};

const lockAccount: SqlStatement = {
  name: 'lock_account_to_halt',
  // A test that was reset meanwhile is being deleted.
  text: `select a.id from accounts a where a.id = $1::int and ${isInUse('a')} for no key update`,
};

const countHalt: SqlStatement = {
  name: 'count_halt',
  text: 'update service_state set halt_count = halt_count + 1 returning halt_count',
};

// An account that is halted already is halted anew: whoever found it sound before this moment may not let it go.
const haltAccount: SqlStatement = {
  name: 'halt_account',
  text: `update accounts set halted_at = coalesce(halted_at, to_timestamp($2::bigint)), halt_number = $3::int
    where id = $1::int`,
};

const liftHalt: SqlStatement = {
  name: 'lift_halt',
  text: `update accounts set halted_at = null, halt_number = null
    where id = $1::int and halted_at is not null and coalesce(halt_number, 0) <= $2::int`,
};

/** The number of the newest halt: what an audit that begins now may lift. */
export async function newestHalt(database: Database): Promise<number> {
  const [row] = await database.query(readHaltCount);
  return Number(row?.['halt_count'] ?? 0);
}

export function halt(database: Database, accountId: number, now: EpochSeconds): Promise<void> {
  return database.ofAccount(accountId).transaction(async (transaction) => {
    // The account first, as administrators' changes lock: theirs write the audit log, and with it service_state, last.
    const [locked] = await transaction.query(lockAccount, [accountId]);
    if (locked === undefined) return;
    const [counted] = await transaction.query(countHalt);
    await transaction.query(haltAccount, [accountId, now, Number(counted?.['halt_count'])]);
  });
}

/** `newest`: of newestHalt, when the audit began that found the account sound. */
export async function liftHaltUpTo(database: Database, accountId: number, newest: number): Promise<void> {
  await database.ofAccount(accountId).query(liftHalt, [accountId, newest]);
}
