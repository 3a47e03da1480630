// From the bearer key to the principal, with the refusals in the contract's order: missing, unknown and
// revoked key, blocked account, API off, address not allowed, rate limit (specification "Authentication",
// decisions "Order of checks" 1 to 7). Runs before anything else looks at the request.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountReads } from '../../accounts/account-reads.ts';
import type { AccountCounters } from '../../accounts/account-table.ts';
import type { KeyDirectory, KeyHolder } from '../../accounts/key-directory.ts';
import type { Principal } from '../../accounts/principal.ts';
import { isRefusal, type Refusal, refusal } from '../../contract/error-catalogue.ts';
import type { RateLimiter } from '../../http/rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling. Set for every route behind `authenticate`, and for whoever it recognised and refused. */
    principal: Principal;
    /** Its balance and counters as they are now. Set for reads behind `confirm`. */
    counters: AccountCounters;
  }
}

export interface Authenticator {
  /** Sets request.principal, or answers with the refusal. */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  /** The same, from the database: no cache stands between an administrator's rights and what they may do. */
  authenticateFresh(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  /**
   * For reads from the database: the caller's rights are compared with the account as it is there now, and
   * request.counters is set. So a change that another process made counts before its NOTIFY arrives.
   */
  confirm(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  /** Reads the caller afresh, after its rights moved under a request. Counts nothing. */
  again(request: FastifyRequest): Promise<Principal | Refusal>;
}

export function createAuthenticator(
  keys: KeyDirectory,
  limiter: RateLimiter,
  accounts: AccountReads,
): Authenticator {
  async function authenticateBy(
    find: (key: string) => Promise<KeyHolder | null> | KeyHolder | null,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const key = bearerKey(request);
    if (key === null) return reply.refuse(limiter.failed(request.ip, refusal('missing_api_key'), reply));
    const known = await find(key);
    // A refusal from the cache is asked again: what an administrator has just lifted is lifted.
    const mayBeLifted = known !== null && !known.isRevoked && accessProblem(known, request.ip) !== null;
    const holder = mayBeLifted ? await keys.findFresh(key) : known;
    if (holder === null) return reply.refuse(limiter.failed(request.ip, refusal('invalid_api_key'), reply));

    request.principal = holder.principal;
    const { account } = holder.principal;
    const problem = accessProblem(holder, request.ip);
    if (problem !== null) {
      limiter.show(account, reply);
      if (problem.code !== 'revoked_api_key') return reply.refuse(problem);
      return reply.refuse(limiter.failed(request.ip, problem, reply));
    }
    const limited = limiter.admit(account, reply);
    return limited === null ? undefined : reply.refuse(limited);
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
    authenticate: (request, reply) => authenticateBy(keys.find, request, reply),
    authenticateFresh: (request, reply) => authenticateBy(keys.findFresh, request, reply),
    async confirm(request, reply) {
      const { id, accessVersion } = request.principal.account;
      request.counters = await accounts.getCounters(id);
      if (request.counters.accessVersion === accessVersion) return;
      const principal = await again(request);
      if (isRefusal(principal)) return reply.refuse(principal);
    },
    again,
  };
}

/** "Bearer <key>", the scheme in any case; null when there is none. */
function bearerKey({ headers: { authorization = '' } }: FastifyRequest): string | null {
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return null;
  const key = authorization.slice(7).trim();
  return key === '' ? null : key;
}

function accessProblem({ principal, isRevoked, allowList }: KeyHolder, address: string): Refusal | null {
  if (isRevoked) return refusal('revoked_api_key');
  const { account } = principal;
  if (account.blocked) return refusal('account_blocked');
  if (!account.apiEnabled) return refusal('api_disabled');
  return allowList.allows(address) ? null : refusal('ip_not_allowed');
}
