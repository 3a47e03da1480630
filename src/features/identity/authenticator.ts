import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallerKind, RouteGuard } from '../../platform/http/route-declarations.ts';
import type { Awaitable } from '../../shared/awaitable.ts';
import type { ErrorCode, Refusal } from '../../shared/error-catalog.ts';
import type { AccountCounters } from './account-table.ts';
import type { Principal } from './principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller. Set by `authenticate`, even for a recognized caller that it refused. */
    principal: Principal;
    /** The current balance and counters. Set by `confirm`, for reads. */
    counters: AccountCounters;
  }
}

export interface Authenticator {
  readonly kind: CallerKind;
  readonly codes: readonly ErrorCode[];
  authenticate: RouteGuard['authenticate'];
  /** Like `authenticate`, but reads an administrator's rights from the database instead of a cache. */
  authenticateFresh: RouteGuard['authenticate'];
  /** For reads: checks the caller's rights again and sets request.counters, so changes count before their NOTIFY. */
  confirm(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  readonly reauthenticate?: RouteGuard['reauthenticate'];
  /** Counts the request, admitted at `at`, as many. If refused, counts nothing. See RateLimiter.admitAsMany. */
  admitAsMany(
    request: FastifyRequest,
    reply: FastifyReply,
    count: number,
    at: number,
  ): Awaitable<Refusal | null>;
  /** Authenticates again after rights changed. Counts nothing. */
  authenticateAgain(request: FastifyRequest): Promise<Principal | Refusal>;
  /** Call after a wait, before the answer. Returns why the caller may no longer get it, or null. Counts nothing. */
  stillProblem(request: FastifyRequest): Promise<Refusal | null>;
}
