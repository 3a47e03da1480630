// People change their own settings: password, e-mail, language, clock.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse, RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { PasswordCost } from '../../platform/secrets/password-hash.ts';
import { hashPassword } from '../../platform/secrets/password-hash.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { addressOwner } from '../../shared/ip-addresses.ts';
import { emailRefusal } from '../../shared/mail-addresses.ts';
import { changeAccount } from '../accounts/account-store.ts';
import { chosenPasswordRefusal } from '../auth/password-rules.ts';
import type { SessionGuard } from '../auth/session-auth.ts';
import type { SessionStore } from '../auth/session-store.ts';
import { writeClock, writeLanguage } from '../identity/people-rows.ts';
import { isOwnLogin } from '../identity/people-table.ts';
import { actorOf, scopeProblem } from '../identity/principal.ts';
import { changeOwnEmail, changePassword } from './manage-people.ts';
import {
  clockBodySchema,
  emailBodySchema,
  languageBodySchema,
  newPasswordBodySchema,
  savedEmailSchema,
} from './profile-schemas.ts';

const noContent = { 204: { type: 'null' } };

interface ProfileRoutesDependencies {
  readonly database: Database;
  readonly forgetAccount: (accountId: number) => void;
  readonly guard: SessionGuard;
  readonly limiter: RateLimiter;
  readonly passwordCost: PasswordCost;
  readonly sessions: SessionStore;
}

export function profileRoutes(app: FastifyInstance, dependencies: ProfileRoutesDependencies): void {
  const { database } = dependencies;
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
        summary: 'Set the language of your pages and mails',
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
        summary: 'Set the time zone in which you read times',
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
        summary: 'Set your e-mail address',
        description:
          'Links to a new password, and news of sign-ins from new addresses. Of the account’s own login it is the address of the account, which takes the scope people:write.',
        body: emailBodySchema,
        response: { 200: savedEmailSchema },
      },
    },
    (request, reply) => setEmail(dependencies, request, reply),
  );
}

async function changePasswordHandler(
  { limiter, passwordCost, database, sessions, guard, forgetAccount }: ProfileRoutesDependencies,
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
  if (!(await changePassword(database, person, password, actorOf(principal)))) {
    throw new RequestRefused('not_signed_in');
  }
  const renewed = await sessions.surviveNewPassword(request.session);
  if (renewed !== null) guard.setCookie(reply, renewed);
  forgetAccount(id);
  return reply.code(204).send();
}

async function setEmail(
  { limiter, database, forgetAccount }: ProfileRoutesDependencies,
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
