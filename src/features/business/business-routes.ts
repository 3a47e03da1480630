// GET /business and /business/cohorts: the figures of an account's own business, and for the operator those of all accounts
// or of one, with its forecast and its accounts.

import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import Type from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { readFormat } from '../../platform/http/answer-format.ts';
import { type ListQuery, numberMax, readQuery } from '../../platform/http/list-query.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import { sendExport } from '../../platform/http/send-export.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import {
  type BusinessSpan,
  businessSpan,
  cohortFigures,
  forecastFigures,
  monthFigures,
  packageFigures,
  rowsUntilToday,
} from './business-figures.ts';
import type { AccountsFilter, BusinessReads, BusinessScope } from './business-reads.ts';
import {
  accountSorts,
  businessMonthsDefault,
  businessMonthsMax,
  businessOfAccountsQuerySchema,
  businessQueryOfAnySchema,
  businessQuerySchema,
  cohortsQueryOfAnySchema,
  cohortsQuerySchema,
  forecastQueryOfAnySchema,
} from './business-schemas.ts';
import {
  accountsCsv,
  accountView,
  businessCsv,
  cohortsCsv,
  cohortView,
  forecastCsv,
  forecastView,
  monthView,
  packageView,
} from './business-view.ts';
import { type PlanSums, piecesOfRequestMax } from './plan-sums.ts';

export interface BusinessRoutesDependencies {
  readonly business: BusinessReads;
  readonly planSums: PlanSums;
  readonly packages: PackageCatalogHolder;
  readonly exports: PerAccountConcurrency;
  readonly currency: string;
}

export interface AccountListDependencies {
  readonly business: BusinessReads;
  readonly planSums: PlanSums;
  readonly now: () => EpochSeconds;
}

interface BusinessAdminRoutesDependencies extends BusinessRoutesDependencies, AccountListDependencies {
  readonly database: Database;
}

const shownAccountsMax = 100;
/** The forecast's renewal rate is that of these months, which are over. */
const rateMonths = 3;

interface Asked extends BusinessScope {
  readonly months: number;
  readonly now: EpochSeconds;
}

export function businessRoutes(
  app: FastifyInstance,
  dependencies: BusinessRoutesDependencies,
  confirm: { readonly preHandler: preHandlerAsyncHookHandler },
): void {
  const askedBy = ({ principal, query }: FastifyRequest): Asked => ({
    ...readQuery(query, readMonthsAndPackage, 'invalid_filter'),
    accountId: principal.account.id,
    now: principal.now(),
  });

  app.get(
    '/business',
    {
      ...confirm,
      config: { scopes: ['orders:read'], codes: ['invalid_filter'] },
      schema: {
        operationId: 'getBusiness',
        summary: 'Your business by month',
        description:
          'MRR, active plans, and what was new, renewed, changed and lost, computed from your orders at the prices that you paid. As JSON or CSV.',
        querystring: businessQuerySchema,
        response: { 200: Type.Ref('Business') },
      },
    },
    (request, reply) => sendBusiness(dependencies, askedBy(request), request, reply),
  );

  app.get(
    '/business/cohorts',
    {
      ...confirm,
      config: { scopes: ['orders:read'], codes: ['invalid_filter'] },
      schema: {
        operationId: 'getCohorts',
        summary: 'Your customers by the month of their first order',
        description:
          'How many of them, and how much of their MRR, you still have month by month. As JSON or CSV.',
        querystring: cohortsQuerySchema,
        response: { 200: Type.Ref('Cohorts') },
      },
    },
    (request, reply) => sendCohorts(dependencies, askedBy(request), request, reply),
  );
}

export function businessAdminRoutes(
  app: FastifyInstance,
  dependencies: BusinessAdminRoutesDependencies,
): void {
  const { database, business, planSums, currency, now } = dependencies;

  async function askedBy({ query }: FastifyRequest): Promise<Asked> {
    const read = readQuery(
      query,
      (sent) => ({ ...readMonthsAndPackage(sent), accountId: sent.number('account_id', 0) || null }),
      'invalid_filter',
    );
    const { accountId } = read;
    if (accountId !== null)
      orRefuse(
        accountId > realAccountIdMax ? null : await findAccount(database, accountId),
        'account_not_found',
      );
    return { ...read, now: now() };
  }

  app.get(
    '/business',
    {
      config: { scopes: ['admin:read'], codes: ['invalid_filter', 'account_not_found'] },
      schema: {
        operationId: 'getBusinessOfAccounts',
        summary: 'The business by month',
        description:
          'Of all accounts or of one: MRR, active plans, and what was new, renewed, changed and lost, computed from orders alone. As JSON or CSV.',
        querystring: businessQueryOfAnySchema,
        response: { 200: Type.Ref('Business') },
      },
    },
    async (request, reply) => sendBusiness(dependencies, await askedBy(request), request, reply),
  );

  app.get(
    '/business/cohorts',
    {
      config: { scopes: ['admin:read'], codes: ['invalid_filter', 'account_not_found'] },
      schema: {
        operationId: 'getCohortsOfAccounts',
        summary: 'Customers by the month of their first order',
        description:
          'Of all accounts or of one: how many of them, and how much of their MRR, is left month by month. As JSON or CSV.',
        querystring: cohortsQueryOfAnySchema,
        response: { 200: Type.Ref('Cohorts') },
      },
    },
    async (request, reply) => sendCohorts(dependencies, await askedBy(request), request, reply),
  );

  app.get(
    '/business/forecast',
    {
      config: { scopes: ['admin:read'], codes: ['invalid_filter', 'account_not_found'] },
      schema: {
        operationId: 'getBusinessForecast',
        summary: 'The renewals of the next 90 days',
        description:
          'Of all accounts or of one: what the plans that end bring if each is renewed as it was ordered last, and at the renewal rate of the last three months. As JSON or CSV.',
        querystring: forecastQueryOfAnySchema,
        response: { 200: Type.Ref('BusinessForecast') },
      },
    },
    async (request, reply) => {
      const asked = await askedBy(request);
      const format = readFormat(request.query, request.headers.accept, ['json', 'csv']);
      const span = businessSpan(rateMonths + 1, asked.now);
      const isReady = await isSummed(planSums, asked);
      const { months, days } = await plansOf(business, asked, span);
      const over = monthFigures(rowsUntilToday(months, days, span), span).filter(
        ({ isRunning }) => !isRunning,
      );
      const view = forecastView(isReady ? forecastFigures(days, span) : [], over, span);
      if (format === 'csv')
        return sendCsv(dependencies, request, reply, 'business-forecast', forecastCsv(view.days, currency));
      return reply.send({ as_of: span.today, ready: isReady, currency, ...view });
    },
  );

  app.get(
    '/business/accounts',
    {
      config: { scopes: ['admin:read'], codes: ['invalid_filter'] },
      schema: {
        operationId: 'listBusinessOfAccounts',
        summary: 'Accounts with their MRR and the day on which their balance runs out',
        description:
          'The first 100 as JSON, all of them as CSV. Renewals count at the price of each plan’s last order, without top-ups.',
        querystring: businessOfAccountsQuerySchema,
        response: { 200: Type.Ref('BusinessOfAccounts') },
      },
    },
    async (request, reply) => {
      const { query, headers } = request;
      const by = readQuery(query, readAccountSort, 'invalid_filter');
      const format = readFormat(query, headers.accept, ['json', 'csv']);
      const limit = format === 'csv' ? numberMax : shownAccountsMax;
      const { today, isReady, found } = await readListedAccounts(dependencies, by, limit);
      const accounts = found.map(accountView);
      if (format === 'csv')
        return sendCsv(dependencies, request, reply, 'business-accounts', accountsCsv(accounts, currency));
      return reply.send({ as_of: today, ready: isReady, currency, accounts });
    },
  );
}

export function readAccountSort(sent: ListQuery): AccountsFilter['by'] {
  return sent.oneOf('sort', accountSorts) ?? 'mrr';
}

export async function readListedAccounts(
  { business, planSums, now }: AccountListDependencies,
  by: AccountsFilter['by'],
  limit = shownAccountsMax,
) {
  const { today, month, until } = businessSpan(1, now());
  const isReady = await planSums.bringAllNearly();
  const found = isReady ? await business.accounts({ today, month, until, by, limit }) : [];
  return { today, isReady, found };
}

async function sendBusiness(
  dependencies: BusinessRoutesDependencies,
  asked: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { business, planSums, packages, currency } = dependencies;
  const format = readFormat(request.query, request.headers.accept, ['json', 'csv']);
  const span = businessSpan(asked.months, asked.now);
  const isReady = await isSummed(planSums, asked);
  const { months, days } = await plansOf(business, asked, span);
  const rows = isReady ? rowsUntilToday(months, days, span) : [];
  const views = isReady ? monthFigures(rows, span).map(monthView) : [];
  if (format === 'csv')
    return sendCsv(dependencies, request, reply, 'business', businessCsv(views, currency));
  const catalog = packages.current();
  return reply.send({
    as_of: span.today,
    ready: isReady,
    currency,
    months: views,
    packages: packageFigures(rows, span).map((one) => packageView(one, catalog)),
  });
}

async function sendCohorts(
  dependencies: BusinessRoutesDependencies,
  { accountId, months, now }: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { business, planSums, currency } = dependencies;
  const format = readFormat(request.query, request.headers.accept, ['json', 'csv']);
  const span = businessSpan(months, now);
  const isReady = await isSummed(planSums, { accountId });
  const rows = isReady ? await business.cohorts(accountId, span.months.at(-1) ?? span.today) : [];
  const cohorts = isReady ? cohortFigures(rows, span.months).map(cohortView) : [];
  if (format === 'csv')
    return sendCsv(dependencies, request, reply, 'cohorts', cohortsCsv(cohorts, currency));
  return reply.send({ as_of: span.today, ready: isReady, currency, cohorts });
}

function sendCsv(
  { exports }: BusinessRoutesDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  chunks: AsyncIterable<string>,
): Promise<FastifyReply> {
  return sendExport(reply, { exports, accountId: concurrencyOf(request) }, 'csv', name, chunks);
}

function isSummed(planSums: PlanSums, { accountId }: Pick<Asked, 'accountId'>): Promise<boolean> {
  return accountId === null
    ? planSums.bringAllNearly()
    : planSums.bringUpToDate(accountId, piecesOfRequestMax);
}

function plansOf(business: BusinessReads, asked: Asked, { months, today, nextMonth, until }: BusinessSpan) {
  const to = until > nextMonth ? until : nextMonth;
  return business.plans(asked, { month: months.at(-1) ?? today, from: today, to });
}

function readMonthsAndPackage(sent: ListQuery) {
  const months = sent.number('months', businessMonthsDefault);
  if (months > businessMonthsMax) {
    const wanted = `must be a whole number from 1 to ${businessMonthsMax}`;
    throw new RequestRefused(fieldRefusal('invalid_filter', 'months', wanted));
  }
  const packageId = sent.number('package_id', 0) || null;
  return { months, packageId: packageId === null ? null : Math.min(packageId, numberMax) };
}
