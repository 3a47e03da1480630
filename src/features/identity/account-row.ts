// An account's row where another change has to do with it: locked until the end of that change, and those of its columns that
// changes of its people and keys write. Called by every feature that changes something of an account under its lock;
// its settings are changed by account-store.ts.

import { accountChanged, changesChannel, notifyChange } from '../../platform/database/change-notices.ts';
import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { type Account, accounts } from './account-table.ts';

const lockAccount: SqlStatement = {
  name: 'lock_account',
  text: `select ${accounts.list('a')} from accounts a where a.id = $1::int for no key update`,
};

const moveAccessVersion: SqlStatement = {
  name: 'move_access_version',
  text: 'update accounts set access_version = access_version + 1 where id = $1::int',
};

const setEmail: SqlStatement = {
  name: 'set_account_email',
  text: 'update accounts set email = $2 where id = $1::int',
};

const setKeepsBodies: SqlStatement = {
  name: 'set_keeps_request_bodies',
  text: 'update accounts set keeps_request_bodies = $2::boolean where id = $1::int',
};

/** Until the end of the transaction: whoever changes an account's settings, keys or people waits. null: there is none. */
export async function lockAccountRow(transaction: Queryable, id: number): Promise<Account | null> {
  const [locked] = await transaction.ofAccount(id).query(lockAccount, [id]);
  return locked === undefined ? null : accounts.parse(locked);
}

/** Its rights have moved: requests that are under way are authenticated again, in every process. */
export async function notifyAccessChanged(transaction: Queryable, id: number): Promise<void> {
  await transaction.ofAccount(id).query(moveAccessVersion, [id]);
  await transaction.query(notifyChange, [changesChannel, accountChanged(id)]);
}

/** Where its own login is written to; in a transaction that has locked it. */
export async function writeEmail(transaction: Queryable, id: number, email: string | null): Promise<void> {
  await transaction.ofAccount(id).query(setEmail, [id, email]);
}

/** What is sent and answered is kept, or not; in a transaction that has locked it. */
export async function writeKeepsBodies(transaction: Queryable, id: number, keeps: boolean): Promise<void> {
  await transaction.ofAccount(id).query(setKeepsBodies, [id, keeps]);
}
