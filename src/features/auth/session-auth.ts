// The panel's guard: turns the session cookie into the principal, after checking that changes come from this service's own
// pages. Session and account are read for every request, so revocation is immediate. Allow-lists and "API off" concern keys
// only.

import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  destroyOnceHungUp,
  type PerAccountConcurrency,
} from '../../platform/limits/per-account-concurrency.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import { createTokenLookups } from '../../platform/limits/token-lookup-limit.ts';
import { type ErrorCode, isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import { isRoleNamed, type NamedRole, type Scope, viewScopes } from '../../shared/scopes.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Account } from '../identity/account-table.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { Person } from '../identity/people-table.ts';
import {
  inTestMode,
  isOfTestMode,
  type Principal,
  personPrincipal,
  scopeProblem,
  viewPrincipal,
} from '../identity/principal.ts';
import type { AccountViews } from './account-views.ts';
import type { Reauthentication } from './reauthentication.ts';
import { type Session, type SessionStore, type SessionToken, sessionId } from './session-store.ts';

declare module 'fastify' {
  interface FastifyRequest {
    session: Session;
    person: Person;
    isTotpEnabled: boolean;
    viewer: Principal | null;
  }
}

const sessionGuardCodes: readonly ErrorCode[] = [
  'invalid_json',
  'not_signed_in',
  'account_blocked',
  'password_change_required',
  'second_factor_required',
  'view_read_only',
  'view_ended',
  'forbidden_origin',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];

export interface SessionGuard extends Authenticator {
  /** Refuses cross-site requests. Routes without a sign-in call it too. */
  refuseForeign(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  sentToken(request: FastifyRequest): SessionToken | null;
  end(request: FastifyRequest, reply: FastifyReply): Promise<Refusal | null>;
  setCookie(reply: FastifyReply, token: SessionToken): void;
  clearCookie(reply: FastifyReply): void;
}

export interface SessionGuardDependencies {
  readonly sessions: SessionStore;
  readonly limiter: RateLimiter;
  readonly lists: PerAccountConcurrency;
  readonly exports: PerAccountConcurrency;
  readonly reauthenticate: Reauthentication;
  readonly secondFactorRoles: ReadonlySet<NamedRole>;
  readonly views: AccountViews;
  readonly testAccountOf: (accountId: number) => Promise<Account>;
  readonly publicUrl: () => string;
  readonly now: () => EpochSeconds;
}

export function createSessionGuard(dependencies: SessionGuardDependencies): SessionGuard {
  const {
    sessions,
    views,
    limiter,
    lists,
    exports,
    reauthenticate,
    secondFactorRoles,
    testAccountOf,
    publicUrl,
    now,
  } = dependencies;
  const tokens = createTokenLookups(limiter);
  const { sentToken, setCookie, isForeign } = createSessionCookie(publicUrl);

  async function refuseForeign(request: FastifyRequest, reply: FastifyReply) {
    return isForeign(request) ? reply.refuse(refusal('forbidden_origin')) : undefined;
  }

  async function authenticateAgain(request: FastifyRequest): Promise<Principal | Refusal> {
    const { mode } = request.principal;
    const token = sentToken(request);
    const found = recognize(request, token === null ? null : await sessions.find(token, now()), now);
    if (isRefusal(found)) return found;
    const { scopes = [] } = request.routeOptions.config;
    if (wantsView(request)) return (await viewProblem(request, scopes)) ?? request.principal;
    const problem = scopeProblem(found, scopes);
    if (problem !== null) return problem;
    return mode === 'live' ? found : lookAtTests(request, found.account.id);
  }

  async function lookAtTests(request: FastifyRequest, accountId: number): Promise<Principal> {
    request.principal = inTestMode(request.principal, await testAccountOf(accountId));
    return request.principal;
  }

  /** Replaces the principal by the viewed account, for reads only. It may be blocked. */
  async function viewProblem(request: FastifyRequest, scopes: readonly Scope[]): Promise<Refusal | null> {
    const { method, headers, principal: viewer, session, routeOptions } = request;
    const { hasView = isOfViews(scopes) } = routeOptions.config ?? {};
    // Views do not show test mode, because its first use creates an account, and a view must not write.
    const isShown = hasView && headers['sellthrough-mode'] !== 'test';
    if (method !== 'GET' || !isShown) return refusal('view_read_only');
    const mayLook = scopeProblem(viewer, ['admin:read']) === null;
    const account = mayLook ? await views.find(session, String(headers['x-view-account']), now()) : null;
    if (account === null) return refusal('view_ended');
    request.viewer = viewer;
    request.principal = viewPrincipal(viewer, account);
    return null;
  }

  async function authenticate(request: FastifyRequest, reply: FastifyReply, scopes: readonly Scope[]) {
    if (isForeign(request)) return reply.refuse(refusal('forbidden_origin'));
    const token = sentToken(request);
    if (token === null) return reply.refuse(refusal('not_signed_in'));
    // Invented tokens are throttled like invented keys.
    const found = await tokens.find(textOf(token), request, reply, () => sessions.find(token, now()));
    if (isRefusal(found)) return reply.refuse(found);
    const principal = recognize(request, found, now);
    if (isRefusal(principal) && principal.code === 'not_signed_in') {
      return reply.refuse(await limiter.failed(request.ip, principal, reply));
    }
    // The person's own limit applies, even while they view another account.
    const { account } = request.principal;
    const limited = await limiter.admitSession(sessionId(request.session), request.person.id, reply);
    if (limited !== null) return reply.refuse(limited);
    const refused = isRefusal(principal)
      ? principal
      : (firstSignInProblem(request) ??
        secondFactorProblem(request, secondFactorRoles) ??
        (await (wantsView(request) ? viewProblem(request, scopes) : scopeProblem(principal, scopes))));
    if (refused !== null) return reply.refuse(refused);
    if (request.viewer === null && wantsTests(request, scopes)) await lookAtTests(request, account.id);
    // Routes without a scope concern the session itself: ending a stolen session must not wait behind its own reads.
    if (request.method !== 'GET' || scopes.length === 0) return undefined;
    destroyOnceHungUp(reply);
    const concurrency = request.routeOptions.config.takesLong === true ? exports : lists;
    const crowded = await concurrency.take(account.id, reply);
    return crowded === null ? undefined : reply.refuse(crowded);
  }

  return {
    kind: 'session',
    codes: sessionGuardCodes,
    authenticate,
    authenticateFresh: authenticate,
    async reauthenticate(request, reply, sensitiveAction) {
      const refused = await reauthenticate(request, sensitiveAction);
      return refused === null ? undefined : reply.refuse(refused);
    },
    async confirm(request) {
      request.counters = request.principal.account;
      return undefined;
    },
    admitAsMany: ({ session, person }, reply, count, at) =>
      limiter.admitSessionAsMany(sessionId(session), person.id, count, at, reply),
    authenticateAgain,
    async stillProblem(request) {
      const found = await authenticateAgain(request);
      return isRefusal(found) ? found : null;
    },
    refuseForeign,
    sentToken,
    async end(request, reply) {
      const token = sentToken(request);
      if (token === null) return null;
      const ended = await tokens.find(textOf(token), request, reply, () => sessions.end(token));
      return isRefusal(ended) ? ended : null;
    },
    setCookie(reply, token) {
      tokens.know(textOf(token));
      setCookie(reply, textOf(token), sessions.limits.absoluteSeconds);
    },
    clearCookie: (reply) => setCookie(reply, '', 0),
  };
}

function createSessionCookie(publicUrl: () => string) {
  const isSecure = () => publicUrl().startsWith('https:');
  // The prefix __Host- binds the cookie to this host and HTTPS. Plain HTTP cannot use it.
  const cookieName = () => (isSecure() ? '__Host-sellthrough' : 'sellthrough');

  function sentToken({ cookies }: FastifyRequest): SessionToken | null {
    const match = /^([1-9]\d{0,8})\.([A-Za-z0-9_-]{43})$/.exec(cookies[cookieName()] ?? '');
    return match === null ? null : { personId: Number(match[1]), token: match[2] ?? '' };
  }

  function setCookie(reply: FastifyReply, value: string, maxAge: number): void {
    const attributes = { path: '/', maxAge, httpOnly: true, sameSite: 'strict', secure: isSecure() } as const;
    reply.setCookie(cookieName(), value, attributes);
  }

  function isForeign({ method, headers }: FastifyRequest): boolean {
    if (method === 'GET' || method === 'HEAD') return false;
    const site = headers['sec-fetch-site'];
    if (site !== undefined) return site !== 'same-origin';
    const { origin } = headers;
    if (origin === undefined) return true;
    if (origin === new URL(publicUrl()).origin) return false;
    // Without TLS, the browser sends no Sec-Fetch-Site and may use another host name than PUBLIC_URL.
    return isSecure() || origin !== `http://${headers.host}`;
  }

  return { sentToken, setCookie, isForeign };
}

function recognize(
  request: FastifyRequest,
  found: Awaited<ReturnType<SessionStore['find']>>,
  now: () => EpochSeconds,
): Principal | Refusal {
  if (found === null) return refusal('not_signed_in');
  const { account, person, session, isTotpEnabled } = found;
  request.principal = personPrincipal(account, person, sessionId(session), now);
  request.session = session;
  request.viewer = null;
  request.person = person;
  request.isTotpEnabled = isTotpEnabled;
  return account.blocked ? refusal('account_blocked') : request.principal;
}

/** A header selects test mode. Routes about sessions, keys or the operator do not have it. */
function wantsTests({ headers, routeOptions }: FastifyRequest, scopes: readonly Scope[]): boolean {
  const hasTestMode = isOfTestMode(scopes) || routeOptions.config?.hasTestMode === true;
  return headers['sellthrough-mode'] === 'test' && hasTestMode;
}

function wantsView({ headers }: FastifyRequest): boolean {
  return headers['x-view-account'] !== undefined;
}

/** If another person knows the password, its owner may only choose a new one. */
function firstSignInProblem({ routeOptions, person }: FastifyRequest): Refusal | null {
  const isOpen = !person.mustChangePassword || routeOptions.config?.isForFirstSignIn === true;
  return isOpen ? null : refusal('password_change_required');
}

/** A person who lacks a required second factor may only set it up, after choosing a password. */
function secondFactorProblem(
  request: FastifyRequest,
  secondFactorRoles: ReadonlySet<NamedRole>,
): Refusal | null {
  const { person, isTotpEnabled, routeOptions, principal } = request;
  if (isTotpEnabled || !isRoleNamed(secondFactorRoles, principal.account, person.role)) return null;
  const { isForSecondFactor, isForFirstSignIn } = routeOptions.config ?? {};
  const isOpen = isForSecondFactor === true || (person.mustChangePassword && isForFirstSignIn === true);
  return isOpen ? null : refusal('second_factor_required');
}

function isOfViews(scopes: readonly Scope[]): boolean {
  return scopes.length > 0 && scopes.every((scope) => viewScopes.has(scope));
}

function textOf({ personId, token }: SessionToken): string {
  return `${personId}.${token}`;
}
