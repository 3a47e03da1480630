// Links that set a password: request, view and use them, without a sign-in
// (docs/decisions/0063-signing-in-from-an-invitation.md).
// Invariant: a request gets the same answer in the same time, whether the account exists or not.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { ranked } from '../../platform/database/database.ts';
import { acceptedLanguage } from '../../platform/http/request-language.ts';
import { orRefuse, RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { AttemptThrottle } from '../../platform/limits/sign-in-throttle.ts';
import { createTokenLookups } from '../../platform/limits/token-lookup-limit.ts';
import type { PasswordCost } from '../../platform/secrets/password-hash.ts';
import { hashPassword } from '../../platform/secrets/password-hash.ts';
import { addressOwner, plainAddress } from '../../shared/ip-addresses.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { formatTime } from '../../shared/times.ts';
import { confirmAddress } from '../alerts/alert-addresses.ts';
import { beginSession } from '../auth/begin-session.ts';
import type { KnownAddresses } from '../auth/known-addresses.ts';
import type { PasswordLinks } from '../auth/password-links.ts';
import { chosenPasswordRefusal } from '../auth/password-rules.ts';
import type { SessionGuard } from '../auth/session-auth.ts';
import type { SessionStore } from '../auth/session-store.ts';
import type { SignInLog } from '../auth/sign-in-log.ts';
import type { TotpStore } from '../auth/totp-store.ts';
import { findCredentials } from '../identity/find-people.ts';
import { mailAddressOf } from '../identity/people-table.ts';
import { changePassword } from './manage-people.ts';
import {
  completePasswordBodySchema,
  passwordLinkBodySchema,
  passwordLinkSchema,
  passwordResetBodySchema,
} from './profile-schemas.ts';

interface PasswordLinkRoutesDependencies {
  readonly database: Database;
  readonly forgetAccount: (accountId: number) => void;
  readonly guard: SessionGuard;
  readonly knownAddresses: KnownAddresses;
  readonly limiter: RateLimiter;
  readonly now: () => EpochSeconds;
  readonly passwordCost: PasswordCost;
  readonly passwordLinks: PasswordLinks;
  readonly sessions: SessionStore;
  readonly signIns: SignInLog;
  readonly throttle: AttemptThrottle;
  readonly totp: TotpStore;
}

export function passwordLinkRoutes(app: FastifyInstance, dependencies: PasswordLinkRoutesDependencies): void {
  const { database, passwordLinks, throttle, totp, limiter, forgetAccount, passwordCost, now } = dependencies;
  const lookups = ranked(database, 'lookups');
  const tokens = createTokenLookups(limiter);

  app.post<WithBody<typeof passwordResetBodySchema>>(
    '/password-reset',
    {
      config: { scopes: [], codes: ['validation_failed', 'mail_not_configured'] },
      schema: {
        operationId: 'requestPasswordReset',
        summary: 'Have a link to a new password mailed',
        description:
          'Mails the person with this username, or everyone with this address. The answer is the same if there is no such person.',
        body: passwordResetBodySchema,
        response: { 202: { type: 'null' } },
      },
    },
    async (request, reply) => {
      const { body } = request;
      if (!passwordLinks.isOn) throw new RequestRefused('mail_not_configured');
      // Throttled like wrong passwords, but under its own key, which contains a space and so equals no username.
      const name = `password reset of ${body.account.trim().toLowerCase()}`;
      orRefuse(await throttle.tryPassword(name, request.ip, async () => false));
      const isBegun = passwordLinks.requestReset(
        body.account,
        {
          address: plainAddress(request.ip),
          language: acceptedLanguage(request.headers['accept-language']),
        },
        now(),
      );
      if (!isBegun) throw new Overloaded('Too many password links are being created.');
      return reply.code(202).send();
    },
  );

  app.post<WithBody<typeof passwordLinkBodySchema>>(
    '/password-reset/link',
    {
      config: { scopes: [], codes: ['validation_failed', 'link_not_found'] },
      schema: {
        operationId: 'getPasswordLink',
        summary: 'Whom a link to a password is for',
        description:
          'Answers only a token that still works. It is in the body: tokens never stand in a request line. Made-up tokens are limited as those of other links.',
        body: passwordLinkBodySchema,
        response: { 200: passwordLinkSchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const link = orRefuse(
        orRefuse(await tokens.find(body.token, request, reply, () => passwordLinks.find(body.token, now()))),
        'link_not_found',
      );
      const { purpose, person, account, invitedBy, expiresAt } = link;
      return reply.send({
        purpose,
        username: person.username,
        account: account.displayName,
        invited_by: invitedBy,
        expires_at: formatTime(expiresAt),
      });
    },
  );

  app.post<WithBody<typeof completePasswordBodySchema>>(
    '/password-reset/complete',
    {
      config: { scopes: [], codes: ['validation_failed', 'link_not_found'] },
      schema: {
        operationId: 'completePasswordReset',
        summary: 'Set a password by a link that was mailed',
        description:
          'Also the first one, of an invitation. The link is used up; all sessions of the person end.',
        body: completePasswordBodySchema,
        response: { 204: { type: 'null' } },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const { token, new_password: chosen } = body;
      const link = orRefuse(
        orRefuse(await tokens.find(token, request, reply, () => passwordLinks.find(token, now()))),
        'link_not_found',
      );
      const { account, person, passwordVersion, purpose } = link;
      const names = { username: person.username, displayName: account.displayName };
      refuseIf(await chosenPasswordRefusal('new_password', chosen, names));
      const hash = await hashPassword(chosen, { cost: passwordCost, network: addressOwner(request.ip) });
      const password = { hash, isInitial: false, byLink: { passwordVersion, purpose } };
      const by = { actorId: account.id, by: { type: 'person', id: person.id }, now: now() } as const;
      if (!(await changePassword(database, person, password, by))) {
        throw new RequestRefused('link_not_found');
      }
      // The link was only mailed, so its user reads this address: confirm it.
      const address = mailAddressOf(person, account);
      if (purpose === 'password_reset' && address !== null)
        await confirmAddress(database, { accountId: account.id, address }, now());
      forgetAccount(account.id);
      if (body.sign_in === true && purpose === 'invitation')
        await enter(request, reply, person.username, hash);
      return reply.code(204).send();
    },
  );

  /** Begins a session, unless a code is required or the password has changed again. Then the sign-in page decides. */
  async function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    username: string,
    hash: string,
  ): Promise<void> {
    const found = await findCredentials(lookups, username);
    if (found === null || found.passwordHash !== hash || found.account.blocked) return;
    if (await totp.isEnabled(found.person.id)) return;
    await beginSession(dependencies, request, reply, found);
  }
}
