// The rows of people as other changes need them written: with a new account, with a password, at a sign-in. The only
// writer of people beside manage-people.ts, which is what owners and administrators do with them.
// A session lives as long as its person's password_version is the one it began under: it moves with a new password,
// whenever the account is blocked or unblocked, when an administrator ends its sessions, and when the person is removed.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { writeRows } from '../../platform/database/table.ts';
import type { Clock } from '../../shared/clocks.ts';
import type { Language } from '../../shared/languages.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { newLogins } from './people-table.ts';

/** A password as it is stored. */
export interface NewPassword {
  readonly hash: string;
  /** Minted, or set by somebody else than its holder: good for choosing another one. */
  readonly isInitial: boolean;
  /** By an administrator: whoever had been removed or demoted is an owner again, for there is always a way into an account. */
  readonly bringsBack?: boolean;
  /** By a link that was made while the person had this password_version: it is of no use in any other. */
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

/** The account's own login, an owner, in the transaction that makes the account. */
export async function insertOwnLogin(
  transaction: Queryable,
  account: { readonly id: number; readonly username: string },
  passwordHash: string | null,
  now: EpochSeconds,
): Promise<void> {
  const { id, username } = account;
  // Nobody makes an account for himself.
  const mustChangePassword = passwordHash !== null;
  const login = { id, accountId: id, username, role: 'owner', passwordHash, mustChangePassword } as const;
  await writeRows(transaction, insertLogin, [{ ...login, createdAt: now }]);
}

/**
 * In a transaction that has locked their account. `endsSessions`: unless they are ended in it anyway. false: there is no
 * such person, or the link was dead already.
 */
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

/** In the transaction that changes where they are written to: whoever reads the mail of before opens none. */
export async function endPasswordLinks(transaction: Queryable, personId: number): Promise<void> {
  await transaction.query(deleteLinks, [personId]);
}

/** Ends the sessions of everybody of the account, and those of sign-ins that are under way; passwords stay. */
export async function endSessionsOfAll(transaction: Queryable, accountId: number): Promise<void> {
  await transaction.query(moveVersions, [accountId]);
}

/** The same password, hashed anew. A password that was changed meanwhile stays. */
export async function replacePasswordHash(
  database: Queryable,
  personId: number,
  hashes: { readonly stored: string; readonly anew: string },
): Promise<void> {
  await database.query(replaceHash, [personId, hashes.stored, hashes.anew]);
}

/** In the transaction that begins the session. */
export async function noteSignIn(transaction: Queryable, personId: number, now: EpochSeconds): Promise<void> {
  await transaction.query(noteSignInAt, [personId, now]);
}

/** By themselves; null: their browser's again. */
export async function writeLanguage(
  database: Queryable,
  personId: number,
  language: Language | null,
): Promise<void> {
  await database.query(setLanguage, [personId, language]);
}

/** By themselves. */
export async function writeClock(database: Queryable, personId: number, clock: Clock): Promise<void> {
  await database.query(setClock, [personId, clock]);
}
