// Builds the service. Everything is created here and released by close(); the clock is an argument.

import { statfsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Registry } from '@prometheus-io/client';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createAccountViews } from '../features/auth/account-views.ts';
import { type ApiKeyCache, createApiKeyCache } from '../features/auth/api-key-cache.ts';
import { createKnownAddresses } from '../features/auth/known-addresses.ts';
import type { LookAround } from '../features/auth/look-around.ts';
import { createPasswordLinks, type PasswordLinks } from '../features/auth/password-links.ts';
import { createSessionStore } from '../features/auth/session-store.ts';
import { createSignInLog, type SignInLog } from '../features/auth/sign-in-log.ts';
import { createTotpStore } from '../features/auth/totp-store.ts';
import { createBrandHolder } from '../features/brand/brand-store.ts';
import { createBusinessReads } from '../features/business/business-reads.ts';
import { createPlanSums } from '../features/business/plan-sums.ts';
import { createCustomerReads } from '../features/customers/customer-reads.ts';
import { logErasure } from '../features/erasure/log-erasure.ts';
import { repeatErasures } from '../features/erasure/repeat-erasures.ts';
import { createEventWaits, type EventWaits } from '../features/events/account-feed.ts';
import { createProductCallMetrics } from '../features/fulfillment/product-call-metrics.ts';
import {
  type CallMode,
  createProductCaller,
  type ProductCaller,
  productCallsKinds,
} from '../features/fulfillment/product-caller.ts';
import { productPayload } from '../features/fulfillment/product-payload.ts';
import { createAccountReads } from '../features/identity/account-reads.ts';
import { noteKeysUsed } from '../features/identity/api-key-rows.ts';
import { createDailyTotals } from '../features/ledger/daily-totals.ts';
import { createSpendingReads } from '../features/ledger/spending-totals.ts';
import { isNewOrder, type OrderCommand } from '../features/order-engine/decisions/order-commands.ts';
import { orderTables } from '../features/order-engine/order-batch.ts';
import { createOrderEngine, type OrderEngine } from '../features/order-engine/order-engine.ts';
import { createOrderMetrics, type OrderMetrics } from '../features/order-engine/order-metrics.ts';
import { prepareProductCalls } from '../features/order-engine/prepare-product-calls.ts';
import { createTestBudget, type TestBudget } from '../features/order-engine/records/test-usage.ts';
import { orderEventData } from '../features/orders/order-event-data.ts';
import { createOrderReads } from '../features/orders/order-reads.ts';
import { createOrderTimes } from '../features/orders/order-times.ts';
import { searchOrders } from '../features/orders/search-orders.ts';
import { createBatchSizes } from '../features/overview/batch-sizes.ts';
import { createPanelStreams, type PanelStreams } from '../features/overview/panel-streams.ts';
import { createRequestFigures } from '../features/overview/request-figures.ts';
import { observePanelStreams } from '../features/overview/stream-metrics.ts';
import { createPackageCatalog, type PackageCatalogHolder } from '../features/packages/package-catalog.ts';
import { type CheckoutTexts, topupsPageUrl } from '../features/payments/open-checkout.ts';
import { createPaymentGateways } from '../features/payments/payment-gateway.ts';
import { countOpenProblems } from '../features/payments/payment-problems.ts';
import { createPaymentMethods } from '../features/payments/payment-settings.ts';
import { createFindPlacingRequest } from '../features/request-log/placing-requests.ts';
import { createRequestLog, type RequestLog } from '../features/request-log/request-log.ts';
import { createRetentionHolder } from '../features/retention/retention-settings.ts';
import {
  createSharedVerification,
  type SharedVerification,
} from '../features/verification/shared-verification.ts';
import { recordVerification } from '../features/verification/verification-records.ts';
import { verifyLedger } from '../features/verification/verify-ledger.ts';
import { createDeliverer, type Deliverer } from '../features/webhooks/deliverer.ts';
import { createDeliveryMetrics } from '../features/webhooks/delivery-metrics.ts';
import { deliveriesKind } from '../features/webhooks/delivery-progress.ts';
import { type Database, ranked } from '../platform/database/database.ts';
import { createEarlyAnalyze } from '../platform/database/schema/early-analyze.ts';
import type { AccessLog } from '../platform/http/access-log.ts';
import { builtPagesFolder } from '../platform/http/built-pages.ts';
import { createGracefulDrain, letConnectionsBeUsedUp } from '../platform/http/graceful-drain.ts';
import { createMetrics, type Metrics } from '../platform/http/metrics.ts';
import { observeJobs } from '../platform/jobs/job-metrics.ts';
import { createJobs, type Jobs } from '../platform/jobs/job-runner.ts';
import {
  createPerAccountConcurrency,
  createSharedConcurrency,
} from '../platform/limits/per-account-concurrency.ts';
import { createRateLimiter } from '../platform/limits/rate-limiter.ts';
import { createAttemptThrottle } from '../platform/limits/sign-in-throttle.ts';
import { createMailOutbox } from '../platform/mail/mail-outbox.ts';
import { createOutbound, type Outbound } from '../platform/outbound/outbound.ts';
import type { Seal } from '../platform/secrets/seal.ts';
import { processName } from '../platform/secrets/secret-key-sessions.ts';
import type { Config, Limits } from '../setup/config.ts';
import { isTestAccount } from '../shared/identifiers.ts';
import type { EpochSeconds } from '../shared/times.ts';
import { programVersion } from '../shared/version.ts';
import { createApp } from './app.ts';
import { type Counting, createRateLimitCounts } from './create-rate-limits.ts';
import type { PayPages } from './demo-pay-pages.ts';
import { builtDocsFolder } from './docs-pages.ts';
import { followChanges } from './follow-changes.ts';
import { createReadiness } from './readiness.ts';
import { scheduledJobs } from './scheduled-jobs.ts';
import { createSetupFindings } from './setup-findings.ts';

export interface ServiceDependencies {
  readonly config: Config;
  readonly limits: Limits;
  readonly database: Database;
  readonly seal: Seal;
  /** The base of login links. It is known once the service listens. */
  readonly publicUrl: () => string;
  readonly logger: FastifyBaseLogger;
  readonly accessLog: AccessLog | null;
  readonly now: () => EpochSeconds;
  readonly monotonicNow: () => number;
  /** The clock of leases and schedules; default: the database's, which all processes share. */
  readonly jobsClock?: () => EpochSeconds;
  /** Replaces outbound calls when the documentation's samples are made. */
  readonly outbound?: Outbound;
  /** The payment provider of a demo, once it runs. */
  readonly demoProvider?: () => PayPages | null;
  readonly lookAround?: LookAround;
  readonly pagesFolder?: string;
  readonly docsFolder?: string;
}

export interface Service {
  readonly app: FastifyInstance;
  readonly engine: OrderEngine;
  /** Another engine on the same database, for orders of the past. No metrics, events or calls come of it. */
  readonly engineAt: (now: () => EpochSeconds) => OrderEngine;
  readonly packages: PackageCatalogHolder;
  readonly seal: Seal;
  readonly passwordLinks: PasswordLinks;
  readonly jobs: Jobs;
  /** If other processes can take over, waits until probers know, then for open connections. `hurry` cuts it short. */
  depart(hurry: AbortSignal): Promise<void>;
  /** Finishes accepted work, then releases everything, including the database. */
  close(): Promise<void>;
}

/** A batch holds either real or test orders. Metrics count only real ones. */
const isOfRealOrders = (commands: readonly OrderCommand[]) =>
  !commands.some(({ accountId }) => isTestAccount(accountId));

function diskBytesOf(database: Config['database']): number | null {
  if (database.kind !== 'embedded') return null;
  const { blocks, bsize } = statfsSync(database.dataDir);
  return blocks * bsize;
}

const idleSweepMilliseconds = 50;
const lastLinesMilliseconds = 1_000;

export async function createService(dependencies: ServiceDependencies): Promise<Service> {
  const { config, limits, database, seal, publicUrl, logger, now, monotonicNow, accessLog } = dependencies;
  const { currency, cancelRefund } = config;
  const testBudget = createTestBudget(config.testRowsMax, diskBytesOf(config.database));
  const metrics = createMetrics();
  const orderMetrics = createOrderMetrics(metrics.registry);
  const startedAt = monotonicNow();
  // Requests need these reads before they can begin. All other reads wait behind orders.
  const lookups = ranked(database, 'lookups');
  const keys = createApiKeyCache(lookups, now, (error) =>
    logger.warn({ err: error }, 'api key index load failed'),
  );
  const packages = await createPackageCatalog(lookups);
  const brand = await createBrandHolder(lookups);
  const paymentMethods = await createPaymentMethods(lookups);
  const retention = await createRetentionHolder(lookups);
  const topupUrl = () => (paymentMethods.areOn() ? topupsPageUrl(publicUrl()) : null);
  const outbound =
    dependencies.outbound ?? createOutbound({ allow: config.outboundAllow, limits: limits.outbound });
  const eventWaits = createEventWaits(lookups, limits.eventWaits);
  const deliveryMetrics = createDeliveryMetrics(metrics.registry);
  const deliverer = createDeliverer({
    database,
    outbound,
    seal,
    now,
    monotonicNow,
    limits: limits.deliveries,
    onAttempt: deliveryMetrics.onAttempt,
    onProblem: (error, webhook) => logger.warn({ err: error, webhook }, 'webhook secret unsealing failed'),
  });
  deliveryMetrics.observe(deliverer);
  const { engine, engineAt, batchSizes } = createServiceEngine(dependencies, {
    ...{ testBudget, packages, orderMetrics, eventWaits, deliverer, topupUrl },
    productCallers: () => productCallers,
  });
  await followChanges({ database, keys, packages, brand, paymentMethods, retention, deliverer, logger });
  // Loaded after the process began to receive changes, so that it misses none. The start does not wait for the keys.
  keys.learnKeys();

  const requestLog = createRequestLog({
    database,
    limits: limits.requestLog,
    onKeysUsed: (uses) => noteKeysUsed(database, uses),
    onDropped: metrics.onRequestLinesDropped,
  });
  const productCallers = createProductCallers(dependencies, {
    ...{ outbound, packages, engine, lookups },
    registry: metrics.registry,
  });
  const counting = await createRateLimitCounts({
    address: config.valkey,
    limits,
    monotonicNow,
    logger,
    registry: metrics.registry,
  });
  const dailyTotals = createDailyTotals(database);
  const spending = createSpendingReads(database);
  const planSums = createPlanSums(database);
  const orderTimes = createOrderTimes(database);
  const business = createBusinessReads(database);
  const sessions = createSessionStore(lookups, limits.sessions);
  const views = createAccountViews(lookups, limits.accountViewSeconds);
  const signIns = createSignInLog({
    database: lookups,
    monotonicNow,
    limits: limits.signIns,
    onProblem: (error) => logger.warn({ err: error }, 'sign-in audit entry failed'),
  });
  const issuer = () =>
    brand.current().name ?? config.mail?.from.name ?? config.statementIssuer[0] ?? 'Sellthrough';
  const gateways = createPaymentGateways({
    ...{ database: lookups, seal, stripeApiBase: config.stripeApiBase },
    demoApiBase: () => dependencies.demoProvider?.()?.url ?? null,
  });
  const checkout: CheckoutTexts = { publicUrl, description: () => `${issuer()}: prepaid balance`, currency };
  const onProviderProblem = (error: unknown, subject: string | null = null) =>
    logger.warn({ err: error, subject }, 'payment provider call failed');
  const mails = createMailOutbox({
    isOn: config.mail !== null,
    seal,
    language: () => brand.current().language,
    publicUrl,
    keptTryingSeconds: limits.mail.keptTryingSeconds,
  });
  const passwordLinks = createPasswordLinks({
    database: lookups,
    mails,
    publicUrl,
    limits: limits.passwordLinks,
    onProblem: (error) => logger.warn({ err: error }, 'password link failed'),
  });
  const knownAddresses = createKnownAddresses(mails, limits.knownAddressSeconds);
  const jobs = createJobs({
    // Renewing a lease must not wait behind lists.
    database: lookups,
    now: dependencies.jobsClock ?? null,
    monotonicNow,
    processName: processName(),
    limits: limits.jobs,
    scheduled: scheduledJobs({
      database,
      engine,
      packages,
      limits,
      now,
      monotonicNow,
      sessions: createSessionStore(database, limits.sessions),
      views: createAccountViews(database, limits.accountViewSeconds),
      totp: createTotpStore(database, seal, limits.totpPendingSeconds),
      requestLog,
      dailyTotals,
      spending,
      planSums,
      orderTimes,
      business,
      deliverer,
      productCallers,
      passwordLinks,
      knownAddresses,
      mails,
      testBudget,
      payments: { currency, gateways, checkout, onProblem: onProviderProblem },
      onErased: (customer) => logErasure(logger, customer),
      mail: {
        seal,
        settings: config.mail,
        face: () => ({ ...brand.current(), issuer: issuer() }),
        publicUrl,
        onGivenUp: (mail) => logger.warn({ mail }, 'mail given up'),
      },
    }),
    requested: [{ kind: 'audit', ...limits.scheduledJobs.audit }],
    onProblem(error, kind) {
      if (kind === null) logger.warn({ err: error }, 'job schedule read failed');
      else logger.warn({ err: error, job: kind }, 'job failed');
    },
  });
  observeJobs(metrics.registry, jobs);

  // A failure must not keep the service away; the job tries again.
  await repeatErasures({ database, engine, seal, packages, now }).catch((error: unknown) =>
    logger.warn({ err: error }, 'repeated erasure failed'),
  );
  const panelStreams = createPanelStreams({
    database,
    limits: limits.panelStreams,
    countPaymentProblems: () => countOpenProblems(lookups),
    monotonicNow,
  });
  observePanelStreams(metrics.registry, panelStreams);
  const onUnrecorded = (error: unknown) => logger.warn({ err: error }, 'verification not recorded');
  const audits = createSharedVerification({
    audit: (signal, startedBy) =>
      recordVerification(database, { startedBy, now, onUnrecorded }, () =>
        verifyLedger(database, now(), { signal, clock: now }),
      ),
    async exclusively(work) {
      const outcome = await jobs.exclusively('audit', ({ signal }) => work(signal));
      return outcome.type === 'done' ? outcome.result : null;
    },
    limits: limits.verify,
  });

  let isDraining = false;
  const gracefulDrain = createGracefulDrain(monotonicNow, limits.gracefulDrain);
  const isLeaving = () => isDraining || gracefulDrain.isAnnounced();

  const orders = createOrderReads(database);
  const app = await createApp({
    database,
    engine,
    searchOrders,
    findPlacingRequest: createFindPlacingRequest({ database, now, orders, requestLog, retention }),
    seal,
    keys,
    packages,
    brand,
    retention,
    metrics,
    logger,
    accessLog,
    currency,
    cancelRefund,
    testBudget,
    topupUrl,
    offeredTopups: paymentMethods.offered,
    paymentSettings: paymentMethods.settings,
    countPaymentProblems: () => countOpenProblems(lookups),
    gateways,
    demoProvider: dependencies.demoProvider ?? null,
    lookAround: dependencies.lookAround ?? null,
    checkout,
    onProviderProblem,
    now,
    monotonicNow,
    publicUrl,
    setup: {
      ...{ database: lookups, packages: packages.current, now },
      hasBrand: () => brand.current().name !== null,
      takesPayments: paymentMethods.areOn,
      hasPublicUrl: config.publicUrl !== null,
      hasMail: config.mail !== null,
      findings: createSetupFindings(config, monotonicNow),
    },
    readinessProblems: createReadiness(database, isLeaving, logger),
    onReadinessAsked: gracefulDrain.asked,
    isDraining: () => isDraining,
    forgetAccount: keys.forgetAccount,
    accounts: createAccountReads(lookups),
    orders,
    customers: createCustomerReads(database),
    limiter: createRateLimiter({ counts: counting.requests, monotonicNow, ...limits.rates }),
    lists: createPerAccountConcurrency(limits.lists),
    pdfEntriesMax: limits.pdfEntriesMax,
    exports: createSharedConcurrency(limits.exports, limits.exportsOfAll),
    bulkConcurrency: {
      ofAccount: createPerAccountConcurrency(limits.bulks.ofAccount),
      ofAll: createPerAccountConcurrency(limits.bulks.ofAll),
    },
    bulkLimits: limits.bulks,
    testClockLimits: limits.testClock,
    eventWaits,
    panelStreams,
    views,
    sessions,
    signIns,
    passwordLinks,
    knownAddresses,
    totp: createTotpStore(lookups, seal, limits.totpPendingSeconds),
    throttle: createAttemptThrottle(monotonicNow, limits.attempts, counting.attempts),
    passwordCost: limits.passwordCost,
    peoplePerAccountMax: limits.peoplePerAccountMax,
    reauthenticatedSeconds: limits.reauthenticatedSeconds,
    secondFactorRoles: config.secondFactorRoles,
    creditConfirmedAboveCents: config.creditConfirmedAboveCents,
    dailyTotals,
    spending,
    planSums,
    orderTimes,
    business,
    requestLog,
    audits,
    outbound,
    async productCallsSoon() {
      for (const kind of Object.values(productCallsKinds)) await jobs.hasten(kind).catch(() => undefined);
    },
    jobs,
    webhookTests: createPerAccountConcurrency(limits.webhookTests),
    async deliverSoon() {
      // If this fails, the job's own poll finds the event a little later.
      await jobs.hasten(deliveriesKind).catch(() => undefined);
    },
    health: {
      version: programVersion,
      uptimeSeconds: () => Math.floor((monotonicNow() - startedAt) / 1000),
      batchSizes: batchSizes.quantiles,
      requests: createRequestFigures(),
      sharedLimits: counting.state,
    },
    pagesFolder: dependencies.pagesFolder ?? builtPagesFolder,
    docsFolder: dependencies.docsFolder ?? builtDocsFolder,
    trustProxy: config.trustProxy,
    linkValidSeconds: config.linkValidSeconds,
    statementIssuer: config.statementIssuer,
    loginLinks: {
      productUrl: config.productUrl,
      codeValidSeconds: limits.codeValidSeconds,
      sessionValidSeconds: limits.sessionValidSeconds,
    },
    limits: limits.http,
  });

  return {
    app,
    engine,
    engineAt,
    packages,
    seal,
    passwordLinks,
    jobs,
    async depart(hurry) {
      // No other process can serve an embedded database, so there is nothing to wait for.
      if (config.database.kind === 'embedded') return;
      await gracefulDrain.announce(hurry);
      isDraining = true;
      panelStreams.close();
      if (!hurry.aborted) await letConnectionsBeUsedUp(app.server, limits.usedUpMilliseconds, hurry);
    },
    async close() {
      isDraining = true;
      await closeService({
        ...{
          app,
          engine,
          jobs,
          keys,
          audits,
          eventWaits,
          panelStreams,
          requestLog,
          signIns,
          passwordLinks,
          outbound,
        },
        ...{ counting, database, metrics, drainMilliseconds: limits.drainMilliseconds },
      });
    },
  };
}

interface EngineParts {
  readonly testBudget: TestBudget;
  readonly packages: PackageCatalogHolder;
  readonly orderMetrics: OrderMetrics;
  readonly eventWaits: EventWaits;
  readonly deliverer: Deliverer;
  readonly productCallers: () => Readonly<Record<CallMode, ProductCaller>>;
  readonly topupUrl: () => string | null;
}

function createServiceEngine(
  { config, limits, database, logger, now, monotonicNow }: ServiceDependencies,
  { testBudget, packages, orderMetrics, eventWaits, deliverer, productCallers, topupUrl }: EngineParts,
) {
  const { currency, cancelRefund } = config;
  const batchSizes = createBatchSizes();
  const statistics = createEarlyAnalyze(database, orderTables, (error) =>
    logger.warn({ err: error }, 'statistics refresh failed'),
  );
  const shared = {
    ...{ database, currency, cancelRefund, testBudget, topupUrl, orderEventData, monotonicNow },
    packages: packages.current,
    reloadPackages: packages.reload,
    limits: { ...limits.engine, laneCount: database.orderSessions },
  };
  const onBatchBroken = (error: unknown, commands: readonly OrderCommand[]) =>
    logger.error({ err: error, orders: commands.length }, 'batch broken');
  const engine = createOrderEngine({
    ...shared,
    now,
    events: {
      onBatch(commands, outcomes, { accountsWithEvents, productCalls }) {
        eventWaits.notify(accountsWithEvents);
        if (accountsWithEvents.size > 0) deliverer.notify();
        const isReal = isOfRealOrders(commands);
        if (productCalls > 0) productCallers()[isReal ? 'live' : 'test'].notify();
        if (!isReal) return;
        orderMetrics.onBatch(commands, outcomes);
        batchSizes.note(commands.length);
        statistics.count(outcomes.filter(isNewOrder).length);
      },
      onBatchBroken(error, commands) {
        if (isOfRealOrders(commands)) orderMetrics.onBatchBroken();
        onBatchBroken(error, commands);
      },
    },
  });
  const engineAt = (past: () => EpochSeconds) =>
    createOrderEngine({ ...shared, now: past, events: { onBatch: () => undefined, onBatchBroken } });
  orderMetrics.observe(engine, database);
  return { engine, engineAt, batchSizes };
}

interface ProductCallerParts {
  readonly outbound: Outbound;
  readonly packages: PackageCatalogHolder;
  readonly engine: OrderEngine;
  readonly lookups: Database;
  readonly registry: Registry;
}

function createProductCallers(
  { database, seal, limits, logger, now }: ServiceDependencies,
  { outbound, packages, engine, lookups, registry }: ProductCallerParts,
): Readonly<Record<CallMode, ProductCaller>> {
  const productCallMetrics = createProductCallMetrics(registry);
  productCallMetrics.observe(lookups, now);
  const callsOf = (mode: CallMode) =>
    createProductCaller({
      mode,
      database,
      outbound,
      seal,
      prepare: (calls) =>
        prepareProductCalls({ database, packages, payload: productPayload, seal, now }, calls),
      async settle(settlement) {
        const outcome = await engine.submit({ type: 'settle_order', ...settlement, by: null });
        // Another process may have settled the order meanwhile, with either outcome.
        if (outcome.type === 'settled') return true;
        return outcome.type === 'refused' && outcome.refusal.code === 'order_already_settled';
      },
      now,
      limits: { ...limits.productCalls, ...(mode === 'test' ? limits.productCalls.tests : {}) },
      onCall: mode === 'live' ? productCallMetrics.onCall : () => undefined,
      onProblem: (error) => logger.error({ err: error }, 'product call handling failed'),
    });
  return { live: callsOf('live'), test: callsOf('test') };
}

interface ClosedParts {
  readonly app: FastifyInstance;
  readonly engine: OrderEngine;
  readonly jobs: Jobs;
  readonly keys: ApiKeyCache;
  readonly audits: SharedVerification;
  readonly eventWaits: EventWaits;
  readonly panelStreams: PanelStreams;
  readonly requestLog: RequestLog;
  readonly signIns: SignInLog;
  readonly passwordLinks: PasswordLinks;
  readonly outbound: Outbound;
  readonly counting: Counting;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly drainMilliseconds: number;
}

async function closeService(parts: ClosedParts): Promise<void> {
  const {
    app,
    engine,
    jobs,
    keys,
    audits,
    eventWaits,
    panelStreams,
    requestLog,
    signIns,
    passwordLinks,
    outbound,
  } = parts;
  const { counting, database, metrics, drainMilliseconds } = parts;
  eventWaits.close();
  panelStreams.close();
  keys.close();
  const jobsEnded = jobs.close();
  // Slow clients must not hold up the shutdown.
  const cutOff = setTimeout(() => app.server.closeAllConnections(), drainMilliseconds);
  // Clients keep connections open after their last answer, so idle ones are closed again and again.
  const sweeping = setInterval(() => app.server.closeIdleConnections(), idleSweepMilliseconds);
  const cancelled = audits.close();
  await app.close();
  await cancelled;
  clearTimeout(cutOff);
  clearInterval(sweeping);
  await engine.drain();
  await jobsEnded;
  // If the database does not respond, the last log rows must not hold up the shutdown.
  const lastLines = Promise.all([requestLog.close(), signIns.settled(), passwordLinks.settled()]);
  await Promise.race([lastLines, pause(lastLinesMilliseconds, undefined, { ref: false })]);
  await outbound.close();
  await counting.close();
  await database.close();
  // Otherwise a process-wide meter would keep this registry in memory.
  metrics.registry.clear();
}
