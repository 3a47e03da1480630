// Who is signed in for the account, and what their role allows: what it does not is not offered. The service decides;
// here nobody is shown what they would only be refused.

import { createContext, useContext } from 'react';
import type { Account, Scope, SignedInPerson } from './shapes.ts';

const administratorScopes = [
  'admin:read',
  'admin:accounts',
  'admin:credit',
  'admin:packages',
  'product',
] as const satisfies readonly Scope[];

export const PersonContext = createContext<SignedInPerson | null>(null);

export function usePerson(): SignedInPerson {
  const person = useContext(PersonContext);
  if (person === null) throw new Error('This page stands outside the panel.');
  return person;
}

/** Whether whoever is signed in may do what takes this scope. */
export function useMay(): (scope: Scope) => boolean {
  const { scopes } = usePerson();
  return (scope) => scopes.includes(scope);
}

/** Settings, keys and people of an account; those of an administrator's take every scope that one can have. */
export function useMayManage(): (account: Pick<Account, 'is_admin'>) => boolean {
  const may = useMay();
  return (account) => may('admin:accounts') && (!account.is_admin || administratorScopes.every(may));
}
