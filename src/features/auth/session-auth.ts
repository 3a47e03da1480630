// The panel's guard: from the session's cookie to the principal, in place of the API's bearer key. A request
// that changes something must come from this service's own pages; then the session must be alive, its account
// not blocked, its rate limit not used up, and its password one that its holder chose. "API on or off" and the
// allow-list concern keys.
// Every request reads the session and the account from the database: what was revoked is revoked at once.
// A sensitive action takes the password as well: a cookie can be stolen, or its browser borrowed. And where the operator
// requires a second factor of a role, whoever has it sets one up first.

import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  destroyOnceHungUp,
  type PerAccountConcurrency,
} from '../../platform/limits/per-account-concurrency.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import { createTokenLookups } from '../../platform/limits/token-lookup-limit.ts';
import { type ErrorCode, isRefusal, type Refusal, refusal } from '../../shared/error-catalogue.ts';
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
    /** The session whose cookie was sent, for the routes about sessions. Set for every route behind the panel's guard. */
    session: Session;
    /** Whose session it is, and whether codes are on at their sign-in. Set with it. */
    person: Person;
    isTotpEnabled: boolean;
    /** The administrator who looks at the account of the principal, as themselves; null: everybody else. */
    viewer: Principal | null;
  }
}

/** What every request of the panel can be answered with. */
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
  /** Refuses what another site's page makes a browser send. Also for routes that need no sign-in. */
  refuseForeign(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  /** What the cookie holds; null where there is none of ours. */
  sentToken(request: FastifyRequest): SessionToken | null;
  /** Ends the session whose cookie was sent, if it is one. */
  end(request: FastifyRequest, reply: FastifyReply): Promise<Refusal | null>;
  setCookie(reply: FastifyReply, token: SessionToken): void;
  clearCookie(reply: FastifyReply): void;
}

export interface SessionGuardDependencies {
  readonly sessions: SessionStore;
  readonly limiter: RateLimiter;
  /** What an account's sessions read at once. */
  readonly lists: PerAccountConcurrency;
  /** The same of what takes long. */
  readonly exports: PerAccountConcurrency;
  readonly reauthenticate: Reauthentication;
  readonly secondFactorRoles: ReadonlySet<NamedRole>;
  readonly views: AccountViews;
  /** The account's test account, which is made when it is first looked at. */
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

  /** Also what the route needs: the person may have another role by now. */
  async function authenticateAgain(request: FastifyRequest): Promise<Principal | Refusal> {
    const { mode } = request.principal;
    const token = sentToken(request);
    const found = recognise(request, token === null ? null : await sessions.find(token, now()), now);
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

  /**
   * The request of an administrator's page that shows another account as its owner sees it: from here on the principal is that
   * account's, for whatever is read of it and changes nothing. A block of the account is nothing to who looks.
   */
  async function viewProblem(request: FastifyRequest, scopes: readonly Scope[]): Promise<Refusal | null> {
    const { method, headers, principal: viewer, session, routeOptions } = request;
    const { hasView = isOfViews(scopes) } = routeOptions.config ?? {};
    // Tests are made when they are first looked at.
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
    // Whoever makes up tokens is slowed down like whoever makes up keys.
    const found = await tokens.find(textOf(token), request, reply, () => sessions.find(token, now()));
    if (isRefusal(found)) return reply.refuse(found);
    const principal = recognise(request, found, now);
    if (isRefusal(principal) && principal.code === 'not_signed_in') {
      return reply.refuse(await limiter.failed(request.ip, principal, reply));
    }
    // Their own, whichever account they look at.
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
    // Without a scope it is about the session itself: whoever wants to end a stolen one need not wait behind it.
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
    // Read with the session, in this very request.
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

/** The cookie of a session, and what tells its page from a foreign one. */
function createSessionCookie(publicUrl: () => string) {
  const isSecure = () => publicUrl().startsWith('https:');
  // __Host- binds the cookie to this host and to https; plain http, as on a first try, cannot have it.
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
    // Without TLS a browser may know this service by another name than PUBLIC_URL, and sends no Sec-Fetch-Site.
    return isSecure() || origin !== `http://${headers.host}`;
  }

  return { sentToken, setCookie, isForeign };
}

function recognise(
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

/** The page asks for test mode by a header; it has none of what is the session's own, the keys' or the operator's. */
function wantsTests({ headers, routeOptions }: FastifyRequest, scopes: readonly Scope[]): boolean {
  const hasTestMode = isOfTestMode(scopes) || routeOptions.config?.hasTestMode === true;
  return headers['sellthrough-mode'] === 'test' && hasTestMode;
}

function wantsView({ headers }: FastifyRequest): boolean {
  return headers['x-view-account'] !== undefined;
}

/** Whoever knows a password that somebody else knows too may choose one, and nothing else. */
function firstSignInProblem({ routeOptions, person }: FastifyRequest): Refusal | null {
  const isOpen = !person.mustChangePassword || routeOptions.config?.isForFirstSignIn === true;
  return isOpen ? null : refusal('password_change_required');
}

/** Whoever needs a second factor may set one up, and nothing else; before that, their first password. */
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
