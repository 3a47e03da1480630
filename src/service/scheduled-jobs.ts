// The scheduled jobs, each running in one process at a time. A job's work belongs to the feature that owns its tables.

import { askAlertAddresses } from '../features/alerts/alert-addresses.ts';
import { queueAlertMails } from '../features/alerts/alert-mails.ts';
import { queueWeeklySummaries } from '../features/alerts/weekly-summaries.ts';
import type { AccountViews } from '../features/auth/account-views.ts';
import type { KnownAddresses } from '../features/auth/known-addresses.ts';
import type { PasswordLinks } from '../features/auth/password-links.ts';
import type { SessionStore } from '../features/auth/session-store.ts';
import type { TotpStore } from '../features/auth/totp-store.ts';
import type { BusinessReads } from '../features/business/business-reads.ts';
import type { PlanSums } from '../features/business/plan-sums.ts';
import { settleClosings } from '../features/closing/settle-closing.ts';
import { deleteExpiredLogins } from '../features/customer-portal/login-links.ts';
import { indexCustomerTerms } from '../features/customers/customer-search-terms.ts';
import { eraseClosedAccounts } from '../features/erasure/erase-closed-accounts.ts';
import { eraseTexts } from '../features/erasure/erasure-job.ts';
import { repeatErasures } from '../features/erasure/repeat-erasures.ts';
import { goOnListening } from '../features/events/event-log.ts';
import { deleteOldEvents } from '../features/events/event-stream.ts';
import {
  type CallMode,
  deleteOldProductCalls,
  type ProductCaller,
  productCallsKinds,
} from '../features/fulfillment/product-caller.ts';
import type { DailyTotals } from '../features/ledger/daily-totals.ts';
import { indexFacets } from '../features/ledger/facet-index.ts';
import type { SpendingReads } from '../features/ledger/spending-totals.ts';
import type { PlanEnd } from '../features/order-engine/decisions/order-commands.ts';
import type { OrderEngine } from '../features/order-engine/order-engine.ts';
import type { Customer } from '../features/order-engine/records/customer-table.ts';
import type { TestBudget } from '../features/order-engine/records/test-usage.ts';
import type { OrderTimes } from '../features/orders/order-times.ts';
import { repairLastOrders } from '../features/orders/repair-last-orders.ts';
import type { PackageCatalogHolder } from '../features/packages/package-catalog.ts';
import { chargeAutomatically } from '../features/payments/charge-automatically.ts';
import { type ReconcileDependencies, reconcilePayments } from '../features/payments/reconcile-payments.ts';
import { renewDuePlans } from '../features/plans/automatic-renewals.ts';
import { notePlanEnds } from '../features/plans/plan-ends.ts';
import type { RequestLog } from '../features/request-log/request-log.ts';
import { daySeconds, findRetention } from '../features/retention/retention-settings.ts';
import { cleanDiscardedTests } from '../features/test-mode/clean-test-accounts.ts';
import type { Deliverer } from '../features/webhooks/deliverer.ts';
import { shortenLogs } from '../features/webhooks/delivery-log.ts';
import { deliveriesKind } from '../features/webhooks/delivery-progress.ts';
import { removeAuditAddresses } from '../platform/audit-log/remove-addresses.ts';
import type { Database } from '../platform/database/database.ts';
import { eachInTurn } from '../platform/database/each-in-turn.ts';
import { vacuumTables } from '../platform/database/schema/vacuum-tables.ts';
import type { ScheduledJob } from '../platform/jobs/job-runner.ts';
import type { MailOutbox } from '../platform/mail/mail-outbox.ts';
import { type SendMailsDependencies, sendMails } from '../platform/mail/send-mails.ts';
import type { Limits } from '../setup/config.ts';
import type { EpochSeconds } from '../shared/times.ts';

export interface ScheduledJobsDependencies {
  readonly database: Database;
  readonly limits: Limits;
  readonly engine: OrderEngine;
  readonly packages: PackageCatalogHolder;
  readonly now: () => EpochSeconds;
  readonly monotonicNow: () => number;
  readonly sessions: SessionStore;
  readonly views: AccountViews;
  readonly totp: TotpStore;
  readonly requestLog: RequestLog;
  readonly dailyTotals: DailyTotals;
  readonly spending: SpendingReads;
  readonly planSums: PlanSums;
  readonly orderTimes: OrderTimes;
  readonly business: BusinessReads;
  readonly deliverer: Deliverer;
  readonly productCallers: Readonly<Record<CallMode, ProductCaller>>;
  readonly mails: MailOutbox;
  readonly passwordLinks: PasswordLinks;
  readonly knownAddresses: KnownAddresses;
  readonly testBudget: TestBudget;
  readonly payments: Pick<ReconcileDependencies, 'currency' | 'gateways' | 'checkout' | 'onProblem'>;
  readonly onErased: (customer: Customer) => void;
  readonly mail: Pick<SendMailsDependencies, 'seal' | 'settings' | 'face' | 'publicUrl' | 'onGivenUp'>;
}

export function scheduledJobs(dependencies: ScheduledJobsDependencies): ScheduledJob[] {
  const {
    database,
    engine,
    limits,
    now,
    sessions,
    views,
    totp,
    dailyTotals,
    spending,
    planSums,
    orderTimes,
    productCallers,
    passwordLinks,
    knownAddresses,
    deliverer,
  } = dependencies;
  const times = limits.scheduledJobs;
  const jobs: ScheduledJob[] = [
    {
      kind: 'renewals',
      ...times.renewals,
      run: async ({ signal }) => ({
        backlog: await renewDuePlans({ ...dependencies, limits: limits.renewals }, signal),
      }),
    },
    alertMailsJob(dependencies),
    {
      kind: 'plan_ends',
      ...times.planEnds,
      run: async ({ signal }) => {
        const note = (end: PlanEnd) => engine.submit({ type: 'note_plan_end', ...end });
        return { backlog: await notePlanEnds({ ...dependencies, note, limits: limits.planEnds }, signal) };
      },
    },
    { kind: deliveriesKind, ...times.deliveries, run: deliverer.run },
    {
      kind: 'delivery_log',
      ...times.deliveryLog,
      run: async ({ signal }) => ({
        backlog: await shortenLogs(database, limits.deliveryLog, now(), signal),
      }),
    },
    { kind: productCallsKinds.live, ...times.productCalls, run: productCallers.live.run },
    { kind: productCallsKinds.test, ...times.productCalls, run: productCallers.test.run },
    {
      kind: 'old_product_calls',
      ...times.oldProductCalls,
      run: async ({ signal }) => {
        const before = now() - limits.productCallsKeptSeconds;
        return { backlog: (await deleteOldProductCalls(database, before, signal)) ? 1 : 0 };
      },
    },
    {
      kind: 'old_events',
      ...times.oldEvents,
      run: async ({ signal }) => {
        await goOnListening(database);
        const { eventDays } = await findRetention(database);
        const before = now() - eventDays * daySeconds;
        return { backlog: (await deleteOldEvents(database, before, signal)) ? 1 : 0 };
      },
    },
    {
      kind: 'ledger_days',
      ...times.dailyTotals,
      run: async ({ signal }) => {
        let backlog = 0;
        await eachInTurn([dailyTotals, spending, planSums, orderTimes], async (sums) => {
          backlog += await sums.bringAllUpToDate(signal);
        });
        return { backlog };
      },
    },
    {
      kind: 'list_indexes',
      ...times.listIndexes,
      run: async ({ signal }) => {
        let backlog = 0;
        await eachInTurn([indexFacets, indexCustomerTerms, repairLastOrders], async (walk) => {
          backlog += await walk(database, signal);
        });
        return { backlog };
      },
    },
    erasureJob(dependencies),
    {
      kind: 'discarded_tests',
      ...times.discardedTests,
      run: async ({ signal }) => ({ backlog: await cleanDiscardedTests(database, signal) }),
    },
    {
      kind: 'expired_logins',
      ...times.expiredLogins,
      run: async ({ signal }) => {
        const before = now() - limits.expiredLoginsKeptSeconds;
        const logBefore = now() - limits.loginLinkLogKeptSeconds;
        return { backlog: await deleteExpiredLogins(database, before, logBefore, signal) };
      },
    },
    {
      kind: 'expired_sessions',
      ...times.expiredSessions,
      run: async ({ signal }) => {
        await totp.deleteExpired(now());
        const isLeft =
          (await sessions.deleteExpired(now(), signal)) ||
          (await views.deleteEnded(now(), signal)) ||
          (await passwordLinks.deleteExpired(now(), signal)) ||
          (await knownAddresses.deleteOld(database, now(), signal));
        return { backlog: isLeft ? 1 : 0 };
      },
    },
    ...retentionJobs(dependencies),
    ...paymentJobs(dependencies),
    {
      kind: 'mail',
      ...times.mail,
      // Without a mail server the job only deletes old rows, so it runs less often.
      ...(dependencies.mail.settings === null && { everySeconds: times.requestLog.everySeconds }),
      run: async ({ signal }) => {
        const { mailDays } = await findRetention(database);
        const parts = { database, now, limits: limits.mail, keptSeconds: mailDays * daySeconds };
        return { backlog: await sendMails({ ...dependencies.mail, ...parts }, signal) };
      },
    },
  ];
  // A PostgreSQL server has autovacuum.
  if (database.kind === 'embedded') {
    jobs.push({
      kind: 'vacuum',
      ...times.vacuum,
      run: async ({ signal }) => ({ backlog: await vacuumTables(database, signal) }),
    });
  }
  return jobs;
}

function erasureJob(dependencies: ScheduledJobsDependencies): ScheduledJob {
  const parts = { ...dependencies, seal: dependencies.mail.seal };
  return {
    kind: 'erasures',
    ...dependencies.limits.scheduledJobs.erasures,
    run: async ({ signal }) => {
      await repeatErasures(parts);
      return { backlog: await eraseTexts(parts, signal) };
    },
  };
}

function retentionJobs(dependencies: ScheduledJobsDependencies): ScheduledJob[] {
  const { database, limits, mail, now, requestLog } = dependencies;
  const times = limits.scheduledJobs;
  return [
    {
      kind: 'request_log',
      ...times.requestLog,
      run: async ({ signal }) => {
        const { requestLogDays } = await findRetention(database);
        const before = now() - requestLogDays * daySeconds;
        return { backlog: await requestLog.prune({ now: now(), before }, signal) };
      },
    },
    {
      kind: 'retention',
      ...times.retention,
      run: async ({ signal }) => {
        const { auditAddressDays, closedAccountDays } = await findRetention(database);
        let isLeft = false;
        if (auditAddressDays !== null)
          isLeft = await removeAuditAddresses(database, now() - auditAddressDays * daySeconds, signal);
        if (closedAccountDays !== null) {
          const closedBefore = now() - closedAccountDays * daySeconds;
          const parts = { ...dependencies, seal: mail.seal };
          isLeft = (await eraseClosedAccounts(parts, closedBefore, signal)) || isLeft;
        }
        return { backlog: isLeft ? 1 : 0 };
      },
    },
  ];
}

function alertMailsJob(dependencies: ScheduledJobsDependencies): ScheduledJob {
  const { limits, mail, payments } = dependencies;
  const parts = { ...dependencies, publicUrl: mail.publicUrl };
  return {
    kind: 'alert_mails',
    ...limits.scheduledJobs.alertMails,
    run: async ({ signal }) => {
      const left = [
        await askAlertAddresses({ ...parts, seal: mail.seal }, signal),
        await queueAlertMails(parts, signal),
        await queueWeeklySummaries({ ...parts, currency: payments.currency }, signal),
      ];
      return { backlog: left.includes(true) ? 1 : 0 };
    },
  };
}

function paymentJobs(dependencies: ScheduledJobsDependencies): ScheduledJob[] {
  const times = dependencies.limits.scheduledJobs;
  const parts = { ...dependencies, ...dependencies.payments };
  return [
    {
      kind: 'auto_topups',
      ...times.autoTopups,
      run: async ({ signal }) => ({ backlog: await chargeAutomatically(parts, signal) }),
    },
    {
      kind: 'payments',
      ...times.payments,
      run: async ({ signal }) => {
        const left = await settleClosings(parts, signal);
        return { backlog: left + (await reconcilePayments(parts, signal)) };
      },
    },
  ];
}
