// Stops writes to an account whose books are wrong (a halt), and lifts halts. The only writer of accounts.halted_at. Halts
// are numbered across processes, and a verification lifts no halt newer than its start, so a slow run cannot lift one that
// another run made later.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { isInUse } from '../identity/account-in-use.ts';

const readHaltCount: SqlStatement = {
  name: 'read_halt_count',
  text: 'select halt_count from service_state',
};

const lockAccount: SqlStatement = {
  name: 'lock_account_to_halt',
  // A reset test is being deleted, so it is not halted.
  text: `select a.id from accounts a where a.id = $1::int and ${isInUse('a')} for no key update`,
};

const countHalt: SqlStatement = {
  name: 'count_halt',
  text: 'update service_state set halt_count = halt_count + 1 returning halt_count',
};

// Halting again gives a new number, so that earlier verifications cannot lift it.
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

/** The newest halt that a verification which starts now may lift. */
export async function newestHalt(database: Database): Promise<number> {
  const [row] = await database.query(readHaltCount);
  return Number(row?.['halt_count'] ?? 0);
}

export function halt(database: Database, accountId: number, now: EpochSeconds): Promise<void> {
  return database.ofAccount(accountId).transaction(async (transaction) => {
    // Lock the account first: administrators' changes also lock service_state (the audit log) last.
    const [locked] = await transaction.query(lockAccount, [accountId]);
    if (locked === undefined) return;
    const [counted] = await transaction.query(countHalt);
    await transaction.query(haltAccount, [accountId, now, Number(counted?.['halt_count'])]);
  });
}

export async function liftHaltUpTo(database: Database, accountId: number, newest: number): Promise<void> {
  await database.ofAccount(accountId).query(liftHalt, [accountId, newest]);
}
