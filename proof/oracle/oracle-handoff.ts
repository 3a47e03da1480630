// Pending orders: the effect of the product's answer or the operator's decision. Part of oracle.ts, written from the
// documents only. "Ax" points to AMBIGUITIES.md.
// Invariant: an order is settled once; completed, it leaves the same balance as without waiting; failed, the balance before
// it.

import type { Account, AccountId, Customer, Order } from './oracle.ts';
import { record } from './oracle-life.ts';
import { beginRun, extendRun, freshAutoRenew, type Plan, refusedAutoRenew } from './oracle-plan.ts';
import { type Refusal, refuse } from './oracle-request.ts';

/** Kept until the order is settled. Prices and terms are those of the second of its placement. */
export type Handoff = {
  plan: Plan;
  isExtension: boolean;
  /** The part of the refund that was booked with the charge, at most the charge itself. */
  givenCents: bigint;
  by: 'account' | 'service';
};

export type SettleInput = {
  accountId: AccountId;
  orderNumber: number;
  outcome: 'completed' | 'failed';
  reason: string | null;
  by: 'product' | 'operator';
};

export type SettleOutcome =
  | { status: 200; replayed: boolean; order: Order; balanceAfterCents: bigint }
  | Refusal;

export function createHandoffs(world: {
  getAccount: (id: AccountId) => Account;
  getCustomer: (reference: string) => Customer;
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
  /** The account's rights do not matter: orders of a blocked one are settled too (A92). */
  function settleOrder(input: SettleInput, now: number): SettleOutcome {
    const account = world.getAccount(input.accountId);
    const handoff = account.handoffs.get(input.orderNumber);
    const order = account.orders[input.orderNumber - 1];
    if (order === undefined) return refuse('order_not_found');
    if (order.status === input.outcome)
      return { status: 200, replayed: true, order, balanceAfterCents: account.balanceCents };
    if (order.status !== 'pending') return refuse('order_already_settled', { status: order.status });
    if (handoff === undefined) throw new Error(`order ${order.number} waits without a hand-off`);
    if (account.halted) return refuse('order_failed', { reason: 'account_halted' });

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
    // The order's terms apply from its second, but holds and the planned end are the current ones (A86).
    const restCents = order.refundCents - givenCents;
    const item = { type: 'order_completed', by, orderNumber: order.number, refundCents: restCents } as const;
    record(customer, now, item, () => {
      if (isExtension) extendRun(customer, plan);
      else beginRun(customer, plan);
    });
    if (restCents !== 0n) world.post(account, 'refund', restCents, order.number, now);
    return world.setStatus(account, order, 'completed');
  }

  /** Restores the plan. The charge comes back first, so the balance never falls below its earlier value. */
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
      // Answers the attempt of an automatic order. An attempt that another order may have blocked is due again (A91).
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
