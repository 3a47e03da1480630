// A row of `order_handoffs`: an order that counts only once the operator's product has taken it, and what became of it.
// Written by the order batch alone: with its order, and once more when it is settled (settle-order.ts). An order without
// one is completed (docs/decisions/0037-hand-off.md).

import type { Row } from '../../../platform/database/database.ts';
import { nullable } from '../../../platform/database/row-values.ts';
import {
  describeTable,
  int,
  nullableInt,
  nullableText,
  nullableTime,
  oneOf,
  type RowOf,
} from '../../../platform/database/table.ts';
import type { EpochSeconds } from '../../../shared/times.ts';

export const handoffStatuses = ['pending', 'completed', 'failed'] as const;
export type HandoffStatus = (typeof handoffStatuses)[number];

/** What an order that waits for the product can come to. */
export type HandoffOutcome = Exclude<HandoffStatus, 'pending'>;

const status = oneOf('status', handoffStatuses);

const orderHandoffs = describeTable('order_handoffs', {
  accountId: int('account_id'),
  orderNumber: int('order_number'),
  customerNumber: int('customer_number'),
  status,
  reason: nullableText('reason'),
  settledAt: nullableTime('settled_at'),
  /** The administrator who settled it; null: the product's answer did. */
  settledBy: nullableInt('settled_by'),
  /** The first ledger entry that settling it took; null: it moved no money. */
  entryNumber: nullableInt('entry_number'),
});

export const newHandoffs = orderHandoffs.pick('accountId', 'orderNumber', 'customerNumber', 'status');
export const settledHandoffs = orderHandoffs.without('customerNumber');

export type NewHandoff = RowOf<typeof newHandoffs>;
export type SettledHandoff = RowOf<typeof settledHandoffs>;

/** Why an order failed, and when. `reason` is null where none was given. */
export interface OrderFailure {
  readonly reason: string | null;
  readonly at: EpochSeconds;
}

/** What orders are read with, from `order_handoffs h`. Without a row the order was not handed over. */
export const joinedHandoff = {
  columns: 'h.status as handoff, h.reason as handoff_reason, h.settled_at as handoff_at',
  parse(row: Row): { readonly handoff: HandoffStatus | null; readonly failure: OrderFailure | null } {
    const handoff = nullable((value) => status.parse(value), row['handoff']);
    if (handoff !== 'failed') return { handoff, failure: null };
    const at = Number(row['handoff_at']);
    return { handoff, failure: { reason: nullable(String, row['handoff_reason']), at } };
  },
};
