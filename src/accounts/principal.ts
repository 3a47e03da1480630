// Who is calling, as a value: what authentication yields, whichever door it came through, and all that a route may
// ask about its caller. A principal never changes; changed rights are a new one.
// A key has all the scopes of its account or fewer; a person has those of their role.

import {
  accountScopes,
  administratorScopes,
  type Role,
  type Scope,
  scopesOfRole,
} from '../contract/scopes.ts';
import type { EpochSeconds } from '../contract/times.ts';
import type { Actor } from './account-store.ts';
import type { Account } from './account-table.ts';
import type { Person } from './people-table.ts';

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
  /** Which of its secrets was sent. */
  readonly secretId: number;
  /** Requests of this key alone in any 60 seconds; null: only its account has a limit. */
  readonly rateLimitPerMinute: number | null;
}

export interface PersonActor {
  readonly type: 'person';
  /** The account's own login has the id of the account. */
  readonly id: number;
  readonly role: Role;
  readonly username: string;
  readonly sessionId: string;
}

// Made once: a principal of every cached key refers to one of them.
const keyScopes = {
  account: new Set<Scope>(accountScopes),
  administrator: new Set<Scope>([...accountScopes, ...administratorScopes]),
};

/** What a key of the account may do, by name, in the order of the documents. */
export function keyScopeNames(
  { isAdmin }: Pick<Account, 'isAdmin'>,
  granted: readonly string[] | null,
): Scope[] {
  const all = [...(isAdmin ? keyScopes.administrator : keyScopes.account)];
  return granted === null ? all : all.filter((scope) => granted.includes(scope));
}

/** `granted` null: whatever the account may do. */
export function keyPrincipal(
  account: Account,
  key: Omit<KeyActor, 'type'>,
  granted: readonly string[] | null,
  now: () => EpochSeconds,
): Principal {
  const all = account.isAdmin ? keyScopes.administrator : keyScopes.account;
  const scopes = granted === null ? all : new Set(keyScopeNames(account, granted));
  return { account, mode: 'live', actor: { type: 'key', ...key }, scopes, now };
}

export function personPrincipal(
  account: Account,
  { id, role, username }: Person,
  sessionId: string,
  now: () => EpochSeconds,
): Principal {
  const actor = { type: 'person', id, role, username, sessionId } as const;
  return { account, mode: 'live', actor, scopes: scopesOfRole(account, role), now };
}

/** The principal as the author of a change, for the audit log. */
export function actorOf({ account, actor, now }: Principal): Actor & { readonly actorId: number } {
  return { actorId: account.id, by: { type: actor.type, id: actor.id }, now: now() };
}
