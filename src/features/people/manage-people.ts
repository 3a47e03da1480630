// Owners and administrators invite, change and remove people. Each action is one transaction under the account's lock, with
// its audit entry.
// Invariant: an account keeps an owner who can sign in. If two owners remove each other at once, the later one is refused.
// Removal applies from the next request; running orders check their author again.

import type { Actor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { type Changed, type Done, runOnce } from '../../platform/database/idempotent-change.ts';
import { writeRows } from '../../platform/database/table.ts';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { Role, Scope } from '../../shared/scopes.ts';
import { changeAccount, isNameTaken } from '../accounts/account-store.ts';
import { lockAccountRow, notifyAccessChanged, writeEmail } from '../identity/account-row.ts';
import type { Account } from '../identity/account-table.ts';
import { listPeople } from '../identity/find-people.ts';
import { endPasswordLinks, type NewPassword, writePassword } from '../identity/people-rows.ts';
import {
  type Credentials,
  credentials,
  isOwnLogin,
  mailAddressOf,
  newPeople,
  type Person,
  personAction,
} from '../identity/people-table.ts';
import { recheckCaller } from '../identity/recheck-caller.ts';

export type PeopleActor = Actor & { readonly actorId: number };

export interface PeopleAsked extends PeopleActor {
  readonly idempotencyKey: string | null;
}

export interface NewPerson {
  readonly username: string;
  readonly email: string | null;
  readonly role: Role;
}

export interface PersonChange {
  readonly role?: Role;
  readonly email?: string | null;
}

/** Runs in the action's transaction. Its result becomes the action's. */
export type AlongAction<Result> = (
  transaction: Queryable,
  person: Credentials,
  account: Account,
) => Promise<Result>;

const insertPerson = newPeople.insert('insert_person', `returning ${credentials.list('people')}`);

const changeRow: SqlStatement = {
  name: 'change_person',
  text: `update people p set role = $2, email = $3 where id = $1::int returning ${credentials.list('p')}`,
};

const moveVersion: SqlStatement = {
  name: 'move_person_password_version',
  text: `update people p set password_version = password_version + 1 where id = $1::int returning ${credentials.list('p')}`,
};

const removeRow: SqlStatement = {
  name: 'remove_person',
  text: `update people set removed_at = to_timestamp($2::bigint), password_version = password_version + 1,
      password_hash = null where id = $1::int`,
};

const isNameOfAccount: SqlStatement = {
  name: 'is_name_of_account',
  text: 'select exists (select 1 from accounts where username = $1) as is_taken',
};

/** `along` is null in a replay, because the link is shown only once. */
export interface Invited<Invitation> {
  readonly person: Credentials;
  readonly account: Account;
  readonly along: Invitation | null;
}

/** Refusals: account_not_found, too_many_people, username_taken, or the author lost their rights. */
export async function invitePerson<Invitation>(
  database: Database,
  accountId: number,
  wanted: NewPerson,
  asked: PeopleAsked,
  { peopleMax, along }: { readonly peopleMax: number; readonly along: AlongAction<Invitation> },
): Promise<Done<Invited<Invitation>> | Refusal> {
  try {
    return await amongPeople<Invited<Invitation>>(
      database,
      accountId,
      asked,
      ['invite', wanted],
      async (transaction, account, present) => {
        if (present.length >= peopleMax) return refusal('too_many_people', { limit: peopleMax });
        const [named] = await transaction.query(isNameOfAccount, [wanted.username]);
        if (named?.['is_taken'] === true) return refusal('username_taken');
        const [row] = await writeRows(transaction, insertPerson, [
          { ...wanted, accountId, createdAt: asked.now },
        ]);
        const person = credentials.parse(row ?? {});
        const made = await along(transaction, person, account);
        await note(transaction, asked, 'person.invite', person, null, viewOf(person, account));
        return { id: person.id, result: { person, account, along: made } };
      },
      invitedBefore,
    );
  } catch (error) {
    if (isNameTaken(error)) return refusal('username_taken');
    throw error;
  }
}

/** A new invitation replaces earlier ones. Refusals: account_not_found, person_not_found, invitation_used. */
export function inviteAgain<Invitation>(
  database: Database,
  accountId: number,
  personId: number,
  asked: PeopleAsked,
  along: AlongAction<Invitation>,
): Promise<Done<Invited<Invitation>> | Refusal> {
  return amongPeople<Invited<Invitation>>(
    database,
    accountId,
    asked,
    ['invite again', personId],
    async (transaction, account, present) => {
      const person = present.find(({ id }) => id === personId);
      if (person === undefined) return refusal('person_not_found');
      if (person.passwordHash !== null) return refusal('invitation_used');
      const [row] = await transaction.query(moveVersion, [personId]);
      const moved = credentials.parse(row ?? {});
      const made = await along(transaction, moved, account);
      await note(transaction, asked, 'person.invite', moved, null, viewOf(moved, account));
      return { id: personId, result: { person: moved, account, along: made } };
    },
    invitedBefore,
  );
}

function invitedBefore(account: Account, present: readonly Credentials[], personId: number) {
  const person = present.find(({ id }) => id === personId);
  return person === undefined ? refusal('person_not_found') : { person, account, along: null };
}

/** A new address ends links mailed to the old one. Refusals: account_not_found, person_not_found, forbidden, last_owner. */
export function changePerson(
  database: Database,
  accountId: number,
  personId: number,
  change: PersonChange,
  asked: PeopleAsked,
): Promise<Done<{ person: Credentials; account: Account }> | Refusal> {
  const { role, email } = change;
  return amongPeople<{ person: Credentials; account: Account }>(
    database,
    accountId,
    asked,
    ['change', personId, change],
    async (transaction, account, present) => {
      const id = personId;
      const person = present.find((each) => each.id === id);
      if (person === undefined) return refusal('person_not_found');
      const address = mailAddressOf(person, account);
      const wanted = { role: role ?? person.role, email: email === undefined ? address : email };
      if (wanted.role === person.role && wanted.email === address) return { id, result: { person, account } };
      const isMoved = wanted.email !== address;
      if (isMoved && !mayMoveMail(asked, person, account)) {
        return {
          ...refusal('forbidden'),
          message: 'This person has a password, so only they can change their e-mail address.',
        };
      }
      if (wanted.role !== 'owner' && isLastOwner(present, person)) return refusal('last_owner');
      const isOwn = isOwnLogin(person);
      if (isOwn) await writeEmail(transaction, accountId, wanted.email);
      if (isMoved) await endPasswordLinks(transaction, id);
      const [row] = await transaction.query(changeRow, [id, wanted.role, isOwn ? null : wanted.email]);
      const changed = credentials.parse(row ?? {});
      const now = isOwn ? { ...account, email: wanted.email } : account;
      await notifyAccessChanged(transaction, accountId);
      const views = [viewOf(person, account), viewOf(changed, now)] as const;
      await note(transaction, asked, 'person.update', person, ...views);
      return { id, result: { person: changed, account: now } };
    },
    invitedBefore,
  );
}

/** Their mail gives access, so only the operator may change another active person's address, for resellers only. */
function mayMoveMail({ actorId, by }: PeopleActor, person: Credentials, account: Account): boolean {
  if (person.passwordHash === null || (by?.type === 'person' && by.id === person.id)) return true;
  return actorId !== account.id && !account.isAdmin;
}

/** `along` deletes what belongs to the person. Refusals: account_not_found, person_not_found, last_owner. */
export function removePerson(
  database: Database,
  accountId: number,
  personId: number,
  asked: PeopleAsked,
  along: AlongAction<void>,
): Promise<Done<true> | Refusal> {
  return amongPeople<true>(
    database,
    accountId,
    asked,
    ['remove', personId],
    async (transaction, account, present) => {
      const person = present.find(({ id }) => id === personId);
      if (person === undefined) return refusal('person_not_found');
      if (isLastOwner(present, person)) return refusal('last_owner');
      await transaction.query(removeRow, [personId, asked.now]);
      // Remove the address too. Otherwise, once an administrator restores the own login, they could return by mail.
      if (isOwnLogin(person)) await writeEmail(transaction, accountId, null);
      await along(transaction, person, account);
      await notifyAccessChanged(transaction, accountId);
      await note(transaction, asked, 'person.remove', person, viewOf(person, account), null);
      return { id: personId, result: true };
    },
    () => true,
  );
}

/** Returns false if the link was used or the person was removed. */
export async function changePassword(
  database: Database,
  person: Pick<Person, 'id' | 'accountId'>,
  password: NewPassword,
  actor: PeopleActor,
): Promise<boolean> {
  const { actorId, by = null, now } = actor;
  if (isOwnLogin(person)) {
    const changed = await changeAccount(database, person.id, { password }, actor);
    return changed !== null && !isRefusal(changed);
  }
  return database.transaction(async (transaction) => {
    if ((await lockAccountRow(transaction, person.accountId)) === null) return false;
    const present = await listPeople(transaction, person.accountId);
    if (!present.some(({ id }) => id === person.id)) return false;
    if (!(await writePassword(transaction, person.id, password))) return false;
    const { byLink } = password;
    const after = { password: 'changed', ...(byLink !== undefined && { by_link: byLink.purpose }) };
    const entry = { actorId, by, ...personAction(person, 'update'), before: null, after };
    await appendAudit(transaction, entry, now);
    return true;
  });
}

/** Not for the account's own login. Returns null if the person was removed. */
export function changeOwnEmail(
  database: Database,
  { id, accountId }: Pick<Person, 'id' | 'accountId'>,
  email: string | null,
  { actorId, by = null, now }: PeopleActor,
): Promise<{ readonly email: string | null } | null> {
  return database.transaction(async (transaction) => {
    const account = await lockAccountRow(transaction, accountId);
    const present = account === null ? [] : await listPeople(transaction, accountId);
    const person = present.find((each) => each.id === id);
    if (account === null || person === undefined) return null;
    if (person.email === email) return { email };
    await transaction.query(changeRow, [id, person.role, email]);
    await endPasswordLinks(transaction, id);
    const [before, after] = [viewOf(person, account), viewOf({ ...person, email }, account)];
    await appendAudit(transaction, { actorId, by, ...personAction(person, 'update'), before, after }, now);
    return { email };
  });
}

/** True if no other owner can sign in. Invited people cannot sign in yet, so they do not count. */
function isLastOwner(
  present: readonly Pick<Credentials, 'id' | 'role' | 'passwordHash'>[],
  { id, role, passwordHash }: Pick<Credentials, 'id' | 'role' | 'passwordHash'>,
): boolean {
  if (role !== 'owner') return false;
  const others = present.filter((other) => other.id !== id && other.role === 'owner');
  return !others.some((other) => passwordHash === null || other.passwordHash !== null);
}

async function amongPeople<Result>(
  database: Database,
  accountId: number,
  { actorId, by = null, idempotencyKey, now }: PeopleAsked,
  what: readonly unknown[],
  work: (
    transaction: Queryable,
    account: Account,
    present: readonly Credentials[],
  ) => Promise<Changed<Result> | Refusal>,
  again: (account: Account, present: readonly Credentials[], id: number) => Result | Refusal,
): Promise<Done<Result> | Refusal> {
  return database.transaction(async (transaction) => {
    const account = await lockAccountRow(transaction, accountId);
    if (account === null) return refusal('account_not_found');
    const isOwn = by?.type === 'person' && actorId === accountId;
    const takes: Scope[] = [isOwn ? 'people:write' : 'admin:accounts'];
    const problem = await recheckCaller(transaction, { actorId, by, takes, now }, account);
    if (problem !== null) return problem;
    // People can still be removed from it.
    if (account.closedAt !== null && what[0] !== 'remove') return refusal('account_closed');
    const present = await listPeople(transaction, accountId);
    return runOnce<Result>(
      transaction,
      { accountId, idempotencyKey, what: ['person', ...what], now },
      () => work(transaction, account, present),
      async (id) => again(account, present, id),
    );
  });
}

function viewOf(person: Person, account: Account): JsonObject {
  const email = mailAddressOf(person, account);
  return {
    account_id: person.accountId,
    username: person.username,
    role: person.role,
    ...(email === null ? {} : { email }),
  };
}

function note(
  transaction: Queryable,
  { actorId, by = null, now }: PeopleActor,
  action: string,
  { id }: Person,
  before: JsonObject | null,
  after: JsonObject | null,
): Promise<void> {
  return appendAudit(transaction, { actorId, by, action, subject: `person ${id}`, before, after }, now);
}
