// Locks an account's row for changes of its settings, keys or people, and writes the columns that such changes touch.

import { accountChanged, changesChannel, notifyChange } from '../../platform/database/change-notices.ts';
import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
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

// A closed account is blocked as well: sign-in, renewals, mails and payments keep away from blocked accounts already.
const closeAccountRow: SqlStatement = {
  name: 'close_account_row',
  text: `update accounts set closed_at = to_timestamp($2::bigint), closing = $3::jsonb, blocked = true, api_enabled = false,
      keeps_request_bodies = false, access_version = access_version + 1
    where id = $1::int`,
};

const setClosing: SqlStatement = {
  name: 'set_closing',
  text: 'update accounts set closing = $2::jsonb where id = $1::int',
};

const markErased: SqlStatement = {
  name: 'mark_customers_of_closed_account_erased',
  text: `update accounts set closing = closing || '{"customers_erased": true}'::jsonb where id = $1::int`,
};

/** Returns null if the account is unknown. */
export async function lockAccountRow(transaction: Queryable, id: number): Promise<Account | null> {
  const [locked] = await transaction.ofAccount(id).query(lockAccount, [id]);
  return locked === undefined ? null : accounts.parse(locked);
}

/** Call after rights changed. Every process then authenticates current requests again. */
export async function notifyAccessChanged(transaction: Queryable, id: number): Promise<void> {
  await transaction.ofAccount(id).query(moveAccessVersion, [id]);
  await transaction.query(notifyChange, [changesChannel, accountChanged(id)]);
}

/** The own login's address. Requires the account's lock. */
export async function writeEmail(transaction: Queryable, id: number, email: string | null): Promise<void> {
  await transaction.ofAccount(id).query(setEmail, [id, email]);
}

/** Requires the account's lock. */
export async function writeKeepsBodies(transaction: Queryable, id: number, keeps: boolean): Promise<void> {
  await transaction.ofAccount(id).query(setKeepsBodies, [id, keeps]);
}

/** Requires the account's lock. */
export async function closeRow(
  transaction: Queryable,
  id: number,
  now: EpochSeconds,
  closing: JsonObject,
): Promise<void> {
  await transaction.ofAccount(id).query(closeAccountRow, [id, now, JSON.stringify(closing)]);
}

export async function writeClosing(database: Queryable, id: number, closing: JsonObject): Promise<void> {
  await database.ofAccount(id).query(setClosing, [id, JSON.stringify(closing)]);
}

export async function noteCustomersErased(database: Queryable, id: number): Promise<void> {
  await database.ofAccount(id).query(markErased, [id]);
}
