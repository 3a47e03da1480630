// Who is calling, as a value: what authentication yields, whichever door it came through, and all that a route may
// ask about its caller. A principal never changes; changed rights are a new one.
// A key has all the scopes of its account or fewer; today an account has one person, its owner, who has them all.

import { type Refusal, refusal } from '../contract/error-catalogue.ts';
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
  /** Which of its secrets was sent. */
  readonly secretId: number;
  /** Requests of this key alone in any 60 seconds; null: only its account has a limit. */
  readonly rateLimitPerMinute: number | null;
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

export function ownerPrincipal(account: Account, sessionId: string, now: () => EpochSeconds): Principal {
  const scopes = account.isAdmin ? ownerScopes.administrator : ownerScopes.account;
  return { account, mode: 'live', actor: { type: 'person', id: account.id, sessionId }, scopes, now };
}

/**
 * Whoever changes what lets into an administrator's account could do anything by it, so they have to be allowed
 * everything already. null: they are, or it is another account.
 */
export function accessRefusal({ scopes }: Principal, account: Pick<Account, 'isAdmin'>): Refusal | null {
  const missing = account.isAdmin ? administratorScopes.find((scope) => !scopes.has(scope)) : undefined;
  return missing === undefined ? null : refusal('insufficient_scope', { scope: missing });
}

/** The principal as the author of a change, for the audit log. */
export function actorOf({ account, actor, now }: Principal): Actor & { readonly actorId: number } {
  return { actorId: account.id, by: actor, now: now() };
}
