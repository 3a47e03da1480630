// The signed-in person and their scopes. The pages hide actions that the role does not allow; the service enforces them.

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

export function useMay(): (scope: Scope) => boolean {
  const { scopes } = usePerson();
  return (scope) => scopes.includes(scope);
}

/** Only a person with every administrator scope may manage an administrator's account. */
export function useMayManage(): (account: Pick<Account, 'is_admin'>) => boolean {
  const may = useMay();
  return (account) => may('admin:accounts') && (!account.is_admin || administratorScopes.every(may));
}
