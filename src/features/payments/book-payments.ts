// Books what the provider says of payments, refunds and disputes, whether a webhook brought it or the reconciler asked.
// Invariant: any order and any repetition of the news gives the same books. Only our own row says account, amount and
// currency: if the provider's differ, nothing is credited, and the operator sees it.

import { type Database, ranked } from '../../platform/database/database.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { ProblemReason } from '../../shared/topup-words.ts';
import type { OrderOutcome } from '../order-engine/decisions/order-commands.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { pauseAfterDispute, storeCard } from './auto-topup-store.ts';
import { isHandled, noteHandled } from './payment-events.ts';
import type { PaymentGateway } from './payment-gateway.ts';
import { keepProblem } from './payment-problems.ts';
import type { PaymentNews, PaymentProvider, ProviderEvent, TopupName } from './payment-provider.ts';
import { noteSent } from './refund-rows.ts';
import { findCreditableTopup, findTopup, moveStatus } from './topup-store.ts';

export interface BookingDependencies {
  readonly database: Database;
  readonly engine: OrderEngine;
  readonly currency: string;
  readonly now: () => EpochSeconds;
}

/**
 * `kept`: it could not be booked, and the operator sees it. Only the reconciler ends that, after it has asked the provider
 * again: other news of the same object may be kept meanwhile. `ignored`: it is not of this service, or changes nothing.
 */
export type Booked = 'booked' | 'kept' | 'ignored';

/** What bookings ask of a provider. */
type AskedProvider = Pick<PaymentProvider, 'name' | 'readPayment' | 'readSavedCard'>;
type PaidNews = Extract<PaymentNews, { type: 'paid' }>;
type ReversalNews = Extract<PaymentNews, { type: 'refund' | 'dispute' }>;

/**
 * Books an event once. A payment's own row says that it is credited, so only events whose booking asks the provider are noted.
 * @throws ProviderAway, ProviderRefused, DatabaseUnavailable, Overloaded: try again later
 */
export async function bookEvent(
  dependencies: BookingDependencies,
  { provider, installation }: PaymentGateway,
  { id, news }: ProviderEvent,
): Promise<void> {
  if (news === null) return;
  const asksProvider = news.type !== 'paid' && news.type !== 'moved';
  const lookups = ranked(dependencies.database, 'lookups');
  if (asksProvider && (await isHandled(lookups, provider.name, id))) return;
  await bookNews(dependencies, provider, installation, news);
  if (asksProvider) await noteHandled(lookups, provider.name, id, dependencies.now());
}

/** @throws as bookEvent */
export async function bookNews(
  dependencies: BookingDependencies,
  provider: AskedProvider,
  installation: string,
  news: PaymentNews,
): Promise<Booked> {
  const isOurs = (topup: TopupName | null): topup is TopupName => topup?.installation === installation;
  switch (news.type) {
    case 'paid': {
      const { topup } = news;
      if (!isOurs(topup)) return 'ignored';
      return (await creditPaid(dependencies, provider.name, news, topup)) === null ? 'booked' : 'kept';
    }
    case 'card_saved':
      return news.installation === installation ? bookCard(dependencies, provider, news) : 'ignored';
    case 'moved':
      return isOurs(news.topup) ? bookMove(dependencies, news.topup, news.to) : 'ignored';
    case 'refund':
    case 'dispute': {
      const paid = news.paymentId === '' ? null : await provider.readPayment(news.paymentId);
      if (paid === null || !isOurs(paid.topup)) return 'ignored';
      return bookReversal(dependencies, provider.name, news, { ...paid, topup: paid.topup });
    }
    default:
      return news satisfies never;
  }
}

/** Credits the payment, unless it is credited. @returns why it could not be; the problem is stored */
async function creditPaid(
  dependencies: BookingDependencies,
  provider: string,
  news: PaidNews,
  name: TopupName,
): Promise<ProblemReason | null> {
  const { database, engine, currency } = dependencies;
  const paymentRef = `${provider}:${news.id}`;
  const keep = (reason: ProblemReason) => keepAs(dependencies, paymentRef, name, news, reason);
  const lookups = ranked(database, 'lookups');
  const topup = await findCreditableTopup(lookups, name.accountId, name.number);
  if (topup === null || topup.providerKey !== name.key) return keep('unknown_topup');
  if (topup.paymentRef !== null && topup.paymentRef !== paymentRef) return keep('second_payment');
  if (topup.paymentRef === null) {
    if (news.currency !== currency) return keep('currency_differs');
    if (news.amountCents !== topup.amountCents) return keep('amount_differs');
    if (topup.isBlocked) return keep('account_blocked');
    const outcome = await engine.submit({
      type: 'receive_payment',
      accountId: name.accountId,
      topupNumber: name.number,
      paymentRef,
      amountCents: topup.amountCents,
      memo: `Card payment ${news.id}`,
    });
    const isConflict = outcome.type === 'refused' && outcome.refusal.code === 'idempotency_conflict';
    const problem = isConflict ? 'second_payment' : problemOf(outcome);
    if (problem !== null) return keep(problem);
  }
  return null;
}

async function bookCard(
  { database }: BookingDependencies,
  provider: AskedProvider,
  { accountId, sessionId }: Extract<PaymentNews, { type: 'card_saved' }>,
): Promise<Booked> {
  const card = await provider.readSavedCard(sessionId);
  if (card === null) return 'ignored';
  await storeCard(database, accountId, card);
  return 'booked';
}

async function bookMove(
  { database, currency, now }: BookingDependencies,
  { accountId, number, key }: TopupName,
  to: Extract<PaymentNews, { type: 'moved' }>['to'],
): Promise<Booked> {
  const topup = await findTopup(ranked(database, 'lookups'), accountId, number);
  if (topup?.providerKey !== key) return 'ignored';
  await moveStatus(database, { accountId, number, to, currency, now: now() });
  return 'booked';
}

/** Credits the payment first: a reversal needs it, and its news may have come in another order. */
async function bookReversal(
  dependencies: BookingDependencies,
  provider: string,
  news: ReversalNews,
  paid: PaidNews & { readonly topup: TopupName },
): Promise<Booked> {
  const { database, engine, currency } = dependencies;
  const objectRef = `${provider}:${news.id}`;
  const keep = async (reason: ProblemReason) => {
    await keepAs(dependencies, objectRef, paid.topup, news, reason);
    return 'kept' as const;
  };
  const isGone = news.type === 'refund' || news.isTaken;
  if (!isGone) return 'ignored';
  const notCredited = await creditPaid(dependencies, provider, paid, paid.topup);
  if (notCredited !== null) return keep(notCredited);
  if (news.currency !== currency) return keep('currency_differs');
  const { accountId, number: topupNumber } = paid.topup;
  const ownCause = news.type === 'refund' ? news.ownCause : null;
  const cause = ownCause ?? objectRef;
  // A dispute may be for more than was paid, for example with the bank's costs. These are not the account's.
  const topup = await findCreditableTopup(ranked(database, 'lookups'), accountId, topupNumber);
  const paidCents = topup?.amountCents ?? 0n;
  const amountCents = news.amountCents < paidCents ? news.amountCents : paidCents;
  const taken = await engine.submit({
    type: 'reverse_payment',
    accountId,
    topupNumber,
    cause,
    kind: news.type,
    amountCents: news.type === 'dispute' ? amountCents : news.amountCents,
    allowReceivable: true,
    by: null,
  });
  const isBack = news.type === 'refund' ? news.hasFailed : news.isGivenBack;
  // The provider may change the amount of a dispute. The first one stands, and is what comes back.
  const isOtherAmount = taken.type === 'refused' && taken.refusal.code === 'idempotency_conflict';
  const problem = problemOf(taken);
  if (problem !== null && !(isOtherAmount && isBack)) return keep(problem);
  if (isBack) {
    const notBack = problemOf(await engine.submit({ type: 'reinstate_payment', accountId, cause }));
    if (notBack !== null) return keep(notBack);
  }
  if (ownCause !== null) await noteSent(database, accountId, ownCause);
  if (news.type === 'dispute' && !isBack) await pauseAfterDispute(database, accountId);
  return 'booked';
}

function problemOf(outcome: OrderOutcome): ProblemReason | null {
  if (outcome.type === 'payment_moved') return null;
  if (outcome.type !== 'refused') throw new Error(`Expected a moved payment, got "${outcome.type}".`);
  const { code, details } = outcome.refusal;
  if (code === 'topup_not_found') return 'unknown_topup';
  return code === 'order_failed' && details['reason'] === 'account_halted'
    ? 'account_halted'
    : 'not_bookable';
}

async function keepAs(
  { database, now }: BookingDependencies,
  objectRef: string,
  { accountId, number: topupNumber }: TopupName,
  { amountCents, currency }: PaidNews | ReversalNews,
  reason: ProblemReason,
): Promise<ProblemReason> {
  await keepProblem(ranked(database, 'changes'), {
    objectRef,
    accountId,
    topupNumber,
    reason,
    amountCents,
    currency,
    createdAt: now(),
  });
  return reason;
}
