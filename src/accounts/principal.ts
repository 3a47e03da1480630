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
import type { KeyMode } from './api-key.ts';
import type { Person } from './people-table.ts';

export interface Principal {
  /** In test mode the account's twin. */
  readonly account: Account;
  readonly mode: KeyMode;
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
const testScopes = {
  account: keyScopes.account,
  // The operator's product is tried with test customers of all accounts; nothing else of the operator's is.
  administrator: new Set<Scope>([...accountScopes, 'product']),
};

function scopesOf(mode: KeyMode, isOperators: boolean): ReadonlySet<Scope> {
  return (mode === 'live' ? keyScopes : testScopes)[isOperators ? 'administrator' : 'account'];
}

/** What a key of the account may do, by name, in the order of the documents. */
export function keyScopeNames(
  mode: KeyMode,
  isOperators: boolean,
  granted: readonly string[] | null,
): Scope[] {
  const all = [...scopesOf(mode, isOperators)];
  return granted === null ? all : all.filter((scope) => granted.includes(scope));
}

/** `granted` null: whatever the account may do. `isOperators`: it, or the real one of a test, is an administrator's. */
export function keyPrincipal(
  account: Account,
  key: Omit<KeyActor, 'type'>,
  granted: readonly string[] | null,
  isOperators: boolean,
  now: () => EpochSeconds,
): Principal {
  const mode = account.testOf === null ? 'live' : 'test';
  const scopes =
    granted === null ? scopesOf(mode, isOperators) : new Set(keyScopeNames(mode, isOperators, granted));
  const principal: Principal = { account, mode, actor: { type: 'key', ...key }, scopes, now };
  return account.testClock === null ? principal : atTestClock(principal, account.testClock);
}

/** Whoever is signed in, looking at the test mode of their account: with what they may do there, and nothing beyond it. */
export function inTestMode(principal: Principal, twin: Account): Principal {
  const ofTests = scopesOf('test', false);
  const scopes = new Set([...principal.scopes].filter((scope) => ofTests.has(scope)));
  const switched: Principal = { ...principal, account: twin, mode: 'test', scopes };
  return twin.testClock === null ? switched : atTestClock(switched, twin.testClock);
}

/** Whether a request that needs these scopes can be about test mode: what every account has there. */
export function isOfTestMode(scopes: readonly Scope[]): boolean {
  const ofTests = scopesOf('test', false);
  return scopes.length > 0 && scopes.every((scope) => ofTests.has(scope));
}

/** The same caller of test mode once their clock was read anew. */
export function atTestClock(principal: Principal, testClock: EpochSeconds): Principal {
  return { ...principal, now: () => testClock };
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
  return { actorId: account.testOf ?? account.id, by: { type: actor.type, id: actor.id }, now: now() };
}
