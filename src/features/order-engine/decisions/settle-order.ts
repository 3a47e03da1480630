// Settles an order that waited for the product. If it completed, the plan becomes what was ordered. If it failed,
// everything charged is returned in new entries. Requested by the product caller or an administrator.
// Invariant: an order is settled once. The same outcome again is a replay, and the opposite one is refused.

import { formatAmount } from '../../../shared/amounts.ts';
import { publicId } from '../../../shared/identifiers.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { automaticFingerprint, type OrderRecord, orderStatus } from '../records/order-table.ts';
import { lifeAfterFailedOrder, runningPlan } from '../records/plan-life.ts';
import type { OrderCall, ProductCallType } from '../records/product-call-rows.ts';
import { refused } from './command-checks.ts';
import type { CustomerState } from './customer-state.ts';
import { afterOrder, heldBackCents, orderEventTypes, refundAtOnceCents } from './execute-order.ts';
import { notifyOfNearEnd } from './note-plan-end.ts';
import type { OrderOutcome, SettleOrder } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';
import { changeCallId, statusCalls, statusOf } from './product-calls.ts';

export function settleOrder(
  working: WorkingState,
  account: AccountState,
  { orderNumber, outcome, reason, by, isUnanswered = by !== null }: SettleOrder,
  now: EpochSeconds,
): OrderOutcome {
  const order = working.orderByNumber(account.id, orderNumber);
  if (order === null) return refused('order_not_found');
  const status = orderStatus(order);
  if (status === outcome) return { type: 'settled', order, replayed: true };
  if (status !== 'pending') return refused('order_already_settled', { status });
  const before = working.customer(order.customerReference);
  if (before === null) throw new Error(`Order ${orderNumber} of account ${account.id} has no customer.`);
  if (account.isHalted) return refused('order_failed', { reason: 'account_halted' });

  // Nothing may fail from here on.
  const settled =
    outcome === 'completed' ? complete(working, before, order, now) : fail(working, before, order, now);
  const { refundCents, entryNumber } = settled;
  const details = {
    kind: outcome === 'completed' ? 'order_completed' : 'order_failed',
    byParty: by === null ? 'product' : 'operator',
    actorId: by?.actorId ?? null,
    orderNumber,
    refundCents,
    entryNumber,
    balanceAfterCents: working.account(account.id)?.balanceCents ?? 0n,
    reason,
  } as const;
  const changeNumber = working.addPlanChange(settled.customer, details, now);
  if (by !== null) {
    working.addAudit({
      ...by,
      action: outcome === 'completed' ? 'order.accept' : 'order.fail',
      subject: `order ${publicId(account.id, orderNumber)}`,
      before: { status },
      after: { status: outcome, refund: formatAmount(refundCents), reason },
    });
  }
  const isEndNoted = outcome === 'completed' && isOver(settled.customer, now);
  const customer = isEndNoted
    ? working.setLife(settled.customer, { ...settled.customer.life, endNoticeDays: 0 })
    : settled.customer;
  const call = working.orderCall(account.id, orderNumber);
  const type =
    outcome === 'completed'
      ? callAfterCompletion(customer, call, now)
      : callAfterFailure(customer, call, isUnanswered, now);
  if (type !== null) {
    const callId = changeCallId(account.id, changeNumber);
    working.emitProductCall({ callId, type, customer, order: null, confirms: false });
  }
  const handoff = { accountId: account.id, orderNumber, status: outcome, reason, entryNumber };
  const settledBy = by?.actorId ?? null;
  const after = working.settleHandoff(order, { ...handoff, settledAt: now, settledBy });
  const balanceCents = working.account(account.id)?.balanceCents ?? 0n;
  if (outcome === 'failed') {
    working.emit(account.id, { type: 'order.failed', order: after, reason, balanceCents });
    // The order was an automatic renewal.
    if (order.fingerprint === automaticFingerprint)
      working.emit(account.id, { type: 'renewal.failed', customer, code: 'order_failed' });
  } else {
    working.emit(account.id, { type: 'order.completed', order: after, balanceCents });
    working.emit(account.id, { type: orderEventTypes[order.kind], customer, order: after });
    if (isEndNoted) working.emit(account.id, { type: 'plan.expired', customer });
    notifyOfNearEnd(working, customer, now);
  }
  return { type: 'settled', order: after, replayed: false };
}

/** True if the plan ended before the answer came. The job that notes ends may then have passed it already. */
function isOver({ plan }: CustomerState, now: EpochSeconds): boolean {
  return plan.expiresAt > plan.anchorAt && plan.expiresAt <= now;
}

/**
 * Sends the plan's state, unless the product surely knows it. It may not know it if an administrator settled the order or
 * if an old call may still arrive.
 */
function callAfterCompletion(
  customer: CustomerState,
  call: OrderCall | null,
  now: EpochSeconds,
): ProductCallType | null {
  const status = statusOf(customer, now);
  const isKnown = status === (call?.sentStatus ?? 'active') && call?.followsAttempt !== true;
  return isKnown && call?.tellAfter !== 'any' ? null : statusCalls[status];
}

/** A product that refused an order still has the old plan, without the changes that were held back meanwhile. */
function callAfterFailure(
  customer: CustomerState,
  call: OrderCall | null,
  isUnanswered: boolean,
  now: EpochSeconds,
): ProductCallType | null {
  if (isUnanswered) return runningPlan(customer, now) === null ? 'plan.cancel' : 'plan.change';
  const { plan } = customer;
  // If the plan never began, the product has nothing to correct.
  const hasBegun = plan.expiresAt > plan.anchorAt || customer.life.cancelled;
  const isWrong = call !== null && (call.tellAfter !== null || (call.heldBack && hasBegun));
  return isWrong ? statusCalls[statusOf(customer, now)] : null;
}

interface Settled {
  readonly customer: CustomerState;
  readonly refundCents: bigint;
  readonly entryNumber: number | null;
}

/** Uses the terms from the time of the order, because the plan has not changed since. */
function complete(
  working: WorkingState,
  customer: CustomerState,
  order: OrderRecord,
  now: EpochSeconds,
): Settled {
  const { accountId, number: orderNumber } = order;
  const { plan, life } = afterOrder(customer, order);
  const refundCents = heldBackCents(order);
  const entry =
    refundCents === 0n
      ? null
      : working.addEntry(accountId, { kind: 'refund', amountCents: refundCents, orderNumber }, now);
  return {
    customer: working.setPlan(customer, plan, life),
    refundCents,
    entryNumber: entry?.number ?? null,
  };
}

/** Returns the price and takes back the refund made with the order. That refund never exceeds the price. */
function fail(
  working: WorkingState,
  customer: CustomerState,
  order: OrderRecord,
  now: EpochSeconds,
): Settled {
  const { accountId, number: orderNumber, createdAt: orderedAt, priceCents, fingerprint } = order;
  const givenCents = refundAtOnceCents(order);
  const entry =
    priceCents === 0n
      ? null
      : working.addEntry(accountId, { kind: 'refund', amountCents: priceCents, orderNumber }, now);
  if (givenCents > 0n) {
    working.addEntry(accountId, { kind: 'charge', amountCents: -givenCents, orderNumber }, now);
  }
  const isAutomatic = fingerprint === automaticFingerprint;
  const life = lifeAfterFailedOrder(customer.life, customer.plan, { orderedAt, isAutomatic }, now);
  return {
    customer: working.setLife(customer, life),
    refundCents: priceCents,
    entryNumber: entry?.number ?? null,
  };
}
