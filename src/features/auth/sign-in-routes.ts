// The panel's routes without a session: signing in and out. Refuses in this order: too many failures, wrong name or
// password, blocked, missing code, wrong code.
// Invariant: an unknown name and a wrong password get the same answer in the same time.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { ranked } from '../../platform/database/database.ts';
import { orRefuse, RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import type { AttemptThrottle } from '../../platform/limits/sign-in-throttle.ts';
import type { PasswordCost } from '../../platform/secrets/password-hash.ts';
import { hashPassword, isOutdatedHash, isRightPassword } from '../../platform/secrets/password-hash.ts';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import { addressOwner, plainAddress } from '../../shared/ip-addresses.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { shownBrandSchema } from '../brand/brand-schemas.ts';
import type { BrandHolder } from '../brand/brand-store.ts';
import { brandView } from '../brand/brand-view.ts';
import { accountView } from '../identity/account-view.ts';
import { findCredentials } from '../identity/find-people.ts';
import { replacePasswordHash } from '../identity/people-rows.ts';
import { beginSession } from './begin-session.ts';
import { isDirectVisit } from './direct-visit.ts';
import type { KnownAddresses } from './known-addresses.ts';
import type { LookAround } from './look-around.ts';
import type { PasswordLinks } from './password-links.ts';
import type { SessionGuard } from './session-auth.ts';
import type { SessionStore } from './session-store.ts';
import type { SignInLog, SignInRefusal } from './sign-in-log.ts';
import { signedInSchema, signInBodySchema, signInOptionsSchema } from './sign-in-schemas.ts';
import type { TotpStore } from './totp-store.ts';

interface SignInRoutesDependencies {
  readonly brand: BrandHolder;
  readonly currency: string;
  readonly database: Database;
  readonly guard: SessionGuard;
  readonly knownAddresses: KnownAddresses;
  /** null: not a demo. */
  readonly lookAround: LookAround | null;
  readonly now: () => EpochSeconds;
  readonly passwordCost: PasswordCost;
  readonly passwordLinks: PasswordLinks;
  readonly sessions: SessionStore;
  readonly signIns: SignInLog;
  readonly throttle: AttemptThrottle;
  readonly totp: TotpStore;
}

export function signInRoutes(app: FastifyInstance, dependencies: SignInRoutesDependencies): void {
  const { guard, signIns, throttle, totp, passwordLinks, passwordCost, brand, currency, lookAround, now } =
    dependencies;
  const lookups = ranked(dependencies.database, 'lookups');

  app.get(
    '/sign-in',
    {
      config: { scopes: [], codes: [] },
      schema: {
        operationId: 'getSignInOptions',
        summary: 'What there is beside a password',
        response: { 200: signInOptionsSchema },
      },
    },
    async (request, reply) => {
      const demo = lookAround !== null && isDirectVisit(request) ? await lookAround.state() : 'off';
      const { supportAddress } = brand.current();
      return reply.send({ password_reset: passwordLinks.isOn, demo, support_address: supportAddress });
    },
  );

  app.get(
    '/brand',
    {
      config: { scopes: [], codes: [] },
      schema: {
        operationId: 'getShownBrand',
        summary: 'Whose service it is',
        description: 'For every visitor, signed in or not.',
        response: { 200: shownBrandSchema },
      },
    },
    async (_request, reply) => {
      const { letterhead: _, ...shown } = brandView(brand.current());
      return reply.send(shown);
    },
  );

  app.post<WithBody<typeof signInBodySchema>>(
    '/sign-in',
    {
      config: {
        scopes: [],
        codes: ['validation_failed', 'invalid_credentials', 'code_required', 'invalid_code'],
      },
      schema: {
        operationId: 'signIn',
        summary: 'Sign in',
        description: 'Begins a session, whose cookie comes with the answer.',
        body: signInBodySchema,
        response: { 200: signedInSchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const username = body.username.trim().toLowerCase();

      const asked: { found: Awaited<ReturnType<typeof findCredentials>> } = { found: null };
      const known = orRefuse(
        await throttle.tryPassword(username, request.ip, async () => {
          const found = await findCredentials(lookups, username);
          asked.found = found;
          const network = addressOwner(request.ip);
          const isRight = await isRightPassword(body.password, found?.passwordHash ?? null, network);
          return found !== null && isRight && found;
        }),
      );
      const accountId = asked.found?.account.id ?? null;
      const refuse = (reason: SignInRefusal, answer: Refusal): never => {
        const personId = asked.found?.person.id ?? null;
        signIns.refused({ accountId, personId, username, address: plainAddress(request.ip), reason }, now());
        throw new RequestRefused(answer);
      };
      if (known === false) {
        const reason = accountId === null ? 'unknown_username' : 'wrong_password';
        return refuse(reason, refusal('invalid_credentials'));
      }

      const { account, person, passwordVersion } = known;
      if (account.blocked) return refuse('account_blocked', refusal('account_blocked'));
      const isTotpEnabled = await totp.isEnabled(person.id);
      const problem = isTotpEnabled ? await codeProblem(person.id, body.code) : null;
      if (problem?.code === 'invalid_code') return refuse('wrong_code', problem);
      refuseIf(problem);

      await strengthenHash(request, person.id, body.password, known.passwordHash);
      await beginSession(dependencies, request, reply, { account, person, passwordVersion });
      return reply.send({ account: accountView(account, currency, isTotpEnabled) });
    },
  );

  app.post(
    '/sign-out',
    {
      config: { scopes: [], codes: [] },
      schema: { operationId: 'signOut', summary: 'End the session', response: { 204: { type: 'null' } } },
    },
    async (request, reply) => {
      refuseIf(await guard.end(request, reply));
      guard.clearCookie(reply);
      return reply.code(204).send();
    },
  );

  /** Rehashes here, because only now is the plain password known to be right. If it fails, the sign-in continues. */
  async function strengthenHash(
    request: FastifyRequest,
    personId: number,
    password: string,
    stored: string | null,
  ): Promise<void> {
    if (stored === null || !isOutdatedHash(stored, passwordCost)) return;
    try {
      const rehashed = await hashPassword(password, {
        cost: passwordCost,
        network: addressOwner(request.ip),
      });
      await replacePasswordHash(lookups, personId, { stored, rehashed });
    } catch (error) {
      request.log.warn({ reqId: request.id, err: error }, 'password rehash failed');
    }
  }

  async function codeProblem(personId: number, code: string | undefined): Promise<Refusal | null> {
    if (code === undefined || code.trim() === '') return refusal('code_required');
    const isRight = await throttle.tryCode(personId, () => totp.spend(personId, code, now()));
    if (isRefusal(isRight)) return isRight;
    return isRight ? null : refusal('invalid_code');
  }
}
