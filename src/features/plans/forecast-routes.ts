// GET /forecast: what it costs to renew all plans that end, by day.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import Type from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { readQuery } from '../../platform/http/list-query.ts';
import { RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import { type PackageCatalog, payerOf } from '../packages/package-catalog.ts';
import { forecastDaysMax, forecastQuerySchema } from './forecast-schemas.ts';
import { forecastRenewals } from './renewal-forecast.ts';

export interface ForecastRoutesDependencies {
  readonly database: Database;
  readonly exports: PerAccountConcurrency;
  readonly confirm: { readonly preHandler: preHandlerAsyncHookHandler };
  readonly packages: () => PackageCatalog;
  readonly currency: string;
}

const daysDefault = 30;

export function forecastRoutes(
  app: FastifyInstance,
  { database, exports, confirm, packages, currency }: ForecastRoutesDependencies,
): void {
  app.get(
    '/forecast',
    {
      ...confirm,
      config: { scopes: ['balance:read', 'customers:read'], codes: ['invalid_filter'] },
      schema: {
        operationId: 'getForecast',
        summary: 'What renewals will cost',
        description:
          'If every plan that ends within the days were renewed once, on the day that it ends: for the months of its auto-renewal, otherwise of the customer’s last order, at the price of that second. Without free trials, and plans that are cancelled or end at the period’s end.',
        querystring: forecastQuerySchema,
        response: { 200: Type.Ref('Forecast') },
      },
    },
    async (request, reply) => {
      const { account, now } = request.principal;
      const days = readDays(request.query);
      // This counts as an export, because with many customers it takes as long.
      refuseIf(await exports.take(concurrencyOf(request), reply));
      const { balanceCents } = request.counters;
      const at = now();
      const catalog = packages();
      const forecast = await forecastRenewals(
        database,
        { id: account.id, payer: payerOf(catalog, account), balanceCents },
        catalog.byId,
        at,
        at + days * 86_400,
      );
      return reply.send({
        days: forecast.days.map(({ date, plans, costCents }) => ({
          date,
          plans,
          cost: formatAmount(costCents),
        })),
        plans: forecast.plans,
        total: formatAmount(forecast.totalCents),
        balance: formatAmount(balanceCents),
        runs_out_on: forecast.runsOutOn,
        currency,
      });
    },
  );
}

function readDays(query: unknown): number {
  const wanted = `must be a whole number from 1 to ${forecastDaysMax}`;
  // An empty value probably comes from an unset variable, so refuse it.
  const isEmpty = isJsonObject(query) && own(query, 'days') === '';
  const days = readQuery(query, (sent) => sent.number('days', daysDefault), 'invalid_filter');
  if (!isEmpty && days <= forecastDaysMax) return days;
  throw new RequestRefused(fieldRefusal('invalid_filter', 'days', wanted));
}
