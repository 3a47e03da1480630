// Makes the data of the engine's events, as the schemas document it (src/features/events/event-schemas.ts).

import { formatAmount } from '../../shared/amounts.ts';
import { publicId } from '../../shared/identifiers.ts';
import { customerView } from '../customers/customer-view.ts';
import type { EventData, EventType } from '../events/event-schemas.ts';
import type { CustomerState } from '../order-engine/decisions/customer-state.ts';
import type { OrderEventData } from '../order-engine/decisions/order-events.ts';
import { shownCustomer } from '../order-engine/decisions/order-state.ts';
import { orderedBy } from '../order-engine/records/order-table.ts';
import { topupState } from '../order-engine/records/payment-tables.ts';
import { orderView } from './order-view.ts';

export const orderEventData: OrderEventData = (event, { packages, currency, now }) => {
  const viewOf = (customer: CustomerState) => customerView(shownCustomer(customer), packages, now);
  const data = <Type extends EventType>(_type: Type, described: EventData<Type>) => described;
  const { type } = event;
  switch (type) {
    case 'customer.created':
    case 'plan.expired':
      return data(type, { customer: viewOf(event.customer) });
    case 'order.completed': {
      const { order } = event;
      return data(type, {
        order: orderView(order, packages, currency),
        balance: formatAmount(event.balanceCents),
      });
    }
    case 'order.failed': {
      const { order, reason, balanceCents } = event;
      return data(type, {
        order: orderView(order, packages, currency),
        reason,
        balance: formatAmount(balanceCents),
      });
    }
    case 'plan.activated':
    case 'plan.renewed':
    case 'plan.changed': {
      const { customer, order } = event;
      const ofOrder = {
        customer: viewOf(customer),
        order_id: order === null ? null : publicId(order.accountId, order.number),
      };
      if (type !== 'plan.changed') return data(type, ofOrder);
      return data(type, { ...ofOrder, by: order === null ? 'operator' : orderedBy(order) });
    }
    case 'plan.suspended': {
      const { customer, change } = event;
      return data(type, { customer: viewOf(customer), by: change.byParty, reason: change.reason });
    }
    case 'plan.resumed':
      return data(type, { customer: viewOf(event.customer), by: event.change.byParty });
    case 'plan.cancelled': {
      const { customer, change } = event;
      return data(type, {
        customer: viewOf(customer),
        refund: formatAmount(change.refundCents ?? 0n),
        balance: formatAmount(change.balanceAfterCents ?? 0n),
        by: change.byParty,
      });
    }
    case 'renewal.failed': {
      const { customer, code } = event;
      return data(type, { customer: viewOf(customer), code });
    }
    case 'plan.ending':
      return data(type, { customer: viewOf(event.customer), days: event.days });
    case 'balance.credited':
    case 'balance.debited': {
      const { entry } = event;
      return data(type, {
        entry_id: publicId(entry.accountId, entry.number),
        amount: formatAmount(entry.amountCents),
        memo: entry.memo,
        balance: formatAmount(entry.balanceAfterCents),
        currency,
      });
    }
    case 'topup.paid':
    case 'topup.refunded':
    case 'topup.disputed':
    case 'topup.reinstated': {
      const { topup, payment, reversals } = event;
      const { status, refundedCents, disputedCents } = topupState(topup, payment, reversals);
      return data(type, {
        topup: {
          id: publicId(topup.accountId, topup.number),
          method: topup.method,
          status,
          amount: formatAmount(payment.amountCents),
          refunded: formatAmount(refundedCents),
          disputed: formatAmount(disputedCents),
          currency,
        },
        balance: formatAmount(event.balanceCents),
        receivable: formatAmount(event.receivableCents),
      });
    }
    case 'balance.low':
      return data(type, {
        balance: formatAmount(event.balanceCents),
        balance_below: formatAmount(event.alertBelowCents),
        currency,
      });
    default:
      return event satisfies never;
  }
};
