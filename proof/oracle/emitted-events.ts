// Translates the core's events into the words of oracle-events.ts. Used by core-model.ts.

import type { NumberedEvent, OrderEvent } from '../../src/features/order-engine/decisions/order-events.ts';
import { orderStatus } from '../../src/features/order-engine/records/order-table.ts';
import type { Step } from './histories.ts';

function toldText(event: OrderEvent): string {
  const { type } = event;
  switch (type) {
    case 'customer.created': {
      const { number, reference, plan } = event.customer;
      return `${type} ${number} ${reference}, ${plan.packageId} until ${plan.expiresAt}`;
    }
    case 'order.completed':
      return `${type} ${event.order.number} ${orderStatus(event.order)}, ${event.balanceCents}`;
    case 'order.failed': {
      const { order, reason, balanceCents } = event;
      return `${type} ${order.number} ${orderStatus(order)} ${reason}, ${balanceCents}`;
    }
    case 'plan.activated':
    case 'plan.renewed':
    case 'plan.changed': {
      const { reference, plan } = event.customer;
      return `${type} ${reference} by order ${event.order?.number ?? null}, ${plan.packageId} until ${plan.expiresAt}`;
    }
    case 'plan.suspended': {
      const { planStatus, byParty, reason } = event.change;
      return `${type} ${event.customer.reference} ${planStatus} by ${byParty} ${reason}`;
    }
    case 'plan.resumed':
      return `${type} ${event.customer.reference} ${event.change.planStatus} by ${event.change.byParty}`;
    case 'plan.cancelled': {
      const { planStatus, refundCents, balanceAfterCents } = event.change;
      return `${type} ${event.customer.reference} ${planStatus}, ${refundCents}, ${balanceAfterCents}`;
    }
    case 'renewal.failed':
      return `${type} ${event.customer.reference} ${event.code}`;
    case 'plan.ending':
      return `${type} ${event.customer.reference} ${event.days}`;
    case 'plan.expired':
      return `${type} ${event.customer.reference}`;
    case 'balance.credited':
    case 'balance.debited':
      return `${type} ${event.entry.amountCents}, ${event.entry.balanceAfterCents}`;
    case 'topup.paid':
    case 'topup.refunded':
    case 'topup.disputed':
    case 'topup.reinstated':
      return `${type} ${event.topup.number}, ${event.balanceCents}, ${event.receivableCents}`;
    case 'balance.low':
      return `${type} ${event.balanceCents} of ${event.alertBelowCents}`;
    default:
      return event satisfies never;
  }
}

/** Returns the first wrong event and its step, or null. */
export function eventProblem(
  accountId: number,
  emitted: readonly NumberedEvent[],
  steps: readonly Step[],
): { readonly index: number; readonly problem: string } | null {
  const owed = steps.flatMap((step, index) =>
    step.owed.filter((one) => one.accountId === accountId).map(({ text }) => ({ text, index })),
  );
  for (let place = 0; place < Math.max(emitted.length, owed.length); place += 1) {
    const [one, due] = [emitted[place], owed[place]];
    const text = one === undefined ? 'nothing' : toldText(one.event);
    if (one?.number === place + 1 && text === due?.text) continue;
    const problem = `event ${place + 1} of account ${accountId} is ${text} (${one?.number}) instead of ${due?.text}`;
    return { index: due?.index ?? steps.length, problem };
  }
  return null;
}
