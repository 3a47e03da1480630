// Translates the feed's events into the words of oracle-events.ts and oracle-test-mode.ts.

import type { EventView } from '../../src/features/events/event-schemas.ts';
import type { EmittedAt } from './oracle-test-mode.ts';

/** These events have no command of an account. Other tests cover them. */
const untold = /^(?:(?:key|price|webhook)\.|customer\.(?:updated|erased)$)/;
/** On live accounts, a job sends these events, and the histories run it at any time. */
const byTheJob = /^plan\.(ending|expired)$/;

/** Leaves out events that this mode's oracle does not know. `packageIdOf`: by name. */
export function shownEvents(
  events: readonly EventView[],
  mode: 'live' | 'test',
  packageIdOf: (name: string) => number,
): EmittedAt[] {
  return events
    .filter(({ type }) => !untold.test(type) && !(mode === 'live' && byTheJob.test(type)))
    .map((event) => ({ at: secondsOf(event.created_at), text: textOf(event, packageIdOf) }));
}

// biome-ignore lint/suspicious/noExplicitAny: data of every type of event; what is missing shows in the comparison
type Data = any;

function textOf({ type, data: shown }: EventView, packageIdOf: (name: string) => number): string {
  const data: Data = shown;
  const { customer, order } = data;
  const planText = () => `${packageIdOf(customer.plan.package)} until ${secondsOf(customer.plan.expires_at)}`;
  switch (type) {
    case 'customer.created':
      return `${type} ${numberOf(customer.id)} ${customer.reference}, ${planText()}`;
    case 'order.completed':
      return `${type} ${numberOf(order.id)} ${order.status}, ${centsOf(data.balance)}`;
    case 'plan.activated':
    case 'plan.renewed':
    case 'plan.changed':
      return `${type} ${customer.reference} by order ${numberOf(data.order_id)}, ${planText()}`;
    case 'plan.suspended':
      return `${type} ${customer.reference} ${customer.plan.status} by ${data.by} ${data.reason}`;
    case 'plan.resumed':
      return `${type} ${customer.reference} ${customer.plan.status} by ${data.by}`;
    case 'plan.cancelled':
      return `${type} ${customer.reference} ${customer.plan.status}, ${centsOf(data.refund)}, ${centsOf(data.balance)}`;
    case 'plan.ending':
      return `${type} ${customer.reference} ${data.days}`;
    case 'plan.expired':
      return `${type} ${customer.reference}`;
    case 'balance.credited':
    case 'balance.debited':
      return `${type} ${centsOf(data.amount)}, ${centsOf(data.balance)}`;
    case 'balance.low':
      return `${type} ${centsOf(data.balance)} of ${centsOf(data.balance_below)}`;
    case 'renewal.failed':
      return `${type} ${customer.reference} ${data.code}`;
    default:
      return `${type} ${JSON.stringify(data)}`;
  }
}

function numberOf(id: number | null): number | null {
  return id === null ? null : id % 1_000_000_000;
}

function centsOf(amount: string): string {
  return String(BigInt(amount.replace('.', '')));
}

function secondsOf(time: string): number {
  return Date.parse(time) / 1_000;
}
