// A row of `people`: somebody who signs in for an account, with a role that decides what they may do, and what their
// sign-in is compared with. people-rows.ts writes it.

import {
  boolean,
  describeTable,
  int,
  isSet,
  nullableText,
  nullableTime,
  oneOf,
  orNull,
  type RowOf,
  text,
  time,
} from '../../platform/database/table.ts';
import { clocks } from '../../shared/clocks.ts';
import { languages } from '../../shared/languages.ts';
import { roles } from '../../shared/scopes.ts';

const allPeople = describeTable('people', {
  /** The account's own login has the account's id. */
  id: int('id'),
  accountId: int('account_id'),
  username: text('username'),
  /** null: they are not written to; or, of the account's own login, at the account's address. */
  email: nullableText('email'),
  role: oneOf('role', roles),
  /** null: nobody can sign in with a password. */
  passwordHash: nullableText('password_hash'),
  passwordVersion: int('password_version'),
  /** It was minted or set by somebody else, and its holder has not chosen one yet. */
  mustChangePassword: boolean('must_change_password'),
  lastSignInAt: nullableTime('last_sign_in_at'),
  /** null: their browser's, and of mails the service's. */
  language: orNull(oneOf('language', languages)),
  /** On which they read times; null: on that of their browser's zone. */
  clock: orNull(oneOf('clock', clocks)),
  createdAt: time('created_at'),
  isRemoved: isSet('removed_at'),
});

/** A person, and what a sign-in is compared with. */
export const credentials = allPeople;
export type Credentials = RowOf<typeof credentials>;

/** A person as everybody else sees them. */
export const people = allPeople.without('passwordHash', 'passwordVersion', 'isRemoved');
export type Person = RowOf<typeof people>;

/** Of an account's own login. */
export const newLogins = allPeople.pick(
  'id',
  'accountId',
  'username',
  'role',
  'passwordHash',
  'mustChangePassword',
  'createdAt',
);

/** Of somebody who is invited. */
export const newPeople = allPeople.pick('accountId', 'username', 'email', 'role', 'createdAt');

/** The person that an account had from the beginning, whose password an administrator sets. */
export function isOwnLogin({ id, accountId }: Pick<Person, 'id' | 'accountId'>): boolean {
  return id === accountId;
}

/** Where they are written to; null: nowhere. */
export function mailAddressOf(
  person: Pick<Person, 'id' | 'accountId' | 'email'>,
  account: { readonly email: string | null },
): string | null {
  return isOwnLogin(person) ? account.email : person.email;
}

/** For the audit log: what was done to a person. Of an account's own login it is noted of the account, as it always was. */
export function personAction(
  { id, accountId }: Pick<Person, 'id' | 'accountId'>,
  action: string,
): { readonly action: string; readonly subject: string } {
  const noun = id === accountId ? 'account' : 'person';
  return { action: `${noun}.${action}`, subject: `${noun} ${id}` };
}
