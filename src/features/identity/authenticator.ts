// What a route guard offers to its routes, implemented for API keys (api-key-auth.ts) and sessions (session-auth.ts).

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallerKind, RouteGuard } from '../../platform/http/route-declarations.ts';
import type { Awaitable } from '../../shared/awaitable.ts';
import type { ErrorCode, Refusal } from '../../shared/error-catalog.ts';
import type { AccountCounters } from './account-table.ts';
import type { Principal } from './principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller. Set behind `authenticate`, and for recognized callers that it refused. */
    principal: Principal;
    /** Current balance and counters. Set for reads behind `confirm`. */
    counters: AccountCounters;
  }
}

export interface Authenticator {
  readonly kind: CallerKind;
  /** Its own refusals, which any request may get. */
  readonly codes: readonly ErrorCode[];
  /** Sets request.principal for routes that need these scopes, or sends the refusal. */
  authenticate: RouteGuard['authenticate'];
  /** The same without a cache: an administrator's rights are read from the database. */
  authenticateFresh: RouteGuard['authenticate'];
  /** For database reads: rechecks the caller's rights and sets request.counters, so changes count before their NOTIFY. */
  confirm(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  readonly reauthenticate?: RouteGuard['reauthenticate'];
  /** Counts the request, admitted at `at`, as many; a refusal counts nothing. See RateLimiter.admitAsMany. */
  admitAsMany(
    request: FastifyRequest,
    reply: FastifyReply,
    count: number,
    at: number,
  ): Awaitable<Refusal | null>;
  /** Authenticates again after a change of rights. Counts nothing. */
  authenticateAgain(request: FastifyRequest): Promise<Principal | Refusal>;
  /** After a wait, before the answer: why the caller may no longer get it; null: may. Counts nothing. */
  stillProblem(request: FastifyRequest): Promise<Refusal | null>;
}
