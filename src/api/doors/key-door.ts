// From the bearer key to the principal, with the refusals in the contract's order: missing, unknown and
// revoked key, blocked account, API off, address not allowed, rate limit (specification "Authentication",
// decisions "Order of checks" 1 to 7), and what the key may not do. Runs before anything else looks at the request.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountReads } from '../../accounts/account-reads.ts';
import type { AccountCounters } from '../../accounts/account-table.ts';
import { isApiKey } from '../../accounts/api-key.ts';
import type { KeyDirectory, KeyHolder } from '../../accounts/key-directory.ts';
import { atTestClock, type Principal } from '../../accounts/principal.ts';
import { type ErrorCode, isRefusal, type Refusal, refusal } from '../../contract/error-catalogue.ts';
import { administratorScopes, isAdministratorScope, type Scope } from '../../contract/scopes.ts';
import type { Door, DoorKind } from '../../http/declared-routes.ts';
import type { LimitedCaller, RateLimiter } from '../../http/rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling. Set for every route behind `authenticate`, and for whoever it recognised and refused. */
    principal: Principal;
    /** Its balance and counters as they are now. Set for reads behind `confirm`. */
    counters: AccountCounters;
  }
}

export interface Authenticator {
  readonly kind: DoorKind;
  /** What it refuses with, and what any request may be answered with. */
  readonly codes: readonly ErrorCode[];
  /** Sets request.principal and lets it through to a route that needs these scopes, or answers with the refusal. */
  authenticate: Door['admit'];
  /** The same, from the database: no cache stands between an administrator's rights and what they may do. */
  authenticateFresh: Door['admit'];
  /**
   * For reads from the database: the caller's rights are compared with the account as it is there now, and
   * request.counters is set. So a change that another process made counts before its NOTIFY arrives.
   */
  confirm(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  /** Of sessions alone: a key is not borrowed. */
  readonly confirmDeed?: Door['confirmDeed'];
  /** Counts the request, which was let in at `at`, as many; refused, it counts for nothing. See RateLimiter.admitAsMany. */
  admitAsMany(request: FastifyRequest, reply: FastifyReply, count: number, at: number): Refusal | null;
  /** Reads the caller afresh, after its rights moved under a request. Counts nothing. */
  again(request: FastifyRequest): Promise<Principal | Refusal>;
}

/** What every request with a key can be answered with. */
export const keyDoorCodes: readonly ErrorCode[] = [
  'invalid_json',
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'account_blocked',
  'api_disabled',
  'ip_not_allowed',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];

export function createAuthenticator(
  keys: KeyDirectory,
  limiter: RateLimiter,
  accounts: AccountReads,
): Authenticator {
  async function authenticateBy(
    mayRemember: boolean,
    request: FastifyRequest,
    reply: FastifyReply,
    scopes: readonly Scope[],
  ): Promise<FastifyReply | undefined> {
    const key = bearerKey(request);
    if (key === null) return reply.refuse(limiter.failed(request.ip, refusal('missing_api_key'), reply));
    const cached = keys.findCached(key);
    let found = cached === null ? await lookUp(key, mayRemember, request, reply) : judged(cached, request);
    if (cached !== null && !isRefusal(found) && !isEnough(found, mayRemember)) {
      found = await readAnew(key, found, request, reply);
    }
    if (isRefusal(found)) return reply.refuse(found);

    const { holder, problem } = found;
    request.principal = holder.principal;
    if (problem !== null) {
      limiter.show(limitedBy(holder.principal), reply);
      return reply.refuse(isRevoked(holder) ? limiter.failed(request.ip, problem, reply) : problem);
    }
    const refused =
      limiter.admit(limitedBy(holder.principal), reply) ?? scopeProblem(holder.principal, scopes);
    if (refused !== null) return reply.refuse(refused);
    // Their clock may have been moved, by any process.
    return holder.principal.mode === 'test' ? confirm(request, reply) : undefined;
  }

  /** Of a key that is not remembered. No address looks up more keys that nobody holds than its limit. */
  async function lookUp(
    key: string,
    mayRemember: boolean,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Judged | Refusal> {
    const { ip } = request;
    if (!isApiKey(key)) return limiter.failed(ip, refusal('invalid_api_key'), reply);
    const look = () => (mayRemember ? keys.find(key) : keys.findFresh(key));
    let holder = keys.isFamiliar(key) ? await look() : await limiter.guess(ip, reply, look);
    if (isRefusal(holder)) {
      if (!(await keys.isFamiliarAtLast(key))) return holder;
      reply.removeHeader('retry-after');
      holder = await look();
    }
    if (holder === null) return limiter.failed(ip, refusal('invalid_api_key'), reply);
    const found = judged(holder, request);
    if (found.problem === null || isRevoked(holder)) return found;
    request.principal = holder.principal;
    return limiter.refused(limitedBy(holder.principal), reply) ?? found;
  }

  /**
   * What memory would refuse is read from the database: an administrator may just have lifted it. So is what
   * administrators may do. As often as the account's limits allow: beyond them nothing is looked at.
   */
  async function readAnew(
    key: string,
    found: Judged,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Judged | Refusal> {
    request.principal = found.holder.principal;
    const limit = limitedBy(request.principal);
    const limited = found.problem === null ? limiter.foresee(limit, reply) : limiter.refused(limit, reply);
    if (limited !== null) return limited;
    const holder = await keys.findFresh(key);
    return holder === null ? refusal('invalid_api_key') : judged(holder, request);
  }

  async function confirm(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { id, accessVersion } = request.principal.account;
    request.counters = await accounts.getCounters(id);
    const { testClock } = request.counters;
    if (request.counters.accessVersion === accessVersion) {
      if (testClock !== null) request.principal = atTestClock(request.principal, testClock);
      return;
    }
    const principal = await again(request);
    if (isRefusal(principal)) return reply.refuse(principal);
    // Of another row, where the test was reset.
    if (principal.account.id !== id) request.counters = principal.account;
  }

  async function again(request: FastifyRequest): Promise<Principal | Refusal> {
    const key = bearerKey(request);
    const holder = key === null ? null : await keys.findFresh(key);
    if (holder === null) return refusal('invalid_api_key');
    const problem = accessProblem(holder, request.ip);
    if (isRefusal(problem)) return problem;
    request.principal = holder.principal;
    return holder.principal;
  }

  return {
    kind: 'key',
    codes: keyDoorCodes,
    authenticate: (request, reply, scopes) => authenticateBy(true, request, reply, scopes),
    authenticateFresh: (request, reply, scopes) => authenticateBy(false, request, reply, scopes),
    confirm,
    admitAsMany: ({ principal }, reply, count, at) =>
      limiter.admitAsMany(limitedBy(principal), count, at, reply),
    again,
  };
}

/** "Bearer <key>", the scheme in any case; null when there is none. */
function bearerKey({ headers: { authorization = '' } }: FastifyRequest): string | null {
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return null;
  const key = authorization.slice(7).trim();
  return key === '' ? null : key;
}

/**
 * The first scope that is missing. What only administrators have is nothing that another account's caller could be given;
 * in test mode nobody could be.
 */
export function scopeProblem(
  { account, mode, scopes: had }: Pick<Principal, 'account' | 'mode' | 'scopes'>,
  scopes: readonly Scope[],
): Refusal | null {
  const missing = scopes.filter((scope) => !had.has(scope));
  const isOfAccount = !account.isAdmin && mode === 'live';
  if (isOfAccount && missing.some(isAdministratorScope)) return refusal('forbidden');
  const [scope] = missing;
  return scope === undefined ? null : refusal('insufficient_scope', { scope });
}

/** Who changes what lets into an administrator's account could make himself one: it takes everything that one may do. */
export function administratorProblem(
  principal: Principal,
  target: { readonly isAdmin: boolean },
): Refusal | null {
  return target.isAdmin ? scopeProblem(principal, administratorScopes) : null;
}

function limitedBy({ account, actor }: Principal): LimitedCaller {
  const isLimited = actor.type === 'key' && actor.rateLimitPerMinute !== null;
  return { account, key: isLimited ? { id: actor.id, rateLimitPerMinute: actor.rateLimitPerMinute } : null };
}

function isRevoked(holder: KeyHolder): boolean {
  return holder.ended() === 'revoked';
}

/** Whoever holds a key, and why they may not come in from where they are. */
interface Judged {
  readonly holder: KeyHolder;
  readonly problem: Refusal | null;
}

/** Whether memory will do for an answer. A revoked key stays revoked. */
function isEnough({ holder, problem }: Judged, mayRemember: boolean): boolean {
  return isRevoked(holder) || (mayRemember && problem === null);
}

function judged(holder: KeyHolder, { ip }: FastifyRequest): Judged {
  return { holder, problem: accessProblem(holder, ip) };
}

function accessProblem({ principal, ended, allowList }: KeyHolder, address: string): Refusal | null {
  const end = ended();
  if (end !== null) return refusal('revoked_api_key', end === 'expired' ? { reason: end } : {});
  const { account } = principal;
  if (account.blocked) return refusal('account_blocked');
  if (!account.apiEnabled) return refusal('api_disabled');
  return allowList.allows(address) ? null : refusal('ip_not_allowed');
}
