import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { publicId } from '../../shared/identifiers.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { countCustomersByState, findFailedRenewals } from '../customers/count-customers.ts';
import { panelCustomerView } from '../customers/customer-view.ts';
import { findEndingPlans } from '../customers/find-customer.ts';
import type { DailyTotals } from '../ledger/daily-totals.ts';
import type { SpendingReads } from '../ledger/spending-totals.ts';
import { parseSpan, seriesOf, spanView, spendingView, totalsOf } from '../ledger/spending-view.ts';
import { countOrders } from '../orders/count-orders.ts';
import { type PackageCatalogHolder, payerOf } from '../packages/package-catalog.ts';
import { priceFor } from '../packages/price-rules.ts';
import { listDisabledWebhooks } from '../webhooks/webhook-store.ts';
import { overviewQuerySchema, overviewSchema } from './overview-schemas.ts';

interface OverviewRoutesDependencies {
  readonly dailyTotals: DailyTotals;
  readonly database: Database;
  readonly packages: PackageCatalogHolder;
  readonly spending: SpendingReads;
}

export const endingDays = 14;
const endingShownMax = 10;
const renewalsFailedDays = 7;

export function overviewRoutes(app: FastifyInstance, dependencies: OverviewRoutesDependencies): void {
  const { database, dailyTotals, spending, packages } = dependencies;

  app.get(
    '/overview',
    {
      config: { scopes: ['ledger:read', 'customers:read'], codes: [] },
      schema: {
        operationId: 'getOverview',
        summary:
          'Spending by day or month, package and kind, beside what was before; what ends, waits or failed',
        querystring: overviewQuerySchema,
        response: { 200: overviewSchema },
      },
    },
    async ({ principal: { account, now }, query }, reply) => {
      const at = now();
      const catalog = packages.current();
      const payer = payerOf(catalog, account);
      const span = parseSpan(query, at);
      const sums = await dailyTotals.sums(account.id, span.step, span.previousSince);
      const [spent, orderSpan, pending, counts, renewals, disabled, ending] = await Promise.all([
        spending.ofAccount(account.id, span),
        dailyTotals.orderSpan(account.id, span.since, ''),
        countOrders(database, account.id, 'pending', { from: 1, to: account.orderCount }),
        countCustomersByState(database, account.id, account.customerCount, at),
        findFailedRenewals(database, account.id, at - renewalsFailedDays * 86_400),
        listDisabledWebhooks(database, account.id),
        findEndingPlans(database, account.id, {
          now: at,
          until: at + endingDays * 86_400,
          limit: endingShownMax,
          packages: catalog.byId.values(),
        }),
      ]);
      const failed = await countOrders(database, account.id, 'failed', orderSpan);
      let count = 0;
      let renewable = 0;
      let costCents = 0n;
      for (const { packageId, months, run, customers } of ending.counts) {
        count += customers;
        const one = catalog.byId.get(packageId);
        if (one === undefined || one.isTrial || months === null) continue;
        renewable += customers;
        costCents += priceFor(one, payer, months, at, run).cents * BigInt(customers);
      }
      return reply.send({
        notices: disabled.map(({ id, url, disabledAt, disabledReason }) => ({
          type: 'webhook_disabled',
          at: formatTime(disabledAt ?? at),
          webhook: { id, url },
          reason: disabledReason,
        })),
        span: spanView(span, at),
        series: seriesOf(sums, span.dates),
        totals: totalsOf(sums, span.dates),
        spending: spendingView(spent, catalog),
        customers: { total: account.customerCount, ...counts },
        orders: { pending, failed },
        renewals_failed: {
          ...renewals,
          days: renewalsFailedDays,
          customers: renewals.customers.map(({ number, failedAt, ...customer }) => ({
            id: publicId(account.id, number),
            ...customer,
            at: formatTime(failedAt),
          })),
        },
        expiring: {
          days: endingDays,
          count,
          renewable,
          renewal_cost: formatAmount(costCents),
          covered: account.balanceCents >= costCents,
          ...endingWindow(at),
          customers: ending.customers.map((customer) => panelCustomerView(customer, catalog, at)),
        },
      });
    },
  );
}

export function endingWindow(now: EpochSeconds): { from: string; to: string } {
  return { from: formatTime(now + 1), to: formatTime(now + endingDays * 86_400) };
}
