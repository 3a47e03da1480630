// What a guard of routes is to those routes, by whichever way it lets callers in: an API key (api-key-auth.ts) or a session
// (session-auth.ts).

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallerKind, RouteGuard } from '../../platform/http/route-declarations.ts';
import type { Awaitable } from '../../shared/awaitable.ts';
import type { ErrorCode, Refusal } from '../../shared/error-catalogue.ts';
import type { AccountCounters } from './account-table.ts';
import type { Principal } from './principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling. Set for every route behind `authenticate`, and for whoever it recognised and refused. */
    principal: Principal;
    /** Its balance and counters as they are now. Set for reads behind `confirm`. */
    counters: AccountCounters;
  }
}

export interface Authenticator {
  readonly kind: CallerKind;
  /** What it refuses with, and what any request may be answered with. */
  readonly codes: readonly ErrorCode[];
  /** Sets request.principal and lets it through to a route that needs these scopes, or answers with the refusal. */
  authenticate: RouteGuard['authenticate'];
  /** The same, from the database: no cache stands between an administrator's rights and what they may do. */
  authenticateFresh: RouteGuard['authenticate'];
  /**
   * For reads from the database: the caller's rights are compared with the account as it is there now, and
   * request.counters is set. So a change that another process made counts before its NOTIFY arrives.
   */
  confirm(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  /** Of sessions alone: a key is not borrowed. */
  readonly reauthenticate?: RouteGuard['reauthenticate'];
  /** Counts the request, which was let in at `at`, as many; refused, it counts for nothing. See RateLimiter.admitAsMany. */
  admitAsMany(
    request: FastifyRequest,
    reply: FastifyReply,
    count: number,
    at: number,
  ): Awaitable<Refusal | null>;
  /** Reads the caller afresh, after its rights moved under a request. Counts nothing. */
  authenticateAgain(request: FastifyRequest): Promise<Principal | Refusal>;
  /** Behind a wait, before the answer: why they may not have it any more; null: they may. Counts nothing. */
  stillProblem(request: FastifyRequest): Promise<Refusal | null>;
}
