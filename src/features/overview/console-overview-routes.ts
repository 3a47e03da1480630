// Data that only the console shows: figures of the whole service, its health, and the customers of all accounts.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { DatabaseUnavailable, ranked } from '../../platform/database/database.ts';
import { readServerVersion } from '../../platform/database/server-version.ts';
import { numberMax } from '../../platform/http/list-query.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { Jobs } from '../../platform/jobs/job-runner.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { parseRealOwnedId } from '../../shared/identifiers.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { allCustomersRoute } from '../customers/customer-list-routes.ts';
import { countEndingPlansOfAll } from '../customers/find-customer.ts';
import { countOpenProductCalls } from '../fulfillment/product-call-reads.ts';
import { failingView } from '../fulfillment/product-call-view.ts';
import { findAccountNames } from '../identity/account-names.ts';
import { countHaltedAccounts } from '../identity/count-halted-accounts.ts';
import type { DailyTotals } from '../ledger/daily-totals.ts';
import { findEntriesOfOrder } from '../ledger/find-entries.ts';
import { ledgerEntryView } from '../ledger/ledger-entry-view.ts';
import type { SpendingReads } from '../ledger/spending-totals.ts';
import { parseSpan, seriesOf, spanView, spendingView, totalsOf } from '../ledger/spending-view.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { type FindPlacingRequest, readOrderCourse } from '../orders/order-course.ts';
import { accountOrderSchema } from '../orders/order-panel-schemas.ts';
import type { OrderReads } from '../orders/order-reads.ts';
import { type PanelOrderDependencies, panelOrderView } from '../orders/order-view.ts';
import { listRefusals } from '../request-log/refusal-counts.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import { listVerifications, type VerificationRecord } from '../verification/verification-records.ts';
import type { HealthFacts } from './batch-sizes.ts';
import { listJobViews } from './job-view.ts';
import { endingDays, endingWindow } from './overview-routes.ts';
import { adminOverviewSchema, healthSchema, overviewQuerySchema } from './overview-schemas.ts';
import { findBackups } from './setup-state.ts';

interface ConsoleOverviewRoutesDependencies extends PanelOrderDependencies {
  readonly dailyTotals: DailyTotals;
  readonly database: Database;
  readonly engine: OrderEngine;
  readonly exports: PerAccountConcurrency;
  readonly findPlacingRequest: FindPlacingRequest;
  readonly health: HealthFacts;
  readonly jobs: Jobs;
  readonly lists: PerAccountConcurrency;
  readonly now: () => EpochSeconds;
  readonly orders: OrderReads;
  readonly requestLog: RequestLog;
  readonly seal: Seal;
  readonly spending: SpendingReads;
}

const topAccountsMax = 10;

export function consoleRoutes(app: FastifyInstance, dependencies: ConsoleOverviewRoutesDependencies): void {
  const { database, engine, health } = dependencies;

  app.get(
    '/overview',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'getServiceOverview',
        summary: 'Spending of all accounts by day or month, package and kind, plans that end soon, refusals',
        querystring: overviewQuerySchema,
        response: { 200: adminOverviewSchema },
      },
    },
    (request, reply) => getServiceOverview(dependencies, request, reply),
  );

  app.get(
    '/health',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'getHealth',
        summary: 'How this process and its database are doing',
        response: { 200: healthSchema },
      },
    },
    async (_request, reply) =>
      reply.send({
        database: { kind: database.kind, ...(await databaseVersion()) },
        queue_depth: engine.queueDepth(),
        batches_in_flight: engine.batchesInFlight(),
        batch_sizes: health.batchSizes(),
        requests: health.requests.read(),
        ...(await storedFacts()),
        uptime_seconds: health.uptimeSeconds(),
        version: health.version,
        ...sharedLimitsView(health.sharedLimits()),
        jobs: await listJobViews(dependencies.jobs),
      }),
  );

  allCustomersRoute(app, dependencies);

  app.get<{ Params: { id: string } }>(
    '/orders/:id',
    {
      config: { scopes: ['admin:read'], codes: ['order_not_found'] },
      schema: {
        operationId: 'getOrderOfAnyAccount',
        summary: 'One order of any account and its ledger entries',
        response: { 200: accountOrderSchema },
      },
    },
    (request, reply) => getOrderOfAnyAccount(dependencies, request, reply),
  );

  /** Nulls if the database does not answer. */
  async function storedFacts() {
    try {
      const [waiting, frozen, { madeAt, areElsewhere }, verifications] = await Promise.all([
        countOpenProductCalls(database, 'waiting'),
        countHaltedAccounts(database),
        findBackups(database),
        listVerifications(database),
      ]);
      return {
        waiting_calls: {
          count: waiting.count,
          more: waiting.more,
          since: waiting.since === null ? null : formatTime(waiting.since),
        },
        frozen_accounts: frozen,
        backups: { made_at: madeAt === null ? null : formatTime(madeAt), elsewhere: areElsewhere },
        verifications: verifications.map(verificationView),
      };
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      return { waiting_calls: null, frozen_accounts: null, backups: null, verifications: null };
    }
  }

  async function databaseVersion(): Promise<{ version: string; reachable: boolean }> {
    try {
      return { version: await readServerVersion(ranked(database, 'lookups')), reachable: true };
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      return { version: '', reachable: false };
    }
  }
}

async function getServiceOverview(
  { now, dailyTotals, spending, requestLog, database, packages }: ConsoleOverviewRoutesDependencies,
  { query }: FastifyRequest,
  reply: FastifyReply,
) {
  const at = now();
  const span = parseSpan(query, at);
  const sums = await dailyTotals.sumsOfAll(span.step, span.previousSince);
  const spent = await spending.ofAll(span);
  await requestLog.flush();
  const [attention, failing, top, count, refusals] = await Promise.all([
    countOpenProductCalls(database, 'attention'),
    countOpenProductCalls(database, 'failing'),
    dailyTotals.topAccounts(span.since, topAccountsMax),
    countEndingPlansOfAll(database, at, at + endingDays * 86_400),
    listRefusals(database, span.since),
  ]);
  return reply.send({
    span: spanView(span, at),
    series: seriesOf(sums, span.dates),
    totals: totalsOf(sums, span.dates),
    spending: spendingView(spent, packages.current()),
    orders: {
      attention: { count: attention.count, more: attention.more },
      failing: failingView(failing),
    },
    top_accounts: top.map(({ id, username, displayName, orderCount, spentCents }) => ({
      account: { id, username, display_name: displayName },
      orders: orderCount,
      spent: formatAmount(spentCents),
    })),
    expiring: { days: endingDays, count, ...endingWindow(at) },
    refusals,
  });
}

async function getOrderOfAnyAccount(
  dependencies: ConsoleOverviewRoutesDependencies,
  { params }: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
) {
  const { orders, database, currency } = dependencies;
  const id = parseRealOwnedId(params.id);
  const order = orRefuse(id === null ? null : await orders.find(id.accountId, id.number), 'order_not_found');
  const { accountId } = order;
  const [view, entries, course, names] = await Promise.all([
    panelOrderView(order, dependencies),
    findEntriesOfOrder(database, accountId, order.number, numberMax),
    readOrderCourse(dependencies, order),
    findAccountNames(database, [accountId]),
  ]);
  return reply.send({
    account: { id: accountId, username: names.get(accountId) ?? '' },
    order: view,
    entries: entries.map(({ entry, actor }) => ledgerEntryView(entry, actor, currency)),
    course,
  });
}

function verificationView({ id, finishedAt, startedBy, ...counts }: VerificationRecord) {
  return { id, at: formatTime(finishedAt), started_by: startedBy, ...counts };
}

function sharedLimitsView(state: ReturnType<HealthFacts['sharedLimits']>) {
  if (state === null) return {};
  const { server, isThere, milliseconds, problem } = state;
  return {
    shared_limits: { server, reachable: isThere, seconds: Math.floor(milliseconds / 1000), problem },
  };
}
