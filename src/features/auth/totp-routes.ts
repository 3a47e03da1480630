// Sets up TOTP. An administrator can disable it for a person who lost app and recovery codes.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse, RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { AttemptThrottle } from '../../platform/limits/sign-in-throttle.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import type { NamedRole } from '../../shared/scopes.ts';
import { isRoleNamed } from '../../shared/scopes.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { BrandHolder } from '../brand/brand-store.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { actorOf, administratorProblem } from '../identity/principal.ts';
import {
  codeBodySchema,
  currentPasswordBodySchema,
  disableTotpBodySchema,
  passwordBodySchema,
  recoveryCodesSchema,
  totpEnrolmentSchema,
} from './sign-in-schemas.ts';
import type { TotpStore } from './totp-store.ts';

interface TotpRoutesDependencies {
  readonly brand: BrandHolder;
  readonly limiter: RateLimiter;
  readonly now: () => EpochSeconds;
  readonly secondFactorRoles: ReadonlySet<NamedRole>;
  readonly throttle: AttemptThrottle;
  readonly totp: TotpStore;
}

export function totpRoutes(app: FastifyInstance, dependencies: TotpRoutesDependencies): void {
  const { brand, totp, throttle, limiter, secondFactorRoles, now } = dependencies;

  app.post(
    '/totp',
    {
      config: {
        scopes: [],
        codes: ['totp_enabled'],
        sensitiveAction: { passwordField: 'password', isAskedAlways: true },
        isForSecondFactor: true,
      },
      schema: {
        operationId: 'beginTotp',
        summary: 'Begin to set up two-factor authentication',
        description: 'It is on once a code has been confirmed, within 15 minutes.',
        body: passwordBodySchema,
        response: { 201: totpEnrolmentSchema },
      },
    },
    async (request, reply) => {
      const { person } = request;
      refuseIf(await limiter.admitAccessChange(person.id, 'sensitive_action', reply));
      const begun = await totp.begin(person, brand.current().name, now());
      return reply.code(201).send(orRefuse(begun, 'totp_enabled'));
    },
  );

  app.post<WithBody<typeof codeBodySchema>>(
    '/totp/confirm',
    {
      config: {
        scopes: [],
        codes: ['validation_failed', 'invalid_code', 'totp_enabled', 'totp_not_enabled'],
        isForSecondFactor: true,
      },
      schema: {
        operationId: 'confirmTotp',
        summary: 'Turn on two-factor authentication',
        description: 'Each recovery code stands in for a code once; they are shown here only.',
        body: codeBodySchema,
        response: { 201: recoveryCodesSchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const { person } = request;
      const { id } = person;
      const state = await totp.stateOf(id, now());
      if (state === 'off') throw new RequestRefused('totp_not_enabled');
      if (state === 'on') throw new RequestRefused('totp_enabled');
      const actor = actorOf(request.principal);
      const codes = orRefuse(await throttle.tryCode(id, () => totp.enable(actor, body.code, person)));
      if (!codes) throw new RequestRefused('invalid_code');
      return reply.code(201).send({ recovery_codes: codes });
    },
  );

  app.post<WithBody<typeof disableTotpBodySchema>>(
    '/totp/disable',
    {
      config: {
        scopes: [],
        codes: ['invalid_code', 'totp_not_enabled'],
        sensitiveAction: { passwordField: 'password', isAskedAlways: true },
      },
      schema: {
        operationId: 'disableTotp',
        summary: 'Turn off two-factor authentication',
        body: disableTotpBodySchema,
        response: { 204: { type: 'null' } },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const { person, principal } = request;
      const { id } = person;
      if (!(await totp.isEnabled(id))) throw new RequestRefused('totp_not_enabled');
      if (isRoleNamed(secondFactorRoles, principal.account, person.role)) {
        throw new RequestRefused('second_factor_required');
      }
      const isRight = orRefuse(await throttle.tryCode(id, () => totp.spend(id, body.code, now())));
      if (!isRight) throw new RequestRefused('invalid_code');
      await totp.disable(person, actorOf(principal));
      return reply.code(204).send();
    },
  );
}

interface AccountTotpRoutesDependencies {
  readonly database: Database;
  readonly totp: TotpStore;
}

export function accountTotpRoutes(
  app: FastifyInstance,
  { database, totp }: AccountTotpRoutesDependencies,
): void {
  app.post<{ Params: { id: string } }>(
    '/accounts/:id/totp/disable',
    {
      config: {
        scopes: ['admin:accounts'],
        codes: ['account_not_found', 'totp_not_enabled'],
        sensitiveAction: { passwordField: 'current_password', isAskedAlways: true },
      },
      schema: {
        operationId: 'disableTotpOf',
        summary: 'Turn off two-factor authentication of an account’s own login',
        description:
          'For someone else who has lost both the authenticator app and the recovery codes: one’s own take a code.',
        body: currentPasswordBodySchema,
        response: { 204: { type: 'null' } },
      },
    },
    async (request, reply) => {
      const id = parseAccountId(request.params.id);
      const account = orRefuse(id === null ? null : await findAccount(database, id), 'account_not_found');
      refuseIf(administratorProblem(request.principal, account));
      const ownLogin = { id: account.id, accountId: account.id };
      // Disabling one's own codes needs a code too, and is not allowed where a second factor is required.
      if (request.person.id === ownLogin.id) {
        const reason = 'is your own login: switch its codes off on the security page, with a code';
        throw new RequestRefused(fieldRefusal('validation_failed', 'id', reason));
      }
      if (!(await totp.disable(ownLogin, actorOf(request.principal)))) {
        throw new RequestRefused('totp_not_enabled');
      }
      return reply.code(204).send();
    },
  );
}
