// The caller as any guard authenticated them. Immutable: changed rights make a new principal. A key has its account's scopes
// or fewer; a person has the scopes of their role.

import type { Actor } from '../../platform/audit-log/actor.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import {
  accountScopes,
  administratorScopes,
  isAdministratorScope,
  type Role,
  type Scope,
  scopesOfRole,
  viewScopes,
} from '../../shared/scopes.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Account } from './account-table.ts';
import type { KeyMode } from './api-key.ts';
import { type heldSecrets, keyIdOf } from './api-key-rows.ts';
import type { Person } from './people-table.ts';

export interface Principal {
  readonly account: Account;
  readonly mode: KeyMode;
  readonly actor: KeyActor | PersonActor;
  readonly scopes: ReadonlySet<Scope>;
  /** The current time for this caller. Test mode has its own clock. */
  readonly now: () => EpochSeconds;
}

export interface KeyActor {
  readonly type: 'key';
  readonly id: number;
  readonly secretId: number;
  readonly rateLimitPerMinute: number | null;
  /** True if the key has its own end, allow-list or rate limit. */
  readonly isConfined: boolean;
}

export interface PersonActor {
  readonly type: 'person';
  readonly id: number;
  readonly role: Role;
  readonly username: string;
  readonly sessionId: string;
}

// Created once, so that the principals of all cached keys share them.
const keyScopes = {
  account: new Set<Scope>(accountScopes),
  administrator: new Set<Scope>([...accountScopes, ...administratorScopes]),
};
const testScopes = {
  account: keyScopes.account,
  // With a test key, the product reads the test customers of all accounts. Tests offer no other administrator scope.
  administrator: new Set<Scope>([...accountScopes, 'product']),
};

function scopesOf(mode: KeyMode, isOperators: boolean): ReadonlySet<Scope> {
  return (mode === 'live' ? keyScopes : testScopes)[isOperators ? 'administrator' : 'account'];
}

export function keyScopeNames(
  mode: KeyMode,
  isOperators: boolean,
  granted: readonly string[] | null,
): Scope[] {
  const all = [...scopesOf(mode, isOperators)];
  return granted === null ? all : all.filter((scope) => granted.includes(scope));
}

/** `isOperators`: the account, or the real account of a test, is an administrator's. */
export function keyPrincipal(
  account: Account,
  secret: RowOf<typeof heldSecrets>,
  isOperators: boolean,
  now: () => EpochSeconds,
): Principal {
  const { id: secretId, scopes: granted, rateLimitPerMinute, allowedIps, expiresAt } = secret;
  const mode = account.testOf === null ? 'live' : 'test';
  const scopes =
    granted === null ? scopesOf(mode, isOperators) : new Set(keyScopeNames(mode, isOperators, granted));
  const isConfined = rateLimitPerMinute !== null || allowedIps.length > 0 || expiresAt !== null;
  const actor = { type: 'key', id: keyIdOf(secret), secretId, rateLimitPerMinute, isConfined } as const;
  const principal: Principal = { account, mode, actor, scopes, now };
  return account.testClock === null ? principal : atTestClock(principal, account.testClock);
}

/** A signed-in person in test mode has only the scopes that exist there. */
export function inTestMode(principal: Principal, testAccount: Account): Principal {
  const ofTests = scopesOf('test', false);
  const scopes = new Set([...principal.scopes].filter((scope) => ofTests.has(scope)));
  const switched: Principal = { ...principal, account: testAccount, mode: 'test', scopes };
  return testAccount.testClock === null ? switched : atTestClock(switched, testAccount.testClock);
}

/** An administrator who views another account has only the account's reading scopes. */
export function viewPrincipal({ actor, now }: Principal, account: Account): Principal {
  return { account, mode: 'live', actor, scopes: viewScopes, now };
}

export function isOfTestMode(scopes: readonly Scope[]): boolean {
  const ofTests = scopesOf('test', false);
  return scopes.length > 0 && scopes.every((scope) => ofTests.has(scope));
}

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

export function realIdOf({ account }: Pick<Principal, 'account'>): number {
  return account.testOf ?? account.id;
}

/** The id by which rate limits count. Tests count separately, and a reset does not restart the count. */
export function limitId({ id, testOf }: Pick<Account, 'id' | 'testOf'>): number {
  return testOf === null ? id : -testOf;
}

export interface Judged extends Pick<Principal, 'account' | 'mode' | 'scopes'> {
  readonly actor: Pick<KeyActor, 'type' | 'isConfined'> | Pick<PersonActor, 'type'>;
}

/** Refuses with the first missing scope, or with `forbidden` for an administrator scope that the account cannot have. */
export function scopeProblem(
  { account, mode, scopes: had }: Omit<Judged, 'actor'>,
  scopes: readonly Scope[],
): Refusal | null {
  const missing = scopes.filter((scope) => !had.has(scope));
  const isOfAccount = !account.isAdmin && mode === 'live';
  if (isOfAccount && missing.some(isAdministratorScope)) return refusal('forbidden');
  const [scope] = missing;
  return scope === undefined ? null : refusal('insufficient_scope', { scope });
}

/** Such a change could give the account's rights away, so it requires all of its scopes, and no confined key may do it. */
export function administratorProblem(
  principal: Judged,
  target: { readonly isAdmin: boolean },
): Refusal | null {
  if (!target.isAdmin) return null;
  const problem = scopeProblem(principal, [...administratorScopes, ...accountScopes]);
  const { actor } = principal;
  return problem ?? (actor.type === 'key' && actor.isConfined ? confinedKey : null);
}

const confinedKey: Refusal = {
  ...refusal('insufficient_scope', { reason: 'confined_key' }),
  message:
    'A key with an expiry, an allow-list or a rate limit of its own cannot change who has access to an administrator’s account.',
};

/** `takes`: the scopes that the change requires. */
export function actorOf(
  { account, actor, now }: Principal,
  takes: readonly Scope[] = [],
): Actor & { readonly actorId: number } {
  const { type, id } = actor;
  const by = type === 'key' ? { type, id, secretId: actor.secretId } : { type, id };
  return { actorId: realIdOf({ account }), by, takes, now: now() };
}
