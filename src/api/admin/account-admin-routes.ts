// Accounts: create, list, change, credit, reset the key, give a trial; and what each has done.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type AccountChange,
  changeAccount,
  createAccount,
  findAccount,
  listAccounts,
  rateLimitPerMinuteDefault,
  resetApiKey,
} from '../../accounts/account-store.ts';
import type { Account } from '../../accounts/account-table.ts';
import { allowedIpsRefusal, lockOutRefusal } from '../../accounts/allow-list.ts';
import { randomBase62 } from '../../accounts/api-key.ts';
import { actorOf } from '../../accounts/principal.ts';
import {
  type AccountView,
  accountAnswerSchema,
  accountQuerySchema,
  changeAccountBodySchema,
  createAccountBodySchema,
  createdAccountSchema,
  creditBodySchema,
  creditedSchema,
  endedSessionsSchema,
  grantTrialBodySchema,
  newKeySchema,
} from '../../contract/admin-schemas.ts';
import { formatAmount, parseAmount } from '../../contract/amounts.ts';
import { fieldRefusal, isRefusal, type Refusal, refusal } from '../../contract/error-catalogue.ts';
import { parseRowId } from '../../contract/identifiers.ts';
import { isJsonObject, type JsonObject, own } from '../../contract/json.ts';
import { pageAnswer, parsePage } from '../../contract/pages.ts';
import { groups } from '../../contract/periods.ts';
import { customerAnswerSchema, pageOf, pageQuerySchema } from '../../contract/schemas.ts';
import { ranked } from '../../database/database.ts';
import { createBodyReader } from '../../http/body-reader.ts';
import { hashPassword, mintPassword } from '../../identity/password.ts';
import { chosenPasswordRefusal } from '../../identity/password-rules.ts';
import { findTotpAccounts } from '../../identity/totp-store.ts';
import { listLedger } from '../../ledger/ledger-reads.ts';
import { accountView } from '../shapes/admin-views.ts';
import { customerView } from '../shapes/customer-view.ts';
import { ledgerEntryView } from '../shapes/ledger-entry-view.ts';
import {
  parseCustomerName,
  parseCustomerReference,
  parseIdempotencyKey,
  sentIdempotencyHeader,
} from '../shapes/order-request.ts';
import { orderView } from '../shapes/order-view.ts';
import type { AdminRoutesDependencies } from './admin-routes.ts';

interface WithId {
  Params: { id: string };
}

const readNewAccount = createBodyReader(createAccountBodySchema);
const readAccountChange = createBodyReader(changeAccountBodySchema);
const readCredit = createBodyReader(creditBodySchema);
const readTrial = createBodyReader(grantTrialBodySchema);

export function accountAdminRoutes(app: FastifyInstance, dependencies: AdminRoutesDependencies): void {
  const {
    database,
    engine,
    seal,
    accounts,
    orders,
    customers,
    packages,
    sessions,
    forgetAccount,
    passwordCost,
    currency,
    now,
  } = dependencies;
  const lookups = ranked(database, 'lookups');

  app.post(
    '/accounts',
    {
      config: { scopes: ['admin:accounts'], codes: ['validation_failed', 'username_taken'] },
      schema: {
        operationId: 'createAccount',
        summary: 'Create an account',
        description:
          'With a balance of 0.00 and a key, which is shown here. A password is generated if none is sent; either way, whoever signs in with it chooses another one first.',
        body: createAccountBodySchema,
        response: { 201: createdAccountSchema },
      },
    },
    async (request, reply) => {
      const body = readNewAccount(request.body);
      if (isRefusal(body)) return reply.refuse(body);
      const problem = allowedIpsRefusal(body.allowed_ips);
      if (problem !== null) return reply.refuse(problem);
      const displayName = body.display_name ?? body.username;
      const weak = await weakPassword(body.password, { username: body.username, displayName });
      if (weak !== null) return reply.refuse(weak);
      const password = body.password ?? mintPassword();
      const created = await createAccount(
        database,
        seal,
        {
          username: body.username,
          displayName,
          group: body.group,
          isAdmin: false,
          passwordHash: await hashPassword(password, { cost: passwordCost }),
          rateLimitPerMinute: body.rate_limit_per_minute ?? rateLimitPerMinuteDefault,
          allowedIps: body.allowed_ips ?? [],
        },
        actorOf(request.principal),
      );
      if (created === null) return reply.refuse(refusal('username_taken'));
      const account = accountView(created.account, currency, false);
      // A password that was chosen is not sent back.
      const shown = body.password === undefined ? { password } : {};
      return reply.code(201).send({ account, api_key: created.apiKey, ...shown });
    },
  );

  app.get(
    '/accounts',
    {
      config: { scopes: ['admin:read'], codes: ['validation_failed'] },
      schema: {
        operationId: 'listAccounts',
        summary: 'Accounts, newest first',
        description:
          'All of them, or those whose names contain q, those of one group, only administrators, or nobody of them.',
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
        return reply.refuse(fieldRefusal('validation_failed', 'group', 'must be reseller or distributor'));
      }
      const isAdmin = own(query, 'is_admin');
      if (isAdmin !== undefined && isAdmin !== 'true' && isAdmin !== 'false') {
        return reply.refuse(fieldRefusal('validation_failed', 'is_admin', 'must be true or false'));
      }
      const found = await listAccounts(database, {
        ...page,
        isAdmin: isAdmin === undefined ? null : isAdmin === 'true',
        search: typeof search === 'string' ? search.toWellFormed() : '',
        group: typeof group === 'string' ? group : '',
      });
      const withTotp = await findTotpAccounts(
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
      const id = parseRowId(request.params.id);
      const account = id === null ? null : await findAccount(lookups, id);
      if (account === null) return reply.refuse(refusal('account_not_found'));
      return reply.send({ account: await viewOf(account) });
    },
  );

  app.patch<WithId>(
    '/accounts/:id',
    {
      config: {
        scopes: ['admin:accounts'],
        codes: ['validation_failed', 'address_locked_out', 'account_not_found', 'last_administrator'],
        danger: { passwordField: 'current_password', ifSent: 'password' },
      },
      schema: {
        operationId: 'changeAccount',
        summary: 'Change an account',
        description:
          'Takes effect on the next request, in every process. Whoever signs in with a password that somebody else set chooses another one first. An administrator who leaves the address of this very request out of their own allow-list is refused unless confirm is true.',
        body: changeAccountBodySchema,
        response: { 200: accountAnswerSchema },
      },
    },
    async (request, reply) => {
      const body = readAccountChange(request.body);
      if (isRefusal(body)) return reply.refuse(body);
      const problem = allowedIpsRefusal(body.allowed_ips);
      if (problem !== null) return reply.refuse(problem);
      const id = parseRowId(request.params.id);
      if (id === null) return reply.refuse(refusal('account_not_found'));
      const lockOut = body.blocked === true ? 'blocked' : body.api_enabled === false ? 'api_enabled' : null;
      if (id === request.principal.account.id && lockOut !== null) {
        const reason = 'an administrator cannot lock himself out';
        return reply.refuse(fieldRefusal('validation_failed', lockOut, reason));
      }
      if (id === request.principal.account.id && body.allowed_ips !== undefined) {
        const lockedOut = lockOutRefusal(body.allowed_ips, request.ip, body.confirm === true);
        if (lockedOut !== null) return reply.refuse(lockedOut);
      }
      if (body.group === 'reseller' && (await findAccount(database, id))?.isAdmin) {
        const reason = 'an administrator pays the distributor price';
        return reply.refuse(fieldRefusal('validation_failed', 'group', reason));
      }
      const account = body.password === undefined ? null : await findAccount(database, id);
      const weak = account === null ? null : await weakPassword(body.password, account);
      if (weak !== null) return reply.refuse(weak);
      const change: AccountChange = {
        ...(body.group !== undefined && { group: body.group }),
        ...(body.display_name !== undefined && { displayName: body.display_name }),
        ...(body.blocked !== undefined && { blocked: body.blocked }),
        ...(body.api_enabled !== undefined && { apiEnabled: body.api_enabled }),
        ...(body.rate_limit_per_minute !== undefined && { rateLimitPerMinute: body.rate_limit_per_minute }),
        ...(body.allowed_ips !== undefined && { allowedIps: body.allowed_ips }),
        ...(body.password !== undefined && {
          password: {
            hash: await hashPassword(body.password, { cost: passwordCost }),
            isInitial: id !== request.principal.account.id,
          },
        }),
      };
      const changed = await changeAccount(database, id, change, actorOf(request.principal));
      if (changed === null) return reply.refuse(refusal('account_not_found'));
      if (isRefusal(changed)) return reply.refuse(changed);
      forgetAccount(id);
      return reply.send({ account: await viewOf(changed) });
    },
  );

  app.post<WithId>(
    '/accounts/:id/credit',
    {
      config: {
        scopes: ['admin:credit'],
        codes: [
          'validation_failed',
          'account_not_found',
          'invalid_idempotency_key',
          'idempotency_conflict',
          'insufficient_credit',
          'order_failed',
        ],
        isReplayable: true,
      },
      schema: {
        operationId: 'creditAccount',
        summary: 'Credit or debit an account',
        description: 'A negative amount debits. Safe to retry with the same idempotency key.',
        body: creditBodySchema,
        response: { 201: creditedSchema },
      },
    },
    async (request, reply) => {
      const sentKey = parseIdempotencyKey(
        isJsonObject(request.body) ? request.body : {},
        sentIdempotencyHeader(request.headers),
      );
      if (isRefusal(sentKey)) return reply.refuse(sentKey);
      const body = readCredit(request.body);
      if (isRefusal(body)) return reply.refuse(body);
      const amountCents = parseAmount(body.amount);
      if (amountCents === null || amountCents === 0n) {
        return reply.refuse(fieldRefusal('validation_failed', 'amount', 'must not be zero'));
      }
      const accountId = parseRowId(request.params.id);
      if (accountId === null) return reply.refuse(refusal('account_not_found'));
      const outcome = await engine.submit({
        type: 'credit',
        accountId,
        actorId: request.principal.account.id,
        by: request.principal.actor,
        amountCents,
        memo: body.memo ?? null,
        idempotencyKey: sentKey ?? `auto_${randomBase62(22)}`,
        keyIsMinted: sentKey === null,
      });
      if (outcome.type !== 'credited') return refuseOutcome(reply, outcome);
      if (outcome.replayed) reply.header('idempotent-replayed', 'true');
      const { entry } = outcome;
      // A replay may be asked for by another administrator than the one who made it.
      const { actorId } = entry;
      const { account } = request.principal;
      // The credit stands: nothing that keeps lists waiting may keep its answer.
      const actor =
        actorId === null ? null : actorId === account.id ? account : await findAccount(lookups, actorId);
      const answer = {
        entry: ledgerEntryView(entry, actor?.username ?? null, currency),
        balance: formatAmount(entry.balanceAfterCents),
      };
      return reply.code(201).send(answer);
    },
  );

  app.post<WithId>(
    '/accounts/:id/api-key',
    {
      config: {
        scopes: ['admin:accounts'],
        codes: ['account_not_found'],
        danger: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'resetApiKey',
        summary: 'Replace the API key',
        description: 'The old key is revoked at once.',
        response: { 201: newKeySchema },
      },
    },
    async (request, reply) => {
      const id = parseRowId(request.params.id);
      const key = id === null ? null : await resetApiKey(database, seal, id, actorOf(request.principal));
      if (id === null || key === null) return reply.refuse(refusal('account_not_found'));
      forgetAccount(id);
      return reply.code(201).send({ api_key: key });
    },
  );

  app.post<WithId>(
    '/accounts/:id/end-sessions',
    {
      config: { scopes: ['admin:accounts'], codes: ['account_not_found'] },
      schema: {
        operationId: 'endAccountSessions',
        summary: 'End all sessions of an account',
        description: 'Whoever is signed in to its panel has to sign in again. Its password and its key stay.',
        response: { 200: endedSessionsSchema },
      },
    },
    async (request, reply) => {
      const id = parseRowId(request.params.id);
      const ended = id === null ? null : await sessions.endAll(id, actorOf(request.principal));
      if (ended === null) return reply.refuse(refusal('account_not_found'));
      return reply.send({ ended });
    },
  );

  app.post<WithId>(
    '/accounts/:id/trials',
    {
      config: {
        scopes: ['admin:accounts'],
        codes: [
          'validation_failed',
          'account_not_found',
          'invalid_package',
          'package_unavailable',
          'invalid_customer',
          'customer_not_yours',
          'order_failed',
        ],
      },
      schema: {
        operationId: 'grantTrial',
        summary: 'Give a customer of the account a free trial',
        description: 'Charges nothing and makes no order. Creates the customer if absent.',
        body: grantTrialBodySchema,
        response: { 201: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const body = readTrial(request.body);
      if (isRefusal(body)) return reply.refuse(body);
      const customerReference = parseCustomerReference(body.customer);
      if (isRefusal(customerReference)) return reply.refuse(customerReference);
      const customerName = parseCustomerName(body.customer_name);
      if (isRefusal(customerName)) return reply.refuse(customerName);
      const accountId = parseRowId(request.params.id);
      if (accountId === null) return reply.refuse(refusal('account_not_found'));
      const { package_id: packageId } = body;
      const outcome = await engine.submit({
        type: 'grant_trial',
        accountId,
        actorId: request.principal.account.id,
        by: request.principal.actor,
        packageId,
        customerReference,
        customerName,
      });
      if (outcome.type !== 'granted') return refuseOutcome(reply, outcome);
      const customer = await customers.find(outcome.accountId, outcome.customerNumber);
      if (customer === null) throw new Error('The customer who was given a trial does not exist.');
      return reply.code(201).send({ customer: customerView(customer, packages.current(), now()) });
    },
  );

  app.get<WithId>(
    '/accounts/:id/ledger',
    listSchema(
      'listAccountLedger',
      'Ledger of an account',
      'Every movement of its balance. The balance is the latest balance_after.',
      'LedgerEntry',
    ),
    (request, reply) =>
      sendList(request, reply, 'entryCount', async (accountId, page, total) =>
        (await listLedger(database, accountId, page, total)).map(({ entry, actor }) =>
          ledgerEntryView(entry, actor, currency),
        ),
      ),
  );

  app.get<WithId>(
    '/accounts/:id/orders',
    listSchema('listAccountOrders', 'Orders of an account', 'As the account sees them.', 'Order'),
    (request, reply) =>
      sendList(request, reply, 'orderCount', async (accountId, page, total) =>
        (await orders.list(accountId, page, total)).map((order) =>
          orderView(order, packages.current(), currency),
        ),
      ),
  );

  app.get<WithId>(
    '/accounts/:id/customers',
    listSchema('listAccountCustomers', 'Customers of an account', 'As the account sees them.', 'Customer'),
    (request, reply) =>
      sendList(request, reply, 'customerCount', async (accountId, page, total) =>
        (await customers.list(accountId, page, total)).map((customer) =>
          customerView(customer, packages.current(), now()),
        ),
      ),
  );

  async function viewOf(account: Account): Promise<AccountView> {
    const withTotp = await findTotpAccounts(lookups, [account.id]);
    return accountView(account, currency, withTotp.has(account.id));
  }

  async function sendList(
    request: FastifyRequest<WithId>,
    reply: FastifyReply,
    counter: 'entryCount' | 'orderCount' | 'customerCount',
    list: (accountId: number, page: ReturnType<typeof parsePage>, total: number) => Promise<unknown[]>,
  ): Promise<FastifyReply> {
    const id = parseRowId(request.params.id);
    const account = id === null ? null : await findAccount(database, id);
    if (account === null) return reply.refuse(refusal('account_not_found'));
    const page = parsePage(request.query);
    const { [counter]: total } = await accounts.getCounters(account.id);
    const data = await list(account.id, page, total);
    return reply.send(pageAnswer(data, page, total));
  }
}

async function weakPassword(
  password: string | undefined,
  account: { readonly username: string; readonly displayName: string },
): Promise<Refusal | null> {
  return password === undefined ? null : chosenPasswordRefusal('password', password, account);
}

function listSchema(operationId: string, summary: string, description: string, item: string) {
  return {
    config: { scopes: ['admin:read'] as const, codes: ['account_not_found'] as const },
    schema: {
      operationId,
      summary: `${summary}, newest first`,
      description,
      querystring: pageQuerySchema,
      response: { 200: pageOf(item) },
    },
  };
}

function refuseOutcome(reply: FastifyReply, outcome: { type: string; refusal?: Refusal }): FastifyReply {
  if (outcome.refusal === undefined)
    throw new Error(`An administrator's command was answered with "${outcome.type}".`);
  return reply.refuse(outcome.refusal);
}
