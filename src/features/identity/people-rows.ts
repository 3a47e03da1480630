// Writes people's rows for new accounts, passwords and sign-ins. Only manage-people.ts also writes people.
// Invariant: a session is valid only while password_version is unchanged. It rises with every new password, block or
// unblock, removal, and end of sessions by an administrator.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { writeRows } from '../../platform/database/table.ts';
import type { Clock } from '../../shared/clocks.ts';
import type { Language } from '../../shared/languages.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { newLogins } from './people-table.ts';

export interface NewPassword {
  readonly hash: string;
  /** The password was generated or set by another person, so it must be replaced at sign-in. */
  readonly isInitial: boolean;
  /** By an administrator: makes a removed or demoted own login an owner, so that an account always has a way in. */
  readonly bringsBack?: boolean;
  /** Set for a link, which is valid only for this password_version. */
  readonly byLink?: { readonly passwordVersion: number; readonly purpose: string };
}

const insertLogin = newLogins.insert('insert_own_login');

const setPassword: SqlStatement = {
  name: 'set_password',
  text: `update people set password_hash = $2, must_change_password = $3::boolean,
      password_version = password_version + $4::int,
      role = case when $6::boolean then 'owner' else role end, removed_at = null
    where id = $1::int and ($5::int is null or password_version = $5::int)
      and (removed_at is null or $6::boolean) returning 1`,
};

const moveVersions: SqlStatement = {
  name: 'move_password_versions',
  text: `update people set password_version = password_version + 1
    where account_id = $1::int and removed_at is null`,
};

const replaceHash: SqlStatement = {
  name: 'replace_password_hash',
  text: 'update people set password_hash = $3 where id = $1::int and password_hash = $2',
};

const deleteLinks: SqlStatement = {
  name: 'end_password_links',
  text: 'delete from password_links where person_id = $1::int',
};

const deleteLinksOfAll: SqlStatement = {
  name: 'end_password_links_of_account',
  text: `delete from password_links l using people p where p.id = l.person_id and p.account_id = $1::int`,
};

const noteSignInAt: SqlStatement = {
  name: 'note_sign_in',
  text: 'update people set last_sign_in_at = to_timestamp($2::bigint) where id = $1::int',
};

const setLanguage: SqlStatement = {
  name: 'set_language',
  text: 'update people set language = $2 where id = $1::int and removed_at is null',
};

const setClock: SqlStatement = {
  name: 'set_clock',
  text: 'update people set clock = $2 where id = $1::int and removed_at is null',
};

/** An own login is an owner. Call in the transaction that creates the account. */
export async function insertOwnLogin(
  transaction: Queryable,
  account: { readonly id: number; readonly username: string },
  passwordHash: string | null,
  now: EpochSeconds,
): Promise<void> {
  const { id, username } = account;
  const mustChangePassword = passwordHash !== null;
  const login = { id, accountId: id, username, role: 'owner', passwordHash, mustChangePassword } as const;
  await writeRows(transaction, insertLogin, [{ ...login, createdAt: now }]);
}

/** Requires the account's lock. Returns false for an unknown person or a link that is no longer valid. */
export async function writePassword(
  transaction: Queryable,
  personId: number,
  { hash, isInitial, bringsBack = false, byLink }: NewPassword,
  { endsSessions }: { readonly endsSessions: boolean } = { endsSessions: true },
): Promise<boolean> {
  const version = byLink?.passwordVersion ?? null;
  const values = [personId, hash, isInitial, endsSessions ? 1 : 0, version, bringsBack];
  return (await transaction.query(setPassword, values)).length > 0;
}

/** Call in the transaction that changes the address, so that links mailed to the old address stop working. */
export async function endPasswordLinks(transaction: Queryable, personId: number): Promise<void> {
  await transaction.query(deleteLinks, [personId]);
}

/** Invitations and resets of all people of the account. */
export async function endLinksOfAll(transaction: Queryable, accountId: number): Promise<void> {
  await transaction.query(deleteLinksOfAll, [accountId]);
}

/** Ends all sessions and pending sign-ins of the account's people. Passwords stay. */
export async function endSessionsOfAll(transaction: Queryable, accountId: number): Promise<void> {
  await transaction.query(moveVersions, [accountId]);
}

/** Stores a new hash of the same password. Does nothing if the password was changed meanwhile. */
export async function replacePasswordHash(
  database: Queryable,
  personId: number,
  hashes: { readonly stored: string; readonly rehashed: string },
): Promise<void> {
  await database.query(replaceHash, [personId, hashes.stored, hashes.rehashed]);
}

export async function noteSignIn(transaction: Queryable, personId: number, now: EpochSeconds): Promise<void> {
  await transaction.query(noteSignInAt, [personId, now]);
}

export async function writeLanguage(
  database: Queryable,
  personId: number,
  language: Language | null,
): Promise<void> {
  await database.query(setLanguage, [personId, language]);
}

export async function writeClock(database: Queryable, personId: number, clock: Clock): Promise<void> {
  await database.query(setClock, [personId, clock]);
}
