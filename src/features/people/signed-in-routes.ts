// /me and /person: the signed-in person and their rights.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { createAllowList } from '../../shared/allow-list.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { plainAddress } from '../../shared/ip-addresses.ts';
import type { NamedRole } from '../../shared/scopes.ts';
import { isRoleNamed } from '../../shared/scopes.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { formatTime } from '../../shared/times.ts';
import type { TopupMethod } from '../../shared/topup-words.ts';
import type { PasswordLinks } from '../auth/password-links.ts';
import type { SessionStore } from '../auth/session-store.ts';
import { sessionExpiry } from '../auth/session-store.ts';
import { findTotpHolders } from '../auth/totp-store.ts';
import { accountView } from '../identity/account-view.ts';
import { findKeyFacts } from '../identity/api-key-rows.ts';
import { personView } from './person-view.ts';
import { meSchema, signedInPersonSchema } from './profile-schemas.ts';

interface SignedInRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
  readonly now: () => EpochSeconds;
  readonly offeredTopups: () => { methods: TopupMethod[]; minimum: string; maximum: string };
  readonly passwordLinks: PasswordLinks;
  readonly publicUrl: () => string;
  readonly reauthenticatedSeconds: number;
  readonly retention: { current(): { readonly requestLogDays: number; readonly eventDays: number } };
  readonly secondFactorRoles: ReadonlySet<NamedRole>;
  readonly sessions: SessionStore;
}

export function signedInRoutes(app: FastifyInstance, dependencies: SignedInRoutesDependencies): void {
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
}

async function getMe(
  {
    database,
    currency,
    publicUrl,
    passwordLinks,
    sessions,
    offeredTopups,
    retention,
  }: SignedInRoutesDependencies,
  { principal: { account }, viewer, person, isTotpEnabled, session, ip }: FastifyRequest,
  reply: FastifyReply,
) {
  const { requestLogDays, eventDays } = retention.current();
  const key = await findKeyFacts(database, account.id);
  const hasTotp =
    viewer === null ? isTotpEnabled : (await findTotpHolders(database, [account.id])).has(account.id);
  return reply.send({
    account: accountView(account, currency, hasTotp),
    receivable: formatAmount(account.receivableCents),
    topups: offeredTopups(),
    kept: { request_log_days: requestLogDays, event_days: eventDays },
    api_url: `${publicUrl()}/api/v1`,
    address: plainAddress(ip),
    // An administrator who views the account uses no key, so its allow-list does not matter.
    address_allowed: viewer !== null || createAllowList(account.allowedIps).allows(ip),
    totp_enabled: hasTotp,
    mail: passwordLinks.isOn,
    language: person.language,
    clock: person.clock,
    must_change_password: person.mustChangePassword,
    checklist: {
      // A key that was used has also been seen.
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
  { reauthenticatedSeconds, secondFactorRoles, now }: SignedInRoutesDependencies,
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
