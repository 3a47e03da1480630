// The kinds of work that the service does behind its requests, each in one of all processes (src/jobs/). Put together
// by create-service.ts; what a kind does belongs to the feature that owns its tables.

import type { Limits } from './config.ts';
import type { EpochSeconds } from './contract/times.ts';
import type { Database } from './database/database.ts';
import { eachInTurn } from './database/each-in-turn.ts';
import { vacuumTables } from './database/vacuum-tables.ts';
import type { Deliverer } from './delivery/deliverer.ts';
import { shortenLogs } from './delivery/delivery-log.ts';
import { deliveriesKind } from './delivery/delivery-progress.ts';
import { askAlertAddresses } from './delivery/mail/alert-addresses.ts';
import { queueAlertMails } from './delivery/mail/alert-mails.ts';
import type { MailOutbox } from './delivery/mail/mail-outbox.ts';
import { type SendMailsDependencies, sendMails } from './delivery/mail/send-mails.ts';
import {
  type CallMode,
  deleteOldProductCalls,
  type ProductCaller,
  productCallsKinds,
} from './delivery/product-caller.ts';
import { goOnListening } from './events/event-log.ts';
import { deleteOldEvents } from './events/event-stream.ts';
import type { AccountViews } from './identity/account-views.ts';
import type { KnownAddresses } from './identity/known-addresses.ts';
import { deleteExpiredLogins } from './identity/login-link-store.ts';
import type { PasswordLinks } from './identity/password-links.ts';
import type { SessionStore } from './identity/session-store.ts';
import type { TotpStore } from './identity/totp-store.ts';
import type { ScheduledJob } from './jobs/create-jobs.ts';
import type { RequestLog } from './journal/request-log.ts';
import type { DailyTotals } from './ledger/ledger-days.ts';
import { indexFacets } from './ledger/list-stretches.ts';
import type { SpendingReads } from './ledger/spending-sums.ts';
import { renewDuePlans } from './orders/automatic-renewals.ts';
import type { OrderEngine } from './orders/order-engine.ts';
import { repairLastOrders } from './orders/repair-last-orders.ts';
import { indexCustomerTerms } from './plans/customer-terms.ts';
import { notePlanEnds, type PlanEnd } from './plans/plan-ends.ts';
import { cleanDiscardedTests } from './test-mode/twin-cleaning.ts';

export interface ScheduledJobsDependencies {
  readonly database: Database;
  readonly limits: Limits;
  readonly engine: OrderEngine;
  readonly now: () => EpochSeconds;
  readonly monotonicNow: () => number;
  readonly sessions: SessionStore;
  readonly views: AccountViews;
  readonly totp: TotpStore;
  readonly requestLog: RequestLog;
  readonly dailyTotals: DailyTotals;
  readonly spending: SpendingReads;
  readonly deliverer: Deliverer;
  readonly productCallers: Readonly<Record<CallMode, ProductCaller>>;
  readonly mails: MailOutbox;
  readonly passwordLinks: PasswordLinks;
  readonly knownAddresses: KnownAddresses;
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
    requestLog,
    dailyTotals,
    spending,
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
    {
      kind: 'alert_mails',
      ...times.alertMails,
      run: async ({ signal }) => {
        const { seal, publicUrl } = dependencies.mail;
        const isLeft = await askAlertAddresses({ ...dependencies, seal, publicUrl }, signal);
        return { backlog: isLeft || (await queueAlertMails(dependencies, signal)) ? 1 : 0 };
      },
    },
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
        const before = now() - limits.eventsKeptSeconds;
        return { backlog: (await deleteOldEvents(database, before, signal)) ? 1 : 0 };
      },
    },
    {
      kind: 'ledger_days',
      ...times.dailyTotals,
      run: async ({ signal }) => {
        let backlog = 0;
        await eachInTurn([dailyTotals, spending], async (sums) => {
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
    {
      kind: 'request_log',
      ...times.requestLog,
      run: async ({ signal }) => ({ backlog: await requestLog.prune(now(), signal) }),
    },
    {
      kind: 'mail',
      ...times.mail,
      // Without a mail server there is nothing to do but to forget.
      ...(dependencies.mail.settings === null && { everySeconds: times.requestLog.everySeconds }),
      run: async ({ signal }) => ({
        backlog: await sendMails({ ...dependencies.mail, database, now, limits: limits.mail }, signal),
      }),
    },
  ];
  // A server vacuums by itself.
  if (database.kind === 'embedded') {
    jobs.push({
      kind: 'vacuum',
      ...times.vacuum,
      run: async ({ signal }) => ({ backlog: await vacuumTables(database, signal) }),
    });
  }
  return jobs;
}
