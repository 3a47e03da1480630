// Who is signed in, where else, with which password, where mail for them goes and in which language they read: /me,
// /person, /sessions, /password, /email, /language.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse, RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { PasswordCost } from '../../platform/secrets/password-hash.ts';
import { hashPassword } from '../../platform/secrets/password-hash.ts';
import { createAllowList } from '../../shared/allow-list.ts';
import { fieldRefusal } from '../../shared/error-catalogue.ts';
import { addressOwner, plainAddress } from '../../shared/ip-addresses.ts';
import { emailRefusal } from '../../shared/mail-addresses.ts';
import type { NamedRole } from '../../shared/scopes.ts';
import { isRoleNamed } from '../../shared/scopes.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { formatTime } from '../../shared/times.ts';
import { changeAccount } from '../accounts/account-store.ts';
import { accountView } from '../identity/account-view.ts';
import { findKeyFacts } from '../identity/api-key-rows.ts';
import { writeClock, writeLanguage } from '../identity/people-rows.ts';
import { isOwnLogin } from '../identity/people-table.ts';
import { actorOf, scopeProblem } from '../identity/principal.ts';
import { changeOwnEmail, changePassword } from '../people/manage-people.ts';
import { personView } from '../people/person-view.ts';
import {
  clockBodySchema,
  emailBodySchema,
  languageBodySchema,
  meSchema,
  newPasswordBodySchema,
  savedEmailSchema,
  signedInPersonSchema,
} from '../people/profile-schemas.ts';
import type { PasswordLinks } from './password-links.ts';
import { chosenPasswordRefusal } from './password-rules.ts';
import type { SessionGuard } from './session-auth.ts';
import type { SessionStore } from './session-store.ts';
import { sessionExpiry, sessionId } from './session-store.ts';
import { sessionListSchema } from './sign-in-schemas.ts';
import { findTotpHolders } from './totp-store.ts';

interface SessionRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
  /** Drops what is kept in memory of an account, without waiting for the NOTIFY to come round. */
  readonly forgetAccount: (accountId: number) => void;
  readonly guard: SessionGuard;
  readonly limiter: RateLimiter;
  readonly now: () => EpochSeconds;
  readonly passwordCost: PasswordCost;
  readonly passwordLinks: PasswordLinks;
  readonly publicUrl: () => string;
  readonly reauthenticatedSeconds: number;
  readonly secondFactorRoles: ReadonlySet<NamedRole>;
  readonly sessions: SessionStore;
}

const noContent = { 204: { type: 'null' } };

export function sessionRoutes(app: FastifyInstance, dependencies: SessionRoutesDependencies): void {
  const { database, sessions } = dependencies;

  app.get(
    '/me',
    {
      config: { scopes: [], codes: [], isForFirstSignIn: true, isForSecondFactor: true, hasView: true },
      schema: { operationId: 'getMe', summary: 'Who is signed in', response: { 200: meSchema } },
    },
    (request, reply) => getMe(dependencies, request, reply),
  );

  app.get(
    '/person',
    {
      config: { scopes: [], codes: [], isForSecondFactor: true, hasView: true },
      schema: {
        operationId: 'getPerson',
        summary: 'The person who is signed in, and what they may do',
        response: { 200: signedInPersonSchema },
      },
    },
    (request, reply) => getPerson(dependencies, request, reply),
  );

  app.get(
    '/sessions',
    {
      config: { scopes: [], codes: [] },
      schema: {
        operationId: 'listSessions',
        summary: 'Sessions, the most recently used first',
        response: { 200: sessionListSchema },
      },
    },
    (request, reply) => listSessions(dependencies, request, reply),
  );

  app.delete<{ Params: { id: string } }>(
    '/sessions/:id',
    {
      config: { scopes: [], codes: ['session_not_found'] },
      schema: { operationId: 'endSession', summary: 'End a session', response: noContent },
    },
    async (request, reply) => {
      const ended = await sessions.endById(request.person.id, request.params.id);
      if (!ended) throw new RequestRefused('session_not_found');
      return reply.code(204).send();
    },
  );

  app.delete(
    '/sessions',
    {
      config: { scopes: [], codes: [] },
      schema: { operationId: 'endOtherSessions', summary: 'End all other sessions', response: noContent },
    },
    async (request, reply) => {
      await sessions.endOthers(request.session);
      return reply.code(204).send();
    },
  );

  app.post<WithBody<typeof newPasswordBodySchema>>(
    '/password',
    {
      config: {
        scopes: [],
        codes: ['validation_failed'],
        sensitiveAction: { passwordField: 'current_password', isAskedAlways: true },
        isForFirstSignIn: true,
      },
      schema: {
        operationId: 'changePassword',
        summary: 'Change the password',
        description:
          'Ends all other sessions. This one goes on under a new cookie, which comes with the answer.',
        body: newPasswordBodySchema,
        response: noContent,
      },
    },
    (request, reply) => changePasswordHandler(dependencies, request, reply),
  );

  app.put<WithBody<typeof languageBodySchema>>(
    '/language',
    {
      config: { scopes: [], codes: ['validation_failed'] },
      schema: {
        operationId: 'setLanguage',
        summary: 'Set the language of what whoever is signed in sees and is mailed',
        body: languageBodySchema,
        response: { 200: languageBodySchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      await writeLanguage(database, request.person.id, body.language);
      return reply.send({ language: body.language });
    },
  );

  app.put<WithBody<typeof clockBodySchema>>(
    '/clock',
    {
      config: { scopes: [], codes: ['validation_failed'] },
      schema: {
        operationId: 'setClock',
        summary: 'Set the clock on which whoever is signed in reads times',
        body: clockBodySchema,
        response: { 200: clockBodySchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      await writeClock(database, request.person.id, body.clock);
      return reply.send({ clock: body.clock });
    },
  );

  app.put<WithBody<typeof emailBodySchema>>(
    '/email',
    {
      config: {
        scopes: [],
        codes: ['validation_failed', 'insufficient_scope'],
        sensitiveAction: { passwordField: 'password', isAskedAlways: true },
      },
      schema: {
        operationId: 'setEmail',
        summary: 'Set where mail for whoever is signed in goes',
        description:
          'Links to a new password, and news of sign-ins from new addresses. Of the account’s own login it is the address of the account, which takes the scope people:write.',
        body: emailBodySchema,
        response: { 200: savedEmailSchema },
      },
    },
    (request, reply) => setEmail(dependencies, request, reply),
  );
}

async function getMe(
  { database, currency, publicUrl, passwordLinks, sessions }: SessionRoutesDependencies,
  { principal: { account }, viewer, person, isTotpEnabled, session, ip }: FastifyRequest,
  reply: FastifyReply,
) {
  const key = await findKeyFacts(database, account.id);
  const hasTotp =
    viewer === null ? isTotpEnabled : (await findTotpHolders(database, [account.id])).has(account.id);
  return reply.send({
    account: accountView(account, currency, hasTotp),
    api_url: `${publicUrl()}/api/v1`,
    address: plainAddress(ip),
    // Nobody who only looks uses a key.
    address_allowed: viewer !== null || createAllowList(account.allowedIps).allows(ip),
    totp_enabled: hasTotp,
    mail: passwordLinks.isOn,
    language: person.language,
    clock: person.clock,
    must_change_password: person.mustChangePassword,
    checklist: {
      // Whoever uses it has seen it.
      key_viewed: key !== null && (key.viewedAt !== null || key.lastUsedAt !== null),
      first_order: account.orderCount > 0,
      allow_list: account.allowedIps.length > 0,
    },
    session: {
      created_at: formatTime(session.createdAt),
      expires_at: formatTime(sessionExpiry(session, sessions.limits)),
    },
  });
}

async function getPerson(
  { reauthenticatedSeconds, secondFactorRoles, now }: SessionRoutesDependencies,
  { principal, viewer, person, isTotpEnabled, session }: FastifyRequest,
  reply: FastifyReply,
) {
  const { account } = viewer ?? principal;
  const until = (session.confirmedAt ?? 0) + reauthenticatedSeconds;
  return reply.send({
    person: personView(person, account, isTotpEnabled, 'active'),
    scopes: [...principal.scopes],
    second_factor_required: isRoleNamed(secondFactorRoles, account, person.role),
    reauthenticated_until: until > now() ? formatTime(until) : null,
  });
}

async function listSessions(
  { sessions, now }: SessionRoutesDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const list = await sessions.list(request.person.id, now());
  const data = list.map((session) => ({
    id: sessionId(session),
    created_at: formatTime(session.createdAt),
    last_seen_at: formatTime(session.lastSeenAt),
    expires_at: formatTime(sessionExpiry(session, sessions.limits)),
    address: plainAddress(session.address),
    user_agent: session.userAgent,
    current: session.tokenHash === request.session.tokenHash,
  }));
  return reply.send({ data });
}

async function changePasswordHandler(
  { limiter, passwordCost, database, sessions, guard, forgetAccount }: SessionRoutesDependencies,
  request: FastifyRequest<WithBody<typeof newPasswordBodySchema>>,
  reply: FastifyReply,
) {
  const { body } = request;
  const { principal, person } = request;
  const { account } = principal;
  const { id } = account;
  if (body.new_password === body.current_password) {
    const reason = 'must differ from the current one';
    throw new RequestRefused(fieldRefusal('validation_failed', 'new_password', reason));
  }
  const names = { username: person.username, displayName: account.displayName };
  refuseIf(await chosenPasswordRefusal('new_password', body.new_password, names));
  refuseIf(await limiter.admitAccessChange(person.id, 'sensitive_action', reply));
  const by = { cost: passwordCost, network: addressOwner(request.ip) };
  const password = { hash: await hashPassword(body.new_password, by), isInitial: false };
  // Removed at this very moment.
  if (!(await changePassword(database, person, password, actorOf(principal)))) {
    throw new RequestRefused('not_signed_in');
  }
  const renewed = await sessions.surviveNewPassword(request.session);
  if (renewed !== null) guard.setCookie(reply, renewed);
  forgetAccount(id);
  return reply.code(204).send();
}

async function setEmail(
  { limiter, database, forgetAccount }: SessionRoutesDependencies,
  request: FastifyRequest<WithBody<typeof emailBodySchema>>,
  reply: FastifyReply,
) {
  const { body } = request;
  refuseIf(emailRefusal(body.email));
  const { principal, person } = request;
  const { id } = principal.account;
  refuseIf(isOwnLogin(person) ? scopeProblem(principal, ['people:write']) : null);
  refuseIf(await limiter.admitAccessChange(person.id, 'sensitive_action', reply));
  const change = { email: body.email || null };
  const changed = orRefuse(
    isOwnLogin(person)
      ? await changeAccount(database, id, change, actorOf(principal, ['people:write']))
      : await changeOwnEmail(database, person, change.email, actorOf(principal)),
    'not_signed_in',
  );
  forgetAccount(id);
  return reply.send({ email: changed.email ?? '' });
}
