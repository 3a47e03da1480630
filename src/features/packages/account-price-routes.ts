// Prices of one account, for administrators, and the accounts that pay other prices for a package than their group.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import { parseAmount } from '../../shared/amounts.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { parseAccountId, parseRowId } from '../../shared/identifiers.ts';
import { periods } from '../../shared/periods.ts';
import { type EpochSeconds, formatTime, parseTime } from '../../shared/times.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { actorOf } from '../identity/principal.ts';
import { comparedPrices, countRunningPlans, findWhoPaysOtherwise } from './account-price-reads.ts';
import {
  type AccountPriceListView,
  accountPriceListAnswerSchema,
  accountPriceListsSchema,
  accountPricesBodySchema,
  payingOtherwiseSchema,
  runningPlansSchema,
} from './account-price-schemas.ts';
import {
  deleteAccountPrices,
  listAccountPrices,
  type NewPriceList,
  setAccountPrices,
} from './account-price-store.ts';
import type { AccountPriceListRow } from './account-prices.ts';
import { canBeOrdered, type Package, type PackageCatalogHolder, payerOf } from './package-catalog.ts';
import { writtenPriceList } from './written-prices.ts';

interface AccountPriceRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
  readonly packages: PackageCatalogHolder;
}

type SetPrices = WithId & WithBody<typeof accountPricesBodySchema>;

export function accountPriceRoutes(
  app: FastifyInstance,
  { database, packages, currency }: AccountPriceRoutesDependencies,
): void {
  app.get<WithId>(
    '/accounts/:id/prices',
    {
      config: { scopes: ['admin:read'], codes: ['account_not_found'] },
      schema: {
        operationId: 'listAccountPrices',
        summary: 'Prices of one account',
        description: 'Its past and future price lists, and what it pays now for each package.',
        response: { 200: accountPriceListsSchema },
      },
    },
    async (request, reply) => {
      const account = orRefuse(await findAccount(database, accountIdOf(request)), 'account_not_found');
      if (account.testOf !== null) throw new RequestRefused('account_not_found');
      const now = request.principal.now();
      const catalog = await packages.reload();
      const lists = await listAccountPrices(database, account.id, now);
      const payer = payerOf(catalog, account);
      return reply.send({
        data: lists.map((list) => priceListView(list, now)),
        group: account.group,
        now: [...catalog.byId.values()].filter(canBeOrdered).map((one) => ({
          package: { id: one.id, name: one.name },
          prices: comparedPrices(one, payer, now),
        })),
      });
    },
  );

  app.put<SetPrices>(
    '/accounts/:id/prices',
    {
      config: {
        scopes: ['admin:packages'],
        codes: ['validation_failed', 'account_not_found', 'price_already_scheduled'],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'setAccountPrices',
        summary: 'Set prices of one account',
        description:
          'The list applies from the second `from` on and replaces the account’s earlier list as a whole. The account pays the price that the list names, or else the group’s price less `percent_off`. An empty list returns it to its group’s prices. Running plans with a held price keep it. The same list for the same second changes nothing and is answered with `Idempotent-Replayed: true`. A different list for the same future second is refused with price_already_scheduled.',
        body: accountPricesBodySchema,
        response: { 200: accountPriceListAnswerSchema },
      },
    },
    async (request, reply) => {
      const wanted = parsePriceList(request);
      const caller = actorOf(request.principal);
      const done = orRefuse(await setAccountPrices(database, accountIdOf(request), wanted, currency, caller));
      markReplayed(reply, done);
      if (!done.replayed) await packages.reload();
      return reply.send({ price_list: priceListView(done.list, caller.now) });
    },
  );

  app.delete<{ Params: { id: string; list_id: string } }>(
    '/accounts/:id/prices/:list_id',
    {
      config: {
        scopes: ['admin:packages'],
        codes: ['account_not_found', 'price_not_found', 'price_has_begun'],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'deleteAccountPrices',
        summary: 'Delete future prices of one account',
        description: 'A list that has begun stays in the history. To end it, set another list.',
        response: { 200: accountPriceListAnswerSchema },
      },
    },
    async (request, reply) => {
      const caller = actorOf(request.principal);
      const list = orRefuse(
        await deleteAccountPrices(
          database,
          accountIdOf(request),
          parseRowId(request.params.list_id) ?? 0,
          caller,
        ),
      );
      await packages.reload();
      return reply.send({ price_list: priceListView(list, caller.now) });
    },
  );

  app.get<WithId>(
    '/packages/:id/account-prices',
    {
      config: { scopes: ['admin:read'], codes: ['package_not_found'] },
      schema: {
        operationId: 'listWhoPaysOtherwise',
        summary: 'Accounts whose prices differ from their group’s',
        description:
          'Accounts that now pay another price for this package than their group does. At most 500.',
        response: { 200: payingOtherwiseSchema },
      },
    },
    async (request, reply) => {
      const one = await findPackage(request.params.id);
      const data = await findWhoPaysOtherwise(database, packages.current(), one, request.principal.now());
      return reply.send({ data });
    },
  );

  app.get<WithId>(
    '/packages/:id/plans',
    {
      config: { scopes: ['admin:read'], codes: ['package_not_found'] },
      schema: {
        operationId: 'countRunningPlans',
        summary: 'Running plans of a package',
        description:
          'How many plans a new price would affect, by price group and period, and what they bring in a month.',
        response: { 200: runningPlansSchema },
      },
    },
    async (request, reply) => {
      const { id } = await findPackage(request.params.id);
      return reply.send({ data: await countRunningPlans(database, id, request.principal.now()) });
    },
  );

  async function findPackage(id: string): Promise<Package> {
    return orRefuse((await packages.reload()).byId.get(parseRowId(id) ?? 0), 'package_not_found');
  }
}

function accountIdOf({ params }: FastifyRequest<WithId>): number {
  return parseAccountId(params.id) ?? 0;
}

function parsePriceList({ body }: FastifyRequest<SetPrices>): NewPriceList {
  const percentOff = body.percent_off === undefined ? null : parseAmount(body.percent_off);
  if (percentOff !== null && percentOff > 10_000n) throw invalid('percent_off', 'must be at most 100');
  return {
    from: body.from === undefined ? null : timeOf('from', body.from),
    until: body.until === undefined ? null : timeOf('until', body.until),
    percentOff: percentOff === null ? null : Number(percentOff),
    memo: body.memo?.trim() || null,
    prices: body.prices.map((sent, index) => {
      const cents = Object.fromEntries(
        periods.flatMap(({ months, period }) => {
          const price = parseAmount(sent[period]);
          return price === null ? [] : [[months, price]];
        }),
      );
      if (Object.keys(cents).length === 0) throw invalid(`prices.${index}`, 'must name at least one price');
      return { packageId: sent.package_id, cents };
    }),
  };
}

function timeOf(field: string, sent: string): EpochSeconds {
  const time = parseTime(sent);
  if (time === null) throw invalid(field, 'must look like 2027-01-01T00:00:00Z');
  return time;
}

function invalid(field: string, reason: string): RequestRefused {
  return new RequestRefused(fieldRefusal('validation_failed', field, reason));
}

function priceListView(list: AccountPriceListRow, now: EpochSeconds): AccountPriceListView {
  return { ...writtenPriceList(list), begun: list.from <= now, created_at: formatTime(list.createdAt) };
}
