// Who is calling, as a value: what authentication yields, whichever door it came through, and all that a route may
// ask about its caller. A principal never changes; changed rights are a new one.
// Today an account has one key and one person, its owner, and each has all the scopes of the account's role.

import { accountScopes, administratorScopes, personScopes, type Scope } from '../contract/scopes.ts';
import type { EpochSeconds } from '../contract/times.ts';
import type { Actor } from './account-store.ts';
import type { Account } from './account-table.ts';

export interface Principal {
  readonly account: Account;
  readonly mode: 'live';
  readonly actor: KeyActor | PersonActor;
  readonly scopes: ReadonlySet<Scope>;
  /** The time as it is for this caller: a clock belongs to a mode. */
  readonly now: () => EpochSeconds;
}

export interface KeyActor {
  readonly type: 'key';
  readonly id: number;
}

export interface PersonActor {
  readonly type: 'person';
  /** The account's owner has the id of the account. */
  readonly id: number;
  readonly sessionId: string;
}

// Made once: a principal of every cached key refers to one of them.
const keyScopes = {
  account: new Set<Scope>(accountScopes),
  administrator: new Set<Scope>([...accountScopes, ...administratorScopes]),
};
const ownerScopes = {
  account: new Set<Scope>([...accountScopes, ...personScopes]),
  administrator: new Set<Scope>([...accountScopes, ...personScopes, ...administratorScopes]),
};

export function keyPrincipal(account: Account, id: number, now: () => EpochSeconds): Principal {
  const scopes = account.isAdmin ? keyScopes.administrator : keyScopes.account;
  return { account, mode: 'live', actor: { type: 'key', id }, scopes, now };
}

export function ownerPrincipal(account: Account, sessionId: string, now: () => EpochSeconds): Principal {
  const scopes = account.isAdmin ? ownerScopes.administrator : ownerScopes.account;
  return { account, mode: 'live', actor: { type: 'person', id: account.id, sessionId }, scopes, now };
}

/** The principal as the author of a change, for the audit log. */
export function actorOf({ account, actor, now }: Principal): Actor & { readonly actorId: number } {
  return { actorId: account.id, by: actor, now: now() };
}
