// What the engine has to tell whoever listens to an account: one of these becomes one event. Collected by order-state.ts
// for accounts that are listened to, written by order-batch.ts with the data that orders/order-event-data.ts makes of them.

import type { JsonObject } from '../../../shared/json.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { PackageCatalog } from '../../packages/package-catalog.ts';
import type { LedgerEntry } from '../records/ledger-entry.ts';
import type { OrderRecord } from '../records/order-table.ts';
import type { PlanChange } from '../records/plan-change.ts';
import type { CustomerState } from './customer-state.ts';

/** `customer`: as they are right after it. */
export type OrderEvent =
  | { readonly type: 'customer.created'; readonly customer: CustomerState }
  /** `balanceCents`: right after it, which is not that of the order where the product was asked first. */
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
      /** null: a free trial. */
      readonly order: OrderRecord | null;
    }
  | {
      readonly type: 'plan.suspended' | 'plan.resumed' | 'plan.cancelled';
      readonly customer: CustomerState;
      readonly change: PlanChange;
    }
  /** `code`: of the refusal. */
  | { readonly type: 'renewal.failed'; readonly customer: CustomerState; readonly code: string }
  | { readonly type: 'plan.ending'; readonly customer: CustomerState; readonly days: number }
  | { readonly type: 'plan.expired'; readonly customer: CustomerState }
  | { readonly type: 'balance.credited' | 'balance.debited'; readonly entry: LedgerEntry }
  | { readonly type: 'balance.low'; readonly balanceCents: bigint; readonly alertBelowCents: bigint };

export interface NumberedEvent {
  readonly accountId: number;
  /** Of the event. */
  readonly number: number;
  readonly at: EpochSeconds;
  readonly event: OrderEvent;
}

/** The data of the event, as the contract has it. */
export type OrderEventData = (
  event: OrderEvent,
  around: { readonly packages: PackageCatalog; readonly currency: string; readonly now: EpochSeconds },
) => JsonObject;
