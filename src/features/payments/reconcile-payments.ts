// A job that needs no webhook: asks the provider about open top-ups and about all events since the last one it saw, and books
// what had to wait, also lines of bank statements. So a payment is credited however many webhooks are lost, also after a
// restore from a backup.

import { DatabaseUnavailable } from '../../platform/database/database.ts';
import { JobProblem } from '../../platform/jobs/job-runner.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import { bookWaitingBankLines } from './book-bank-lines.ts';
import { type BookingDependencies, bookEvent, bookNews } from './book-payments.ts';
import { type CheckoutTexts, openCheckout } from './open-checkout.ts';
import { deleteOldPaymentEvents, findEventCursor, moveEventCursor } from './payment-events.ts';
import type { PaymentGateway, PaymentGateways } from './payment-gateway.ts';
import { listOpenProblems, type PaymentProblem, resolveProblem } from './payment-problems.ts';
import { type PaymentNews, type PaymentProvider, ProviderAway } from './payment-provider.ts';
import { sendUnsentRefunds } from './refund-topup.ts';
import { payInTestMode } from './test-outcomes.ts';
import {
  findCreditableTopup,
  findTopup,
  listDueChecks,
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
/** How far back the first look goes: providers keep events that long. */
const firstLookSeconds = 30 * 86_400;
/** How long the provider is asked each minute about what the books refuse. After that only the operator can end it. */
const askedSeconds = 30 * 86_400;
const windowSeconds = 6 * 3_600;
/** A window with fewer events makes the next one twice as long. */
const fewEvents = 100;

/** @returns 1 if work is left @throws JobProblem if the provider is away */
export async function reconcilePayments(
  dependencies: ReconcileDependencies,
  signal: AbortSignal,
): Promise<number> {
  const { database, gateways, now } = dependencies;
  const gateway = await gateways.current();
  // Each step runs, even if another one failed: what the provider refuses in one does not hold up the rest.
  const steps = [
    () => bookWaitingBankLines(dependencies, signal),
    () => payDueTests(dependencies, signal),
    () => checkTopups(dependencies, gateway, signal),
    ...(gateway === null
      ? []
      : [
          () => readEvents(dependencies, gateway, signal),
          () => sendUnsentRefunds(dependencies, gateway.provider, rowsAtOnce, now()),
          () => bookKept(dependencies, gateway, signal),
        ]),
    () => deleteOldPaymentEvents(database, now()),
  ];
  let isLeft = false;
  let failure: unknown = null;
  for (const step of steps) {
    if (signal.aborted) return 1;
    try {
      isLeft = (await step()) || isLeft;
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure instanceof ProviderAway) throw new JobProblem('The payment provider did not answer.');
  if (failure !== null) throw failure;
  return isLeft ? 1 : 0;
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
  gateway: PaymentGateway | null,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, currency, now } = dependencies;
  const due = await listDueChecks(database, 'live', now(), rowsAtOnce);
  for (const each of due) {
    if (signal.aborted) return true;
    const topup = await findTopup(database, each.accountId, each.number);
    // Before the provider is asked, so that a top-up that it cannot answer does not hold up the others.
    await setNextCheck(database, each, topup === null ? null : nextCheckAt(topup, now()));
    if (topup === null) continue;
    if (topup.method === 'bank_transfer') {
      await moveStatus(database, { ...each, to: 'expired', currency, now: now() });
      await setNextCheck(database, each, null);
    } else if (gateway === null) {
      // Looked at again: the provider that was removed may be set again.
      if (topup.expiresAt !== null && now() >= topup.expiresAt)
        await moveStatus(database, { ...each, to: 'expired', currency, now: now() });
    } else {
      await apart(dependencies, `top-up ${each.accountId}-${each.number}`, async () => {
        if (await checkTopup(dependencies, gateway, topup)) await setNextCheck(database, each, null);
      });
    }
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
  const found = await provider.readCheckout(sessionId);
  if (found === null) {
    // For example of another account at the provider, whose key was replaced. No one can pay there any more.
    if (now() < expiresAt) return false;
    await moveStatus(database, { accountId, number, to: 'expired', currency, now: now() });
    return true;
  }
  const { news, isOver } = found;
  if (news !== null) await bookNews(dependencies, provider, installation, news);
  return isOver;
}

/** In windows, oldest first, so that a long absence is made up in several runs. @returns whether windows are left */
async function readEvents(
  dependencies: ReconcileDependencies,
  gateway: PaymentGateway,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, now } = dependencies;
  const { provider } = gateway;
  const cursor = await findEventCursor(database, provider.name);
  let from = cursor ?? now() - firstLookSeconds;
  for (let seconds = windowSeconds; ; ) {
    const until = from + seconds;
    const isLast = until >= now();
    const events = await provider.listEvents(from - overlapSeconds, isLast ? null : until);
    for (const event of events) {
      if (signal.aborted) return true;
      const isDone = await apart(dependencies, `event ${event.id}`, () =>
        bookEvent(dependencies, gateway, event),
      );
      // The cursor stays before what could not be handled.
      if (!isDone) return false;
    }
    await moveEventCursor(database, provider.name, isLast ? now() : until);
    if (isLast) return false;
    from = until;
    seconds = events.length < fewEvents ? seconds * 2 : windowSeconds;
  }
}

/**
 * Books what had to wait: for accounts that were blocked or halted, and refunds and disputes whose payment is credited by
 * now. It also removes the problem of a payment that was credited in the meantime.
 */
async function bookKept(
  dependencies: ReconcileDependencies,
  { provider, installation }: PaymentGateway,
  signal: AbortSignal,
): Promise<boolean> {
  const { database } = dependencies;
  for (let after = 0; ; ) {
    const problems = await listOpenProblems(database, after, rowsAtOnce);
    for (const problem of problems) {
      if (signal.aborted) return true;
      after = problem.id;
      if (!(await mayBeOver(dependencies, problem))) continue;
      const bookAgain = async () => {
        const news = await readAgain(provider, problem);
        return news === null ? 'ignored' : bookNews(dependencies, provider, installation, news);
      };
      await apart(dependencies, problem.objectRef, async () => {
        if ((await bookAgain()) !== 'booked') return;
        await resolveProblem(database, problem.objectRef);
        // Later news may have been kept in between, under the entry that was just removed.
        await bookAgain();
      });
    }
    if (problems.length < rowsAtOnce) return false;
  }
}

/** @throws ProviderAway, ProviderRefused */
function readAgain(provider: PaymentProvider, { objectRef }: PaymentProblem): Promise<PaymentNews | null> {
  const id = objectRef.slice(objectRef.indexOf(':') + 1);
  if (id.startsWith('pi_')) return provider.readPayment(id);
  return id.startsWith('re_') || id.startsWith('pyr_') ? provider.readRefund(id) : provider.readDispute(id);
}

/** Whether asking the provider again may end it. */
async function mayBeOver(
  { database, now }: ReconcileDependencies,
  { accountId, topupNumber, reason, createdAt }: PaymentProblem,
): Promise<boolean> {
  if (reason === 'second_payment') return false;
  const topup = await findCreditableTopup(database, accountId, topupNumber);
  if (reason === 'account_blocked') return topup?.isBlocked === false;
  if (reason === 'account_halted') return topup?.isHalted === false;
  const isRecent = now() - createdAt < askedSeconds;
  return isRecent && (reason === 'not_bookable' || (topup !== null && topup.paymentRef !== null));
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
