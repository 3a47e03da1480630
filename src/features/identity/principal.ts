// Who is calling, as a value: what authentication yields, whichever guard it came through, and all that a route may
// ask about its caller. A principal never changes; changed rights are a new one.
// A key has all the scopes of its account or fewer; a person has those of their role.

import type { Actor } from '../../platform/audit-log/actor.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { type Refusal, refusal } from '../../shared/error-catalogue.ts';
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
  /** In test mode the account's test account. */
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
  /** It has an end, an allow-list or a rate limit of its own. */
  readonly isConfined: boolean;
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

/** `isOperators`: the account, or the real one of a test, is an administrator's. */
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

/** Whoever is signed in, looking at the test mode of their account: with what they may do there, and nothing beyond it. */
export function inTestMode(principal: Principal, testAccount: Account): Principal {
  const ofTests = scopesOf('test', false);
  const scopes = new Set([...principal.scopes].filter((scope) => ofTests.has(scope)));
  const switched: Principal = { ...principal, account: testAccount, mode: 'test', scopes };
  return testAccount.testClock === null ? switched : atTestClock(switched, testAccount.testClock);
}

/** An administrator looking at another account as its owner sees it: with the scopes for reading it, and nobody else's name. */
export function viewPrincipal({ actor, now }: Principal, account: Account): Principal {
  return { account, mode: 'live', actor, scopes: viewScopes, now };
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

/** The account that the caller is of, whichever mode they are in. */
export function realIdOf({ account }: Pick<Principal, 'account'>): number {
  return account.testOf ?? account.id;
}

/** What an account's requests are counted by: those of its tests apart, and a test that is reset goes on where it was. */
export function limitId({ id, testOf }: Pick<Account, 'id' | 'testOf'>): number {
  return testOf === null ? id : -testOf;
}

/** What a right is judged by. */
export interface Judged extends Pick<Principal, 'account' | 'mode' | 'scopes'> {
  readonly actor: Pick<KeyActor, 'type' | 'isConfined'> | Pick<PersonActor, 'type'>;
}

/**
 * The first scope that is missing. What only administrators have is nothing that another account's caller could be given;
 * in test mode nobody could be.
 */
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

/**
 * Who changes what lets into an administrator's account could make himself one: it takes everything that one may do. And a
 * key that is itself held to a time, a place or a rate could make one that is not.
 */
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

/** The principal as the author of a change, for the audit log. `takes`: the scopes that the change takes. */
export function actorOf(
  { account, actor, now }: Principal,
  takes: readonly Scope[] = [],
): Actor & { readonly actorId: number } {
  const { type, id } = actor;
  const by = type === 'key' ? { type, id, secretId: actor.secretId } : { type, id };
  return { actorId: realIdOf({ account }), by, takes, now: now() };
}
