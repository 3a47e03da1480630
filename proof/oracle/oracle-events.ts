// The events that each request must cause, from the oracle's own outcomes and the descriptions in
// src/features/events/event-schemas.ts. Excludes notices that jobs send before an end.

import type { AccountId, CustomerView, LedgerEntry, Oracle, Order } from './oracle.ts';
import { secondsPerDay } from './oracle-calendar.ts';
import type { SettleOutcome } from './oracle-handoff.ts';
import type { PlanChangeOutcome, RenewalAttempt } from './oracle-life.ts';
import type { PaymentOutcome } from './oracle-payments.ts';

/** `text`: the type and the relevant data, in the same form as in emitted-events.ts. */
export interface OwedEvent {
  readonly accountId: AccountId;
  readonly text: string;
}

export interface Before {
  readonly accountId: AccountId;
  readonly balanceCents: bigint;
  readonly customerCount: number;
  readonly itemCount: number;
}

export type PlanRequestType = 'cancel' | 'suspend' | 'resume' | 'auto_renew' | 'auto_renew_off';

export interface AlertRules {
  readonly belowCents: bigint | null;
  readonly endingDays: number | null;
}

export function createEventRules(oracle: Oracle, alertsOf: (accountId: AccountId) => AlertRules) {
  function before(accountId: AccountId): Before {
    const { balanceCents } = oracle.balance(accountId);
    return {
      accountId,
      balanceCents,
      customerCount: oracle.customerCount(accountId),
      itemCount: oracle.itemCount(accountId),
    };
  }

  /** "The balance fell below what the account’s alerts name: once for each time that it does." */
  function withLow(
    { accountId, balanceCents: was }: Pick<Before, 'accountId' | 'balanceCents'>,
    is: bigint,
    texts: readonly string[],
  ): OwedEvent[] {
    const below = alertsOf(accountId).belowCents;
    const fell = below !== null && was >= below && is < below;
    const all = fell ? [...texts, `balance.low ${is} of ${below}`] : texts;
    return all.map((text) => ({ accountId, text }));
  }

  function since(was: Before, texts: readonly string[]): OwedEvent[] {
    return withLow(was, oracle.balance(was.accountId).balanceCents, texts);
  }

  /** "The first order, or a free trial, made a customer": even if that order waits. */
  function created(was: Before, reference: string, now: number): string[] {
    if (oracle.customerCount(was.accountId) === was.customerCount) return [];
    const { number, plan } = viewOf(was.accountId, reference, now);
    return [`customer.created ${number} ${reference}, ${plan.packageId} until ${plan.expiresAt}`];
  }

  function ordered(was: Before, order: Order, now: number): OwedEvent[] {
    const done = order.status === 'completed' ? completed(was.accountId, order, now) : [];
    return since(was, [...created(was, order.customerReference, now), ...done]);
  }

  /** "An order was placed and charged, or a plan renewed itself": a pending one is reported once completed. */
  function completed(
    accountId: AccountId,
    order: Order,
    now: number,
    balanceCents = oracle.balance(accountId).balanceCents,
  ): string[] {
    const { kind, number, packageId, expiresAt, customerReference } = order;
    const type = { activate: 'plan.activated', renew: 'plan.renewed', change: 'plan.changed' }[kind];
    return [
      `order.completed ${number} completed, ${balanceCents}`,
      `${type} ${customerReference} by order ${number}, ${packageId} until ${expiresAt}`,
      ...endingAtOnce(accountId, customerReference, expiresAt, now),
    ];
  }

  /** "If less is left of a plan than the alerts ask for, its notice comes at once." Not of a plan that is over. */
  function endingAtOnce(accountId: AccountId, reference: string, endsAt: number, now: number): string[] {
    const days = alertsOf(accountId).endingDays;
    if (days === null || endsAt <= now || endsAt - days * secondsPerDay > now) return [];
    return [`plan.ending ${reference} ${days}`];
  }

  /** "The product refused an order that was pending." */
  function settled(was: Before, outcome: SettleOutcome, reason: string | null, now: number): OwedEvent[] {
    if ('code' in outcome || outcome.replayed) return [];
    const { accountId } = was;
    const { order, balanceAfterCents } = outcome;
    if (order.status === 'completed') {
      // The product took longer than the period to answer (A104).
      const ended = order.expiresAt <= now ? [`plan.expired ${order.customerReference}`] : [];
      return since(was, [...completed(accountId, order, now), ...ended]);
    }
    const texts = [`order.failed ${order.number} failed ${reason}, ${balanceAfterCents}`];
    // The order was the attempt of a plan to renew itself.
    if (wasByItself(accountId, order)) texts.push(`renewal.failed ${order.customerReference} order_failed`);
    return since(was, texts);
  }

  function wasByItself(accountId: AccountId, { number, customerReference }: Order): boolean {
    const items = oracle.history(accountId, customerReference);
    return (
      Array.isArray(items) && items.some(({ orderNumber, by }) => orderNumber === number && by === 'service')
    );
  }

  function renewed(
    attempts: readonly RenewalAttempt[],
    balances: ReadonlyMap<AccountId, bigint>,
  ): OwedEvent[] {
    const left = new Map(balances);
    return attempts.flatMap(({ accountId, reference, outcome }) => {
      const balanceCents = left.get(accountId) ?? 0n;
      if ('code' in outcome) return [{ accountId, text: `renewal.failed ${reference} ${outcome.code}` }];
      const { order, balanceAfterCents } = outcome;
      left.set(accountId, balanceAfterCents);
      const done =
        order.status === 'completed' ? completed(accountId, order, order.createdAt, balanceAfterCents) : [];
      return withLow({ accountId, balanceCents }, balanceAfterCents, done);
    });
  }

  /** "Credit was added: by the operator …" "Credit was deducted: by the operator …" Settlements follow (A161). */
  function credited(was: Before, amountCents: bigint, entries: readonly LedgerEntry[] = []): OwedEvent[] {
    // A credit of zero has an event and no entry.
    const type = amountCents < 0n ? 'balance.debited' : 'balance.credited';
    const { balanceCents } = oracle.balance(was.accountId);
    if (entries.length === 0) return since(was, [`${type} ${amountCents}, ${balanceCents}`]);
    return since(was, entries.map(entryText));
  }

  /** "… by a top-up, or because money came back." "… or because a top-up went back." Then the top-up's event (A162). */
  function moved(
    was: Before,
    topupEvent: { readonly type: string; readonly topup: number } | null,
    outcome: PaymentOutcome,
  ): OwedEvent[] {
    if ('code' in outcome) return [];
    const { entries, balanceAfterCents, receivableCents } = outcome;
    const { type, topup } = topupEvent ?? { type: null, topup: 0 };
    const ofTopup = type === null ? [] : [`${type} ${topup}, ${balanceAfterCents}, ${receivableCents}`];
    return since(was, [...entries.map(entryText), ...ofTopup]);
  }

  function entryText({ amountCents, balanceAfterCents }: LedgerEntry): string {
    return `${amountCents < 0n ? 'balance.debited' : 'balance.credited'} ${amountCents}, ${balanceAfterCents}`;
  }

  /** "A customer without a running plan got one." No event if a plan was running. */
  function granted(was: Before, reference: string, now: number): OwedEvent[] {
    const { plan } = viewOf(was.accountId, reference, now);
    const begun = `plan.activated ${reference} by order null, ${plan.packageId} until ${plan.expiresAt}`;
    const ending = endingAtOnce(was.accountId, reference, plan.expiresAt, now);
    return since(was, [...created(was, reference, now), begun, ...ending]);
  }

  /** Holds set and lifted, and plans ended early; no event without a change. */
  function planChanged(was: Before, type: PlanRequestType, outcome: PlanChangeOutcome): OwedEvent[] {
    if ('code' in outcome || outcome.replayed || oracle.itemCount(was.accountId) === was.itemCount) return [];
    const { reference } = outcome.customer;
    const items = oracle.history(was.accountId, reference);
    const item = Array.isArray(items) ? items[0] : undefined;
    if (item === undefined) return [];
    const stands = `${reference} ${item.to.status}`;
    if (type === 'suspend') return since(was, [`plan.suspended ${stands} by account ${item.reason ?? null}`]);
    if (type === 'resume') return since(was, [`plan.resumed ${stands} by account`]);
    if (item.type !== 'cancelled') return [];
    const { balanceCents } = oracle.balance(was.accountId);
    return since(was, [`plan.cancelled ${stands}, ${outcome.refundCents}, ${balanceCents}`]);
  }

  function held(was: Before, { reference, status, plan }: CustomerView): OwedEvent[] {
    if (oracle.itemCount(was.accountId) === was.itemCount) return [];
    const stands = `${reference} ${plan.status} by operator`;
    return since(was, [status === 'suspended' ? `plan.suspended ${stands} null` : `plan.resumed ${stands}`]);
  }

  function viewOf(accountId: AccountId, reference: string, now: number): CustomerView {
    const view = oracle.customer(accountId, reference, now);
    if ('code' in view) throw new Error(`no customer ${reference} of account ${accountId}`);
    return view;
  }

  return { before, ordered, settled, renewed, credited, moved, granted, planChanged, held };
}
