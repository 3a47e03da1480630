// What the account spent, day by day or month by month, and the plans that end within two weeks.

import type { FastifyInstance } from 'fastify';
import type { PackageCatalog } from '../../catalog/package-catalog.ts';
import { priceAt } from '../../catalog/price-lines.ts';
import { formatAmount } from '../../contract/amounts.ts';
import { isJsonObject, own } from '../../contract/json.ts';
import {
  overviewQuerySchema,
  overviewSchema,
  type PanelCustomerView,
  type SeriesPointView,
} from '../../contract/panel-schemas.ts';
import { daysLeft, type EpochSeconds, formatTime } from '../../contract/times.ts';
import { listDisabledWebhooks } from '../../delivery/webhook-store.ts';
import { type LedgerSums, lastDates, type Step } from '../../ledger/ledger-days.ts';
import { findEndingPlans } from '../../plans/customer-search.ts';
import type { Customer } from '../../plans/customer-table.ts';
import { customerView } from '../shapes/customer-view.ts';
import type { PanelDependencies } from './panel-routes.ts';

export const endingDays = 14;
const endingShownMax = 10;

export function overviewRoutes(app: FastifyInstance, dependencies: PanelDependencies): void {
  const { database, ledgerDays, packages } = dependencies;

  app.get(
    '/overview',
    {
      config: { scopes: ['ledger:read', 'customers:read'], codes: [] },
      schema: {
        operationId: 'getOverview',
        summary: 'Spending by day or month, and plans that end soon',
        querystring: overviewQuerySchema,
        response: { 200: overviewSchema },
      },
    },
    async ({ principal: { account, now }, query }, reply) => {
      const at = now();
      const span = parseSpan(query, at);
      const [disabled, sums, ending] = await Promise.all([
        listDisabledWebhooks(database, account.id),
        ledgerDays.sums(account.id, span.step, span.since),
        findEndingPlans(database, account.id, {
          now: at,
          until: at + endingDays * 86_400,
          limit: endingShownMax,
        }),
      ]);
      const catalog = packages.current();
      let count = 0;
      let costCents = 0n;
      for (const { packageId, months, customers } of ending.counts) {
        count += customers;
        const one = catalog.byId.get(packageId);
        // A trial that nobody ordered after has no price.
        if (one === undefined || one.isTrial || months === null) continue;
        costCents += priceAt(one, account.group, months, at) * BigInt(customers);
      }
      return reply.send({
        notices: disabled.map(({ id, url, disabledAt, disabledReason }) => ({
          type: 'webhook_disabled',
          at: formatTime(disabledAt ?? at),
          webhook: { id, url },
          reason: disabledReason,
        })),
        series: seriesOf(sums, span.dates),
        expiring: {
          days: endingDays,
          count,
          renewal_cost: formatAmount(costCents),
          covered: account.balanceCents >= costCents,
          customers: ending.customers.map((customer) => panelCustomerView(customer, catalog, at)),
        },
      });
    },
  );
}

export interface Span {
  readonly step: Step;
  /** The first day. */
  readonly since: string;
  readonly dates: readonly string[];
}

const daysDefault = 30;
const daysMax = 366;
const monthsMax = 36;

/** `days` or `months` of a query string: clamped, never refused. */
export function parseSpan(query: unknown, now: EpochSeconds): Span {
  const count = (name: string, max: number): number | null => {
    const value = isJsonObject(query) ? own(query, name) : undefined;
    if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) return null;
    return Math.min(max, Math.max(1, Number(value)));
  };
  const months = count('months', monthsMax);
  const step = months === null ? 'day' : 'month';
  const dates = lastDates(step, months ?? count('days', daysMax) ?? daysDefault, now);
  const [first = ''] = dates;
  return { step, since: step === 'day' ? first : `${first}-01`, dates };
}

/** A point for each date, empty ones included. */
export function seriesOf(sums: readonly LedgerSums[], dates: readonly string[]): SeriesPointView[] {
  const byDate = new Map(sums.map((each) => [each.date, each]));
  return dates.map((date) => {
    const { orderCount = 0, chargedCents = 0n, refundedCents = 0n } = byDate.get(date) ?? {};
    return {
      date,
      orders: orderCount,
      charged: formatAmount(chargedCents),
      refunded: formatAmount(refundedCents),
      spent: formatAmount(chargedCents - refundedCents),
    };
  });
}

/** A customer as the API shows it, with the days left beside the plan too. */
export function panelCustomerView(
  customer: Customer,
  catalog: PackageCatalog,
  now: EpochSeconds,
): PanelCustomerView {
  return {
    ...customerView(customer, catalog, now),
    days_left: daysLeft(customer.expiresAt, now),
  };
}
