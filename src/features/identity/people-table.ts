// The table `people`: people who sign in for an account, with role and password hash. Written by people-rows.ts.

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
  /** The own login's id is the account's id. */
  id: int('id'),
  accountId: int('account_id'),
  username: text('username'),
  /** null: the person gets no mail. The own login uses the account's address. */
  email: nullableText('email'),
  role: oneOf('role', roles),
  /** null: the person cannot sign in with a password. */
  passwordHash: nullableText('password_hash'),
  passwordVersion: int('password_version'),
  /** The password was generated or set by another person, and was not replaced yet. */
  mustChangePassword: boolean('must_change_password'),
  lastSignInAt: nullableTime('last_sign_in_at'),
  language: orNull(oneOf('language', languages)),
  clock: orNull(oneOf('clock', clocks)),
  createdAt: time('created_at'),
  isRemoved: isSet('removed_at'),
});

export const credentials = allPeople;
export type Credentials = RowOf<typeof credentials>;

export const people = allPeople.without('passwordHash', 'passwordVersion', 'isRemoved');
export type Person = RowOf<typeof people>;

export const newLogins = allPeople.pick(
  'id',
  'accountId',
  'username',
  'role',
  'passwordHash',
  'mustChangePassword',
  'createdAt',
);

export const newPeople = allPeople.pick('accountId', 'username', 'email', 'role', 'createdAt');

/** The account's original person. An administrator can set their password. */
export function isOwnLogin({ id, accountId }: Pick<Person, 'id' | 'accountId'>): boolean {
  return id === accountId;
}

export function mailAddressOf(
  person: Pick<Person, 'id' | 'accountId' | 'email'>,
  account: { readonly email: string | null },
): string | null {
  return isOwnLogin(person) ? account.email : person.email;
}

/** For the audit log. Entries about an own login name the account, as they did before there were people. */
export function personAction(
  { id, accountId }: Pick<Person, 'id' | 'accountId'>,
  action: string,
): { readonly action: string; readonly subject: string } {
  const noun = id === accountId ? 'account' : 'person';
  return { action: `${noun}.${action}`, subject: `${noun} ${id}` };
}
