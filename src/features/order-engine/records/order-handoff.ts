// The table order_handoffs: orders that count only once the product accepts them, and their outcome. Only the order batch
// writes it, with the order and when it is settled. An order without a row is completed (docs/decisions/0037-hand-off.md).

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

export type HandoffOutcome = Exclude<HandoffStatus, 'pending'>;

const status = oneOf('status', handoffStatuses);

const orderHandoffs = describeTable('order_handoffs', {
  accountId: int('account_id'),
  orderNumber: int('order_number'),
  customerNumber: int('customer_number'),
  status,
  reason: nullableText('reason'),
  settledAt: nullableTime('settled_at'),
  /** The person who settled it, or null if the product did. */
  settledBy: nullableInt('settled_by'),
  /** The first ledger entry of the settlement. null if it moved no money. */
  entryNumber: nullableInt('entry_number'),
});

export const newHandoffs = orderHandoffs.pick('accountId', 'orderNumber', 'customerNumber', 'status');
export const orderEnds = orderHandoffs.pick('settledAt', 'settledBy');
export const settledHandoffs = orderHandoffs.without('customerNumber');

export type NewHandoff = RowOf<typeof newHandoffs>;
export type SettledHandoff = RowOf<typeof settledHandoffs>;

export interface OrderFailure {
  readonly reason: string | null;
  readonly at: EpochSeconds;
}

/** Columns of the joined hand-off. If there is no row, the order was not handed over. */
export const joinedHandoff = {
  columns: 'h.status as handoff, h.reason as handoff_reason, h.settled_at as handoff_at',
  parse(row: Row): { readonly handoff: HandoffStatus | null; readonly failure: OrderFailure | null } {
    const handoff = nullable((value) => status.parse(value), row['handoff']);
    if (handoff !== 'failed') return { handoff, failure: null };
    const at = Number(row['handoff_at']);
    return { handoff, failure: { reason: nullable(String, row['handoff_reason']), at } };
  },
};
