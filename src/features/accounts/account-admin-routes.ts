import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { ranked } from '../../platform/database/database.ts';
import { orRefuse, RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import type { PasswordCost } from '../../platform/secrets/password-hash.ts';
import { hashPassword, mintPassword } from '../../platform/secrets/password-hash.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { allowedIpsRefusal, lockOutRefusal } from '../../shared/allow-list.ts';
import { fieldRefusal, type Refusal } from '../../shared/error-catalog.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import { isJsonObject, type JsonObject, own } from '../../shared/json.ts';
import { pageOf } from '../../shared/list-schemas.ts';
import { emailRefusal } from '../../shared/mail-addresses.ts';
import { pageAnswer, parsePage } from '../../shared/pages.ts';
import { parseReason } from '../../shared/parse-reason.ts';
import { groups } from '../../shared/periods.ts';
import type { Scope } from '../../shared/scopes.ts';
import { formatTime } from '../../shared/times.ts';
import type { Invitation, PasswordLinks } from '../auth/password-links.ts';
import { chosenPasswordRefusal } from '../auth/password-rules.ts';
import { findTotpHolders } from '../auth/totp-store.ts';
import type { ListOwner } from '../identity/account-lists.ts';
import type { AccountView } from '../identity/account-schemas.ts';
import type { Account } from '../identity/account-table.ts';
import { accountView } from '../identity/account-view.ts';
import { findAccount, listAccounts } from '../identity/find-accounts.ts';
import { actorOf, administratorProblem, type Principal, scopeProblem } from '../identity/principal.ts';
import {
  accountAnswerSchema,
  accountQuerySchema,
  changeAccountBodySchema,
  createAccountBodySchema,
  createdAccountSchema,
  panelChangeAccountBodySchema,
} from './account-admin-schemas.ts';
import {
  type AccountChange,
  changeAccount,
  createAccount,
  rateLimitPerMinuteDefault,
} from './account-store.ts';

interface AccountAdminRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
  readonly forgetAccount: (accountId: number) => void;
  readonly passwordCost: PasswordCost;
  readonly passwordLinks: PasswordLinks;
  readonly seal: Seal;
}

/** The panel's pages also send the reason of a block, which only the audit log keeps. */
export function accountAdminRoutes(
  app: FastifyInstance,
  dependencies: AccountAdminRoutesDependencies,
  { isForPages }: Pick<ListOwner, 'isForPages'>,
): void {
  const { database, currency } = dependencies;
  const lookups = ranked(database, 'lookups');

  app.post<WithBody<typeof createAccountBodySchema>>(
    '/accounts',
    {
      config: {
        scopes: ['admin:accounts'],
        codes: ['validation_failed', 'username_taken'],
      },
      schema: {
        operationId: 'createAccount',
        summary: 'Create an account',
        description:
          'The account has a balance of 0.00 and a key, which is shown here. A password is generated if none is sent, and has to be changed at the first sign-in. With invite, the holder chooses the password with the link in the answer, which is also mailed if the service sends mail and there is an email.',
        body: createAccountBodySchema,
        response: { 201: createdAccountSchema },
      },
    },
    (request, reply) => createAccountHandler(dependencies, request, reply),
  );

  app.get(
    '/accounts',
    {
      config: { scopes: ['admin:read'], codes: ['validation_failed'] },
      schema: {
        operationId: 'listAccounts',
        summary: 'Accounts, newest first',
        description: 'All accounts. Filters: q (part of a name), group and is_admin.',
        querystring: accountQuerySchema,
        response: { 200: pageOf('Account') },
      },
    },
    async (request, reply) => {
      const query: JsonObject = isJsonObject(request.query) ? request.query : {};
      const page = parsePage(query);
      const search = own(query, 'q');
      const group = own(query, 'group');
      if (group !== undefined && !groups.some((known) => known === group)) {
        throw new RequestRefused(
          fieldRefusal('validation_failed', 'group', 'must be reseller or distributor'),
        );
      }
      const isAdmin = own(query, 'is_admin');
      if (isAdmin !== undefined && isAdmin !== 'true' && isAdmin !== 'false') {
        throw new RequestRefused(fieldRefusal('validation_failed', 'is_admin', 'must be true or false'));
      }
      const found = await listAccounts(database, {
        ...page,
        isAdmin: isAdmin === undefined ? null : isAdmin === 'true',
        search: typeof search === 'string' ? search.toWellFormed() : '',
        group: typeof group === 'string' ? group : '',
      });
      const withTotp = await findTotpHolders(
        database,
        found.accounts.map(({ id }) => id),
      );
      const data = found.accounts.map((account) => accountView(account, currency, withTotp.has(account.id)));
      return reply.send(pageAnswer(data, page, found.total));
    },
  );

  app.get<WithId>(
    '/accounts/:id',
    {
      config: { scopes: ['admin:read'], codes: ['account_not_found'] },
      schema: {
        operationId: 'getAccount',
        summary: 'One account',
        description: 'With its balance, settings and counters. Its key is never shown here.',
        response: { 200: accountAnswerSchema },
      },
    },
    async (request, reply) => {
      const id = parseAccountId(request.params.id);
      const account = orRefuse(id === null ? null : await findAccount(lookups, id), 'account_not_found');
      return reply.send({ account: await viewOf(dependencies, lookups, account) });
    },
  );

  app.patch<WithId & WithBody<typeof changeAccountBodySchema>>(
    '/accounts/:id',
    {
      config: {
        scopes: ['admin:accounts'],
        codes: [
          'validation_failed',
          'address_locked_out',
          'account_not_found',
          'account_closed',
          'last_administrator',
        ],
        // Anyone who controls the account's mail can reset its password, so both need a confirmation.
        sensitiveAction: {
          passwordField: 'current_password',
          ifSent: ['password', 'email'],
          isAskedAlways: true,
        },
      },
      schema: {
        operationId: 'changeAccount',
        summary: 'Change an account',
        description:
          'Takes effect on the next request, in every process. password is that of the account’s own login, who is an owner again, had they been removed or demoted; email is where they are written to. Anyone who signs in with a password that someone else set chooses another one first. An administrator who leaves the address of this very request out of their own allow-list is refused unless confirm is true.',
        body: isForPages ? panelChangeAccountBodySchema : changeAccountBodySchema,
        response: { 200: accountAnswerSchema },
      },
    },
    (request, reply) =>
      changeAccountHandler(
        dependencies,
        lookups,
        request,
        reply,
        isForPages ? orRefuse(parseReason(request.body)) : null,
      ),
  );
}

async function createAccountHandler(
  { passwordLinks, database, seal, passwordCost, currency }: AccountAdminRoutesDependencies,
  request: FastifyRequest<WithBody<typeof createAccountBodySchema>>,
  reply: FastifyReply,
) {
  const { body } = request;
  refuseIf(allowedIpsRefusal(body.allowed_ips) ?? emailRefusal(body.email));
  const displayName = body.display_name ?? body.username;
  // The group determines the account's prices, so another group needs the scope for packages.
  const ofPrices: readonly Scope[] = body.group === 'reseller' ? [] : ['admin:packages'];
  refuseIf(scopeProblem(request.principal, ofPrices));
  refuseIf(await weakPassword(body.password, { username: body.username, displayName }));
  if (body.invite === true && body.password !== undefined)
    throw new RequestRefused(
      fieldRefusal('validation_failed', 'password', 'is chosen by the invited person'),
    );
  const password = body.invite === true ? null : (body.password ?? mintPassword());
  const actor = actorOf(request.principal);
  const invited: { link: Invitation | null } = { link: null };
  const created = orRefuse(
    await createAccount(
      database,
      seal,
      {
        username: body.username,
        displayName,
        group: body.group,
        isAdmin: false,
        email: body.email || null,
        passwordHash: password === null ? null : await hashPassword(password, { cost: passwordCost }),
        rateLimitPerMinute: body.rate_limit_per_minute ?? rateLimitPerMinuteDefault,
        allowedIps: body.allowed_ips ?? [],
      },
      actor,
      {
        along: async (transaction, account) => {
          if (password === null)
            invited.link = await passwordLinks.inviteOwner(transaction, account, actor.now);
        },
      },
    ),
    'username_taken',
  );
  const account = accountView(created.account, currency, false);
  const shown = password === null || body.password !== undefined ? {} : { password };
  const { link } = invited;
  const invitation =
    link === null ? {} : { invitation: { url: link.url, expires_at: formatTime(link.expiresAt) } };
  return reply.code(201).send({ account, api_key: created.apiKey, ...shown, ...invitation });
}

async function changeAccountHandler(
  dependencies: AccountAdminRoutesDependencies,
  lookups: Database,
  request: FastifyRequest<WithId & WithBody<typeof changeAccountBodySchema>>,
  reply: FastifyReply,
  reason: string | null,
) {
  const { database, passwordCost, forgetAccount } = dependencies;
  const { body } = request;
  refuseIf(allowedIpsRefusal(body.allowed_ips) ?? emailRefusal(body.email));
  const id = orRefuse(parseAccountId(request.params.id), 'account_not_found');
  const account = orRefuse(await findAccount(database, id), 'account_not_found');
  const isPriceChange = body.group !== undefined && body.group !== account.group;
  const takes: Scope[] = ['admin:accounts', ...(isPriceChange ? (['admin:packages'] as const) : [])];
  refuseIf(administratorProblem(request.principal, account) ?? scopeProblem(request.principal, takes));
  const lockOut = body.blocked === true ? 'blocked' : body.api_enabled === false ? 'api_enabled' : null;
  if (id === request.principal.account.id && lockOut !== null) {
    const reason = 'an administrator cannot lock himself out';
    throw new RequestRefused(fieldRefusal('validation_failed', lockOut, reason));
  }
  if (id === request.principal.account.id && body.allowed_ips !== undefined) {
    refuseIf(lockOutRefusal(body.allowed_ips, request.ip, body.confirm === true));
  }
  if (body.group === 'reseller' && account.isAdmin) {
    const reason = 'an administrator pays the distributor price';
    throw new RequestRefused(fieldRefusal('validation_failed', 'group', reason));
  }
  refuseIf(await weakPassword(body.password, account));
  const change: AccountChange = {
    ...(body.group !== undefined && { group: body.group }),
    ...(body.display_name !== undefined && { displayName: body.display_name }),
    ...(body.email !== undefined && { email: body.email || null }),
    ...(body.blocked !== undefined && { blocked: body.blocked }),
    ...(reason !== null && { reason }),
    ...(body.api_enabled !== undefined && { apiEnabled: body.api_enabled }),
    ...(body.rate_limit_per_minute !== undefined && { rateLimitPerMinute: body.rate_limit_per_minute }),
    ...(body.allowed_ips !== undefined && { allowedIps: body.allowed_ips }),
    ...(body.password !== undefined && {
      password: {
        hash: await hashPassword(body.password, { cost: passwordCost }),
        isInitial: !isOwnPassword(request.principal, id),
        bringsBack: true,
      },
    }),
  };
  const changed = orRefuse(
    await changeAccount(database, id, change, actorOf(request.principal, takes)),
    'account_not_found',
  );
  forgetAccount(id);
  return reply.send({ account: await viewOf(dependencies, lookups, changed) });
}

async function viewOf(
  { currency }: AccountAdminRoutesDependencies,
  lookups: Database,
  account: Account,
): Promise<AccountView> {
  const withTotp = await findTotpHolders(lookups, [account.id]);
  return accountView(account, currency, withTotp.has(account.id));
}

/** A password that someone else knows may only be used to choose a new one. A key counts as its account. */
function isOwnPassword({ account, actor }: Principal, id: number): boolean {
  return actor.type === 'key' ? account.id === id : actor.id === id;
}

async function weakPassword(
  password: string | undefined,
  account: { readonly username: string; readonly displayName: string },
): Promise<Refusal | null> {
  return password === undefined ? null : chosenPasswordRefusal('password', password, account);
}
