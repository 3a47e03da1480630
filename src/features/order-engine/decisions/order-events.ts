// The events that the engine emits, for accounts with listeners. order-state.ts collects them, and order-batch.ts writes
// them with data from orders/order-event-data.ts.

import type { JsonObject } from '../../../shared/json.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { PackageCatalog } from '../../packages/package-catalog.ts';
import type { LedgerEntry } from '../records/ledger-entry.ts';
import type { OrderRecord } from '../records/order-table.ts';
import type { Payment, Reversal, Topup } from '../records/payment-tables.ts';
import type { PlanChange } from '../records/plan-change.ts';
import type { CustomerState } from './customer-state.ts';

export type OrderEvent =
  | { readonly type: 'customer.created'; readonly customer: CustomerState }
  /** `balanceCents` is the balance right after completion. It differs from the order's if the product was asked first. */
  | { readonly type: 'order.completed'; readonly order: OrderRecord; readonly balanceCents: bigint }
  | {
      readonly type: 'order.failed';
      readonly order: OrderRecord;
      readonly reason: string | null;
      readonly balanceCents: bigint;
    }
  | {
      readonly type: 'plan.activated' | 'plan.renewed' | 'plan.changed';
      readonly customer: CustomerState;
      readonly order: OrderRecord | null;
    }
  | {
      readonly type: 'plan.suspended' | 'plan.resumed' | 'plan.cancelled';
      readonly customer: CustomerState;
      readonly change: PlanChange;
    }
  | { readonly type: 'renewal.failed'; readonly customer: CustomerState; readonly code: string }
  | { readonly type: 'plan.ending'; readonly customer: CustomerState; readonly days: number }
  | { readonly type: 'plan.expired'; readonly customer: CustomerState }
  | { readonly type: 'balance.credited' | 'balance.debited'; readonly entry: LedgerEntry }
  /** `reversals` are all of this top-up, and the amounts those right after the event. */
  | {
      readonly type: 'topup.paid' | 'topup.refunded' | 'topup.disputed' | 'topup.reinstated';
      readonly topup: Topup;
      readonly payment: Payment;
      readonly reversals: readonly Reversal[];
      readonly balanceCents: bigint;
      readonly receivableCents: bigint;
    }
  | { readonly type: 'balance.low'; readonly balanceCents: bigint; readonly alertBelowCents: bigint };

export interface NumberedEvent {
  readonly accountId: number;
  readonly number: number;
  readonly at: EpochSeconds;
  readonly event: OrderEvent;
}

export type OrderEventData = (
  event: OrderEvent,
  around: { readonly packages: PackageCatalog; readonly currency: string; readonly now: EpochSeconds },
) => JsonObject;
