// A job that needs no webhook: asks the provider about open top-ups and about all events since the last one it saw, and books
// what had to wait, also lines of bank statements. So a payment is credited however many webhooks are lost, also after a
// restore from a backup.

import { type Database, DatabaseUnavailable } from '../../platform/database/database.ts';
import { JobProblem } from '../../platform/jobs/job-runner.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { bookWaitingBankLines } from './book-bank-lines.ts';
import { type BookingDependencies, bookNews } from './book-payments.ts';
import { type CheckoutTexts, openCheckout } from './open-checkout.ts';
import {
  deleteOldPaymentEvents,
  findEventCursor,
  isHandled,
  moveEventCursor,
  noteHandled,
} from './payment-events.ts';
import type { PaymentGateway, PaymentGateways } from './payment-gateway.ts';
import { listOpenProblems, type PaymentProblem, waitingReasons } from './payment-problems.ts';
import { type PaymentNews, type PaymentProvider, ProviderAway } from './payment-provider.ts';
import { payInTestMode } from './test-outcomes.ts';
import {
  findTopup,
  listDueChecks,
  listOverdue,
  moveStatus,
  nextCheckAt,
  setNextCheck,
} from './topup-store.ts';
import type { ListedTopup } from './topup-table.ts';

export interface ReconcileDependencies extends BookingDependencies {
  readonly gateways: PaymentGateways;
  readonly checkout: CheckoutTexts;
  /** A top-up, an event or a kept payment could not be looked at. The others go on. */
  readonly onProblem: (error: unknown, subject: string) => void;
}

const rowsAtOnce = 100;
/** The provider may list an event a little later than others of the same second. */
const overlapSeconds = 300;
/** How far back the first look goes. */
const firstLookSeconds = 86_400;

/** @returns 1 if work is left @throws JobProblem if the provider is away */
export async function reconcilePayments(
  dependencies: ReconcileDependencies,
  signal: AbortSignal,
): Promise<number> {
  const { database, gateways, now } = dependencies;
  const areLinesLeft = await bookWaitingBankLines(dependencies, signal);
  const overdue = await expireTransfers(dependencies, signal);
  const inTests = await payDueTests(dependencies, signal);
  const gateway = await gateways.current();
  let isLeft = areLinesLeft || overdue || inTests || (await deleteOldPaymentEvents(database, now()));
  if (gateway !== null) {
    try {
      isLeft = (await checkTopups(dependencies, gateway, signal)) || isLeft;
      await readEvents(dependencies, gateway, signal);
      await bookWaiting(dependencies, gateway, signal);
    } catch (error) {
      if (!(error instanceof ProviderAway)) throw error;
      throw new JobProblem('The payment provider did not answer.');
    }
  }
  return isLeft ? 1 : 0;
}

async function expireTransfers(
  { database, currency, now }: ReconcileDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const overdue = await listOverdue(database, now(), rowsAtOnce);
  for (const { accountId, number } of overdue) {
    if (signal.aborted) return true;
    await moveStatus(database, { accountId, number, to: 'expired', currency, now: now() });
  }
  return overdue.length >= rowsAtOnce;
}

async function payDueTests(dependencies: ReconcileDependencies, signal: AbortSignal): Promise<boolean> {
  const { database, now } = dependencies;
  const due = await listDueChecks(database, 'test', now(), rowsAtOnce);
  for (const each of due) {
    if (signal.aborted) return true;
    const topup = await findTopup(database, each.accountId, each.number);
    if (topup !== null) await payInTestMode(dependencies, topup, 'pay');
    await setNextCheck(database, each, null);
  }
  return due.length >= rowsAtOnce;
}

async function checkTopups(
  dependencies: ReconcileDependencies,
  gateway: PaymentGateway,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, now } = dependencies;
  const due = await listDueChecks(database, 'live', now(), rowsAtOnce);
  for (const each of due) {
    if (signal.aborted) return true;
    const topup = await findTopup(database, each.accountId, each.number);
    let isOver = topup === null;
    await apart(dependencies, `top-up ${each.accountId}-${each.number}`, async () => {
      if (topup !== null) isOver = await checkTopup(dependencies, gateway, topup);
    });
    // Also if the provider refuses to show it, so that it is not asked about every minute.
    await setNextCheck(database, each, isOver || topup === null ? null : nextCheckAt(topup));
  }
  return due.length >= rowsAtOnce;
}

/** @returns whether nothing more will come of it */
async function checkTopup(
  dependencies: ReconcileDependencies,
  gateway: PaymentGateway,
  topup: ListedTopup,
): Promise<boolean> {
  const { database, checkout, currency, now } = dependencies;
  const { provider, installation } = gateway;
  const { accountId, number, providerKey, sessionId, expiresAt } = topup;
  if (topup.creditedAt !== null || providerKey === null || expiresAt === null) return true;
  if (sessionId === null) {
    // The process died before it had the provider's answer, or the provider refused. The payer has no page yet.
    if (topup.status !== 'open' || now() >= expiresAt) {
      await moveStatus(database, { accountId, number, to: 'expired', currency, now: now() });
      return true;
    }
    await openCheckout(database, gateway, { ...topup, providerKey, expiresAt }, checkout);
    return false;
  }
  if (topup.status === 'cancelled') await provider.closeCheckout(sessionId);
  const { news, isOver } = await provider.readCheckout(sessionId);
  if (news !== null) await bookNews(dependencies, provider, installation, news);
  return isOver;
}

async function readEvents(
  dependencies: ReconcileDependencies,
  { provider, installation }: PaymentGateway,
  signal: AbortSignal,
): Promise<void> {
  const { database, now } = dependencies;
  const cursor = await findEventCursor(database, provider.name);
  const events = await provider.listEvents((cursor ?? now() - firstLookSeconds) - overlapSeconds);
  // Behind the first event that could not be handled the cursor does not move.
  let handledUpTo: EpochSeconds | null = cursor;
  let hasFailed = false;
  for (const { id, occurredAt, news } of events) {
    if (signal.aborted) return;
    const isDone = await apart(dependencies, `event ${id}`, async () => {
      if (news === null || (await isHandled(database, provider.name, id))) return;
      const booked = await bookNews(dependencies, provider, installation, news);
      if (booked !== 'ignored') await noteHandled(database, provider.name, id, now());
    });
    hasFailed ||= !isDone;
    if (!hasFailed && occurredAt > (handledUpTo ?? 0)) {
      handledUpTo = occurredAt;
    }
  }
  if (handledUpTo !== null && handledUpTo !== cursor) {
    await moveEventCursor(database, provider.name, handledUpTo);
  }
}

/** Payments of accounts that were blocked or halted when they came. */
async function bookWaiting(
  dependencies: ReconcileDependencies,
  { provider, installation }: PaymentGateway,
  signal: AbortSignal,
): Promise<void> {
  const { database } = dependencies;
  for (let after = 0; ; ) {
    const problems = await listOpenProblems(database, after, rowsAtOnce);
    for (const problem of problems) {
      if (signal.aborted) return;
      after = problem.id;
      if (!waitingReasons.includes(problem.reason) || (await isBlocked(database, problem))) continue;
      await apart(dependencies, problem.objectRef, async () => {
        const news = await readAgain(provider, problem);
        if (news !== null) await bookNews(dependencies, provider, installation, news);
      });
    }
    if (problems.length < rowsAtOnce) return;
  }
}

async function isBlocked(database: Database, { accountId, reason }: PaymentProblem): Promise<boolean> {
  return reason === 'account_blocked' && (await findAccount(database, accountId))?.blocked !== false;
}

function readAgain(provider: PaymentProvider, { objectRef }: PaymentProblem): Promise<PaymentNews | null> {
  const id = objectRef.slice(objectRef.indexOf(':') + 1);
  if (id.startsWith('pi_')) return provider.readPayment(id);
  return id.startsWith('re_') || id.startsWith('pyr_') ? provider.readRefund(id) : provider.readDispute(id);
}

/** What one object is refused for does not stop the others. @returns whether it was done */
async function apart(
  { onProblem }: ReconcileDependencies,
  subject: string,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (
      error instanceof ProviderAway ||
      error instanceof DatabaseUnavailable ||
      error instanceof Overloaded
    ) {
      throw error;
    }
    onProblem(error, subject);
    return false;
  }
}
