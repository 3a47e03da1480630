// An account's people, for administrators (any account) and for the panel (own account).
// Invariant: changing an administrator's people requires every right that such a person can have.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { ranked } from '../../platform/database/database.ts';
import type { Done } from '../../platform/database/idempotent-change.ts';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { SensitiveAction } from '../../platform/http/route-declarations.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { Awaitable } from '../../shared/awaitable.ts';
import { type ErrorCode, fieldRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import { parseAccountId, parseRowId } from '../../shared/identifiers.ts';
import { emailRefusal } from '../../shared/mail-addresses.ts';
import { confirmedBodySchema } from '../../shared/password-fields.ts';
import { type Role, rolesOf, type Scope } from '../../shared/scopes.ts';
import { formatTime } from '../../shared/times.ts';
import type { Invitation, PasswordLinks } from '../auth/password-links.ts';
import type { TotpStore } from '../auth/totp-store.ts';
import { findTotpHolders } from '../auth/totp-store.ts';
import type { Account } from '../identity/account-table.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { listPeople } from '../identity/find-people.ts';
import type { Credentials } from '../identity/people-table.ts';
import { actorOf, administratorProblem } from '../identity/principal.ts';
import {
  changePerson,
  type Invited,
  inviteAgain,
  invitePerson,
  type PeopleAsked,
  removePerson,
} from './manage-people.ts';
import {
  changeColleagueBodySchema,
  changePersonBodySchema,
  inviteColleagueBodySchema,
  invitedPersonSchema,
  invitePersonBodySchema,
  type PersonView,
  peopleListSchema,
  personAnswerSchema,
  removedPersonSchema,
} from './people-schemas.ts';
import { personView } from './person-view.ts';

interface PeopleRoutesDependencies {
  readonly database: Database;
  readonly forgetAccount: (accountId: number) => void;
  readonly passwordLinks: PasswordLinks;
  readonly peoplePerAccountMax: number;
  readonly totp: TotpStore;
}

const keyCodes = ['invalid_idempotency_key', 'idempotency_conflict'] as const satisfies ErrorCode[];

interface WithPerson {
  Params: { id?: string; person_id?: string };
}

interface Surface {
  readonly path: string;
  readonly operations: Readonly<Record<'list' | 'invite' | 'renew' | 'change' | 'remove', string>>;
  readonly scopes: { readonly read: Scope; readonly write: Scope };
  readonly sensitiveAction: SensitiveAction;
  readonly bodies: { readonly invite: object; readonly change: object; readonly confirm?: object };
  readonly codes: readonly ErrorCode[];
  /** Refusals of invitations and changes only. */
  readonly changeCodes?: readonly ErrorCode[];
  readonly accountIdOf: (request: FastifyRequest<WithPerson>) => number | null;
  readonly limited: (request: FastifyRequest, reply: FastifyReply) => Awaitable<Refusal | null>;
}

export function peopleAdminRoutes(app: FastifyInstance, dependencies: PeopleRoutesDependencies): void {
  peopleRoutes(app, dependencies, {
    path: '/accounts/:id/people',
    operations: {
      list: 'listPeople',
      invite: 'invitePerson',
      renew: 'renewInvitation',
      change: 'changePerson',
      remove: 'removePerson',
    },
    scopes: { read: 'admin:accounts', write: 'admin:accounts' },
    sensitiveAction: { passwordField: 'current_password' },
    bodies: { invite: invitePersonBodySchema, change: changePersonBodySchema },
    codes: ['account_not_found'],
    changeCodes: ['account_closed'],
    accountIdOf: ({ params }) => parseAccountId(params.id ?? ''),
    limited: () => null,
  });
}

export function peoplePanelRoutes(
  app: FastifyInstance,
  dependencies: PeopleRoutesDependencies & { readonly limiter: RateLimiter },
): void {
  const { limiter } = dependencies;
  peopleRoutes(app, dependencies, {
    path: '/people',
    operations: {
      list: 'listColleagues',
      invite: 'inviteColleague',
      renew: 'renewColleagueInvitation',
      change: 'changeColleague',
      remove: 'removeColleague',
    },
    scopes: { read: 'people:read', write: 'people:write' },
    sensitiveAction: { passwordField: 'password' },
    bodies: {
      invite: inviteColleagueBodySchema,
      change: changeColleagueBodySchema,
      confirm: confirmedBodySchema,
    },
    codes: [],
    accountIdOf: ({ principal }) => principal.account.id,
    limited: ({ method, person }, reply) =>
      limiter.admitAccessChange(person.id, method === 'POST' ? 'grant' : 'sensitive_action', reply),
  });
}

function peopleRoutes(app: FastifyInstance, dependencies: PeopleRoutesDependencies, surface: Surface): void {
  const { database } = dependencies;
  const { path, operations, scopes, sensitiveAction, bodies, codes, changeCodes = [] } = surface;
  const lookups = ranked(database, 'lookups');
  const people = { ...dependencies, ...surface, lookups };
  const onePath = `${path}/:person_id`;
  const confirm = bodies.confirm === undefined ? {} : { body: bodies.confirm };

  app.get<WithPerson>(
    path,
    {
      config: { scopes: [scopes.read], codes },
      schema: {
        operationId: operations.list,
        summary: 'The people of an account',
        description:
          'Everyone who can sign in for the account or is invited to. Removed people are not listed.',
        response: { 200: peopleListSchema },
      },
    },
    (request, reply) => list(people, request, reply),
  );

  app.post<WithPerson & WithBody<typeof invitePersonBodySchema>>(
    path,
    {
      config: {
        scopes: [scopes.write],
        codes: [
          ...codes,
          ...changeCodes,
          ...keyCodes,
          'validation_failed',
          'username_taken',
          'too_many_people',
        ],
        sensitiveAction: { ...sensitiveAction, askedAlwaysIfOwner: true },
        isReplayable: true,
      },
      schema: {
        operationId: operations.invite,
        summary: 'Invite a person',
        description:
          'The person chooses a password with the link in the answer, which works once within seven days. The link is also mailed if the service sends mail and there is an address. It is not shown again; if it is lost, make a new one.',
        body: bodies.invite,
        response: { 201: invitedPersonSchema },
      },
    },
    (request, reply) => invite(people, request, reply),
  );

  app.post<WithPerson>(
    `${onePath}/invitation`,
    {
      config: {
        scopes: [scopes.write],
        codes: [...codes, ...changeCodes, ...keyCodes, 'person_not_found', 'invitation_used'],
        // The link may be an owner's, which gives control of the account.
        sensitiveAction: { ...sensitiveAction, isAskedAlways: true },
        isReplayable: true,
        isBodyOptional: true,
      },
      schema: {
        operationId: operations.renew,
        summary: 'Renew an invitation',
        description:
          'Earlier links stop working. A person who has already chosen a password cannot get a link: remove and invite them again.',
        ...confirm,
        response: { 201: invitedPersonSchema },
      },
    },
    (request, reply) => renew(people, request, reply),
  );

  app.patch<WithPerson & WithBody<typeof changePersonBodySchema>>(
    onePath,
    {
      config: {
        scopes: [scopes.write],
        codes: [
          ...codes,
          ...changeCodes,
          ...keyCodes,
          'validation_failed',
          'forbidden',
          'person_not_found',
          'last_owner',
        ],
        isReplayable: true,
        // Links that set a password are mailed to this address.
        sensitiveAction: { ...sensitiveAction, askedAlwaysIfSent: ['email'], askedAlwaysIfOwner: true },
      },
      schema: {
        operationId: operations.change,
        summary: 'Change the role of a person, or where they are written to',
        description:
          'Takes effect on their next request, in every process. The e-mail address of an account’s own login is that of the account. People with a password change their own address; administrators also change it for people of other accounts. Earlier links stop working when the address changes.',
        body: bodies.change,
        response: { 200: personAnswerSchema },
      },
    },
    (request, reply) => change(people, request, reply),
  );

  app.delete<WithPerson>(
    onePath,
    {
      config: {
        scopes: [scopes.write],
        codes: [...codes, ...keyCodes, 'person_not_found', 'last_owner'],
        sensitiveAction,
        isReplayable: true,
        isBodyOptional: true,
      },
      schema: {
        operationId: operations.remove,
        summary: 'Remove a person',
        description:
          'Their sessions end at once, in every process; links and codes of theirs are worth nothing. The audit log goes on naming them. The last owner who can sign in stays.',
        ...confirm,
        response: { 200: removedPersonSchema },
      },
    },
    (request, reply) => remove(people, request, reply),
  );
}

type PeopleSurface = PeopleRoutesDependencies & Surface & { readonly lookups: Database };

async function list(people: PeopleSurface, request: FastifyRequest<WithPerson>, reply: FastifyReply) {
  const { lookups } = people;
  const account = orRefuse(await findTarget(people, request), 'account_not_found');
  const list = await listPeople(lookups, account.id);
  const withTotp = await findTotpHolders(
    lookups,
    list.map(({ id }) => id),
  );
  return reply.send({ data: list.map((each) => viewOf(each, account, withTotp.has(each.id))) });
}

async function invite(
  people: PeopleSurface,
  request: FastifyRequest<WithPerson & WithBody<typeof invitePersonBodySchema>>,
  reply: FastifyReply,
) {
  const { database, peoplePerAccountMax, passwordLinks } = people;
  const { body } = request;
  const sent = orRefuse(await changeOf(people, request, reply, body));
  const { account, asked } = sent;
  const { username, role, email } = body;
  const wanted = { username, role, email: email || null };
  const done = await invitePerson(database, account.id, wanted, asked, {
    peopleMax: peoplePerAccountMax,
    along: (transaction, person, of) =>
      passwordLinks.invite(transaction, person, of, inviterOf(request, of), asked.now),
  });
  return answerInvited(reply, done);
}

async function renew(people: PeopleSurface, request: FastifyRequest<WithPerson>, reply: FastifyReply) {
  const { database, passwordLinks } = people;
  const sent = orRefuse(await changeOf(people, request, reply));
  const { account, asked } = sent;
  const done = await inviteAgain(
    database,
    account.id,
    personIdOf(request),
    asked,
    (transaction, person, of) =>
      passwordLinks.invite(transaction, person, of, inviterOf(request, of), asked.now),
  );
  return answerInvited(reply, done);
}

async function change(
  people: PeopleSurface,
  request: FastifyRequest<WithPerson & WithBody<typeof changePersonBodySchema>>,
  reply: FastifyReply,
) {
  const { database, forgetAccount, lookups } = people;
  const { body } = request;
  const sent = orRefuse(await changeOf(people, request, reply, body));
  const { account, asked } = sent;
  const change = {
    ...(body.role !== undefined && { role: body.role }),
    ...(body.email !== undefined && { email: body.email || null }),
  };
  const done = orRefuse(await changePerson(database, account.id, personIdOf(request), change, asked));
  forgetAccount(account.id);
  markReplayed(reply, done);
  const { person, account: now } = done.result;
  const withTotp = await findTotpHolders(lookups, [person.id]);
  return reply.send({ person: viewOf(person, now, withTotp.has(person.id)) });
}

async function remove(people: PeopleSurface, request: FastifyRequest<WithPerson>, reply: FastifyReply) {
  const { database, totp, forgetAccount } = people;
  const sent = orRefuse(await changeOf(people, request, reply));
  const { account, asked } = sent;
  const done = orRefuse(
    await removePerson(database, account.id, personIdOf(request), asked, (transaction, { id }) =>
      totp.forget(transaction, id),
    ),
  );
  forgetAccount(account.id);
  markReplayed(reply, done);
  return reply.send({ removed: true });
}

async function findTarget(
  { accountIdOf, lookups }: PeopleSurface,
  request: FastifyRequest<WithPerson>,
): Promise<Account | null> {
  const id = accountIdOf(request);
  return id === null ? null : findAccount(lookups, id);
}

async function changeOf(
  people: PeopleSurface,
  request: FastifyRequest<WithPerson>,
  reply: FastifyReply,
  { email, role }: { readonly email?: string; readonly role?: Role } = {},
): Promise<{ account: Account; asked: PeopleAsked } | Refusal> {
  const { limited } = people;
  const account = await findTarget(people, request);
  if (account === null) return refusal('account_not_found');
  const problem =
    emailRefusal(email) ??
    roleRefusal(account, role) ??
    administratorProblem(request.principal, account) ??
    (await limited(request, reply));
  if (problem !== null) return problem;
  const idempotencyKey = idempotencyKeyOf(request);
  return { account, asked: { ...actorOf(request.principal), idempotencyKey } };
}

function answerInvited(reply: FastifyReply, done: Done<Invited<Invitation>> | Refusal): FastifyReply {
  const { result, replayed } = orRefuse(done);
  markReplayed(reply, { replayed });
  const { person, account, along } = result;
  const invitation = along === null ? null : { url: along.url, expires_at: formatTime(along.expiresAt) };
  return reply.code(201).send({ person: viewOf(person, account, false), invitation });
}

function personIdOf({ params }: FastifyRequest<WithPerson>) {
  return parseRowId(params.person_id ?? '') ?? 0;
}

/** Colleagues are named to the invited person. The operator's people are not named to other accounts. */
function inviterOf({ principal, person }: FastifyRequest, account: Account): string | null {
  const isColleague = actorOf(principal).by?.type === 'person' && principal.account.id === account.id;
  return isColleague ? person.username : null;
}

function viewOf(person: Credentials, account: Account, isTotpEnabled: boolean): PersonView {
  const status = person.passwordHash === null ? 'invited' : 'active';
  return personView(person, account, isTotpEnabled, status);
}

function roleRefusal(account: Account, role: Role | undefined): Refusal | null {
  const fitting = rolesOf(account);
  if (role === undefined || fitting.includes(role)) return null;
  return fieldRefusal('validation_failed', 'role', `must be one of ${fitting.join(', ')}`);
}
