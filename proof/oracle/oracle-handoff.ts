// Orders that wait for the product: what its answer, or the operator's decision in its place, makes of them. Part of the
// world of oracle.ts, which alone uses it. Written from section 7 of spec/v1-additions.md and from the design of the
// hand-off alone.
// Always true: an order is settled once, whoever says what afterwards; a completed one leaves the account with the
// balance that the same order would have left without waiting, a failed one with that before it.
// "Ax" points to the entry in AMBIGUITIES.md.

import type { Account, AccountId, Customer, Order } from './oracle.ts';
import { record } from './oracle-life.ts';
import { beginRun, extendRun, freshAutoRenew, type Plan, refusedAutoRenew } from './oracle-plan.ts';
import { type Refusal, refuse } from './oracle-request.ts';

/** What is kept of an order until it is settled, as of the second in which it was placed. */
export type Handoff = {
  /** The plan that it makes. */
  plan: Plan;
  /** It extends a run; otherwise it begins one. */
  isExtension: boolean;
  /** As much of its refund as was entered with its charge: never more than that. */
  givenCents: bigint;
  by: 'account' | 'service';
};

export type SettleInput = {
  accountId: AccountId;
  orderNumber: number;
  outcome: 'completed' | 'failed';
  /** Why it failed, in the product's or the operator's words. */
  reason: string | null;
  by: 'product' | 'operator';
};

/** The order as it is now. */
export type SettleOutcome =
  | { status: 200; replayed: boolean; order: Order; balanceAfterCents: bigint }
  | Refusal;

export function createHandoffs(world: {
  getAccount: (id: AccountId) => Account;
  getCustomer: (reference: string) => Customer;
  /** The same order with this status, which stands in its place from now on. */
  setStatus: (
    account: Account,
    order: Order,
    status: 'completed' | 'failed',
    failure?: NonNullable<Order['failure']>,
  ) => Order;
  post: (
    account: Account,
    kind: 'refund' | 'charge',
    amountCents: bigint,
    orderNumber: number,
    now: number,
  ) => void;
}) {
  /** The rights of the account do not matter: one that is blocked has what is its own settled too (A92). */
  function settleOrder(input: SettleInput, now: number): SettleOutcome {
    const account = world.getAccount(input.accountId);
    const handoff = account.handoffs.get(input.orderNumber);
    const order = account.orders[input.orderNumber - 1];
    if (order === undefined) return refuse('order_not_found');
    // The first word stands, and who says another learns of it (A88).
    if (order.status === input.outcome)
      return { status: 200, replayed: true, order, balanceAfterCents: account.balanceCents };
    if (order.status !== 'pending') return refuse('order_already_settled', { status: order.status });
    if (handoff === undefined) throw new Error(`order ${order.number} waits without a hand-off`);
    if (account.halted) return refuse('order_failed', { reason: 'account_halted' });

    // Nothing fails from here on.
    const settled =
      input.outcome === 'completed'
        ? complete(account, order, handoff, input, now)
        : fail(account, order, handoff, input, now);
    return { status: 200, replayed: false, order: settled, balanceAfterCents: account.balanceCents };
  }

  function complete(
    account: Account,
    order: Order,
    handoff: Handoff,
    { by }: SettleInput,
    now: number,
  ): Order {
    const { plan, isExtension, givenCents } = handoff;
    const customer = world.getCustomer(order.customerReference);
    customer.pendingOrder = null;
    // The terms are of the order's second, the holds and the end that is meant of this one (A86).
    const restCents = order.refundCents - givenCents;
    const item = { type: 'order_completed', by, orderNumber: order.number, refundCents: restCents } as const;
    record(customer, now, item, () => {
      if (isExtension) extendRun(customer, plan);
      else beginRun(customer, plan);
    });
    if (restCents !== 0n) world.post(account, 'refund', restCents, order.number, now);
    return world.setStatus(account, order, 'completed');
  }

  /** The plan is as before; the charge comes back first, so that the balance is never below what it was. */
  function fail(account: Account, order: Order, handoff: Handoff, input: SettleInput, now: number): Order {
    const { givenCents, isExtension, by: orderedBy } = handoff;
    const { by, reason } = input;
    const customer = world.getCustomer(order.customerReference);
    customer.pendingOrder = null;
    const { number: orderNumber, priceCents: refundCents } = order;
    const item = { type: 'order_failed', by, orderNumber, refundCents } as const;
    record(customer, now, { ...item, ...(reason !== null && { reason }) }, () => {
      const { autoRenew, plan } = customer;
      const ranAtOrder = isExtension || order.kind === 'change';
      // Of the service's own order this is the answer to its try to renew; a try that another order may have been in the
      // way of is due again (A91).
      if (orderedBy === 'service' && autoRenew !== null)
        customer.autoRenew = refusedAutoRenew(autoRenew, plan, 'order_failed', now);
      else if (autoRenew?.failure === 'order_failed' && ranAtOrder)
        customer.autoRenew = freshAutoRenew(autoRenew, plan);
    });
    if (order.priceCents !== 0n) world.post(account, 'refund', order.priceCents, order.number, now);
    if (givenCents !== 0n) world.post(account, 'charge', -givenCents, order.number, now);
    const refundedCents = order.priceCents - givenCents;
    return world.setStatus(account, order, 'failed', { reason, at: now, refundedCents });
  }

  return { settleOrder };
}
