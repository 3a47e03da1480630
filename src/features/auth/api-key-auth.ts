// The API key guard. It refuses before the request is parsed, in this order: missing, unknown or revoked key, blocked
// account, API off, address not allowed, rate limit, missing scope.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LimitedCaller, RateLimiter } from '../../platform/limits/rate-limiter.ts';
import { type ErrorCode, isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { Scope } from '../../shared/scopes.ts';
import type { AccountReads } from '../identity/account-reads.ts';
import { isApiKey } from '../identity/api-key.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import { atTestClock, limitId, type Principal, scopeProblem } from '../identity/principal.ts';
import type { ApiKeyCache, CachedKey } from './api-key-cache.ts';

export const keyGuardCodes: readonly ErrorCode[] = [
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
  keys: ApiKeyCache,
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
    if (key === null) {
      return reply.refuse(await limiter.failed(request.ip, refusal('missing_api_key'), reply));
    }
    const cached = keys.findCached(key);
    let found = cached === null ? await lookUp(key, mayRemember, request, reply) : judged(cached, request);
    if (cached !== null && !isRefusal(found) && !isEnough(found, mayRemember, scopes)) {
      found = await readAnew(key, found, request, reply);
    }
    if (isRefusal(found)) return reply.refuse(found);

    const { cachedKey, problem } = found;
    request.principal = cachedKey.principal;
    if (problem !== null) {
      await limiter.show(limitedBy(cachedKey.principal), reply);
      return reply.refuse(isRevoked(cachedKey) ? await limiter.failed(request.ip, problem, reply) : problem);
    }
    const limited = limiter.admit(limitedBy(cachedKey.principal), reply);
    const refused =
      (limited instanceof Promise ? await limited : limited) ?? scopeProblem(cachedKey.principal, scopes);
    if (refused !== null) return reply.refuse(refused);
    // Any process may have moved the test clock, so read it from the database.
    return cachedKey.principal.mode === 'test' ? confirm(request, reply) : undefined;
  }

  async function lookUp(
    key: string,
    mayRemember: boolean,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Judged | Refusal> {
    const { ip } = request;
    if (!isApiKey(key, 'any')) return limiter.failed(ip, refusal('invalid_api_key'), reply);
    const look = () => (mayRemember ? keys.find(key) : keys.findFresh(key));
    let cachedKey = keys.isFamiliar(key) ? await look() : await limiter.guess(ip, reply, look);
    if (isRefusal(cachedKey)) {
      if (!(await keys.isFamiliarAtLast(key))) return cachedKey;
      reply.removeHeader('retry-after');
      cachedKey = await look();
    }
    if (cachedKey === null) return limiter.failed(ip, refusal('invalid_api_key'), reply);
    const found = judged(cachedKey, request);
    if (found.problem === null || isRevoked(cachedKey)) return found;
    request.principal = cachedKey.principal;
    return (await limiter.refused(limitedBy(cachedKey.principal), reply)) ?? found;
  }

  /** Reads a key again before refusing it, because an administrator may have just lifted the reason. Rate limited. */
  async function readAnew(
    key: string,
    found: Judged,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Judged | Refusal> {
    request.principal = found.cachedKey.principal;
    const limit = limitedBy(request.principal);
    const limited = await (found.problem === null
      ? limiter.foresee(limit, reply)
      : limiter.refused(limit, reply));
    if (limited !== null) return limited;
    const cachedKey = await keys.findFresh(key);
    return cachedKey === null ? refusal('invalid_api_key') : judged(cachedKey, request);
  }

  async function confirm(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { id, accessVersion } = request.principal.account;
    const counters = await accounts.findCounters(id);
    if (counters?.accessVersion === accessVersion) {
      request.counters = counters;
      const { testClock } = counters;
      if (testClock !== null) request.principal = atTestClock(request.principal, testClock);
      return;
    }
    const principal = await authenticateAgain(request);
    if (isRefusal(principal)) return reply.refuse(principal);
    // After a test reset, the key belongs to another account than the counters.
    request.counters = counters === null || principal.account.id !== id ? principal.account : counters;
  }

  async function authenticateAgain(request: FastifyRequest): Promise<Principal | Refusal> {
    const key = bearerKey(request);
    const cachedKey = key === null ? null : await keys.findFresh(key);
    return cachedKey === null ? refusal('invalid_api_key') : admitted(cachedKey, request);
  }

  /** A cached key that is still current suffices, so that bulks which use other keys of the account query nothing. */
  async function stillProblem(request: FastifyRequest): Promise<Refusal | null> {
    const key = bearerKey(request);
    const cachedKey = key === null ? null : keys.findCached(key);
    const found =
      cachedKey !== null && (await isCurrent(cachedKey))
        ? admitted(cachedKey, request)
        : await authenticateAgain(request);
    return isRefusal(found) ? found : null;
  }

  async function isCurrent({ principal: { account } }: CachedKey): Promise<boolean> {
    return (await accounts.getCounters(account.id)).accessVersion === account.accessVersion;
  }

  return {
    kind: 'key',
    codes: keyGuardCodes,
    authenticate: (request, reply, scopes) => authenticateBy(true, request, reply, scopes),
    authenticateFresh: (request, reply, scopes) => authenticateBy(false, request, reply, scopes),
    confirm,
    admitAsMany: ({ principal }, reply, count, at) =>
      limiter.admitAsMany(limitedBy(principal), count, at, reply),
    authenticateAgain,
    stillProblem,
  };
}

function admitted(cachedKey: CachedKey, request: FastifyRequest): Principal | Refusal {
  const problem = accessProblem(cachedKey, request.ip);
  if (problem !== null) return problem;
  request.principal = cachedKey.principal;
  const { scopes = [] } = request.routeOptions.config;
  return scopeProblem(cachedKey.principal, scopes) ?? cachedKey.principal;
}

function bearerKey({ headers: { authorization = '' } }: FastifyRequest): string | null {
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return null;
  const key = authorization.slice(7).trim();
  return key === '' ? null : key;
}

function limitedBy({ account, actor }: Principal): LimitedCaller {
  const isLimited = actor.type === 'key' && actor.rateLimitPerMinute !== null;
  return {
    account: { id: limitId(account), rateLimitPerMinute: account.rateLimitPerMinute },
    key: isLimited ? { id: actor.id, rateLimitPerMinute: actor.rateLimitPerMinute } : null,
  };
}

function isRevoked(cachedKey: CachedKey): boolean {
  return cachedKey.ended() === 'revoked';
}

interface Judged {
  readonly cachedKey: CachedKey;
  readonly problem: Refusal | null;
}

/** A cached refusal must be read again, except for a revoked key, which stays revoked. */
function isEnough({ cachedKey, problem }: Judged, mayRemember: boolean, scopes: readonly Scope[]): boolean {
  if (isRevoked(cachedKey)) return true;
  return mayRemember && problem === null && scopeProblem(cachedKey.principal, scopes) === null;
}

function judged(cachedKey: CachedKey, { ip }: FastifyRequest): Judged {
  return { cachedKey, problem: accessProblem(cachedKey, ip) };
}

function accessProblem({ principal, ended, allowList }: CachedKey, address: string): Refusal | null {
  const end = ended();
  if (end !== null) return refusal('revoked_api_key', end === 'expired' ? { reason: end } : {});
  const { account } = principal;
  if (account.blocked) return refusal('account_blocked');
  if (!account.apiEnabled) return refusal('api_disabled');
  return allowList.allows(address) ? null : refusal('ip_not_allowed');
}
