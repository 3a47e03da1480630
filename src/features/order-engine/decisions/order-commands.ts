// The engine's commands and outcomes, shared by routes, engine and decide-orders.ts. Whole cents; epoch seconds.

import type { AuditAuthor } from '../../../platform/audit-log/actor.ts';
import type { Refusal } from '../../../shared/error-catalog.ts';
import type { Months } from '../../../shared/periods.ts';
import type { Duration, EpochSeconds } from '../../../shared/times.ts';
import type { Customer } from '../records/customer-table.ts';
import type { LedgerEntry } from '../records/ledger-entry.ts';
import type { HandoffOutcome } from '../records/order-handoff.ts';
import type { OrderRecord } from '../records/order-table.ts';
import type { AutoRenew, CustomerStatus } from '../records/plan-life.ts';

/** The account, and its access_version at authentication. */
interface Caller {
  readonly accountId: number;
  readonly accessVersion: number;
}

export interface PlaceOrder extends Caller, Keyed, Guarded {
  readonly type: 'place';
  readonly packageId: number;
  readonly customerReference: string;
  readonly customerName: string | null;
  readonly months: Months;
  readonly loginLink: NewLoginLink | null;
}

export interface RenewOrder extends Caller, Keyed, Guarded {
  readonly type: 'renew';
  readonly orderNumber: number;
  /** null: those of the renewed order. */
  readonly months: Months | null;
}

/** `renew_customer` of POST /orders/bulk: renews the current plan by the last order that made it. */
export type RenewCustomer = Caller &
  Keyed &
  Guarded & {
    readonly type: 'renew_customer';
    readonly months: Months | null;
  } & ({ readonly customerNumber: number } | { readonly customerReference: string });

/** POST /api/admin/v1/customers/{id}/change-package. */
export interface ChangePackage extends Caller, Keyed, Guarded, AuditAuthor {
  readonly type: 'change_package';
  readonly customerNumber: number;
  readonly packageId: number;
  readonly months: Months;
}

/** A plan change without an order. `mayStand` and the key work as for orders. */
interface PlanCommand extends Caller, Keyed, AuditAuthor {
  readonly customerNumber: number;
  /** Default: the account itself. */
  readonly byParty?: 'account' | 'operator';
}

export interface CancelPlan extends PlanCommand {
  readonly type: 'cancel';
  readonly at: 'now' | 'period_end';
}

export interface SuspendPlan extends PlanCommand {
  readonly type: 'suspend';
  readonly reason: string | null;
}

/** POST /customers/{id}/resume: lifts the account's own hold, and withdraws a cancel at the period's end. */
export interface ResumePlan extends PlanCommand {
  readonly type: 'resume';
}

export interface SetAutoRenew extends PlanCommand {
  readonly type: 'set_auto_renew';
  readonly autoRenew: AutoRenew | null;
}

export interface RenewAutomatically extends Caller, Keyed {
  readonly type: 'renew_automatically';
  readonly customerNumber: number;
  /** The due time that was read: if it moved since, the plan is not due. */
  readonly dueAt: EpochSeconds;
  /** As of `accessVersion`. */
  readonly isBlocked: boolean;
}

export interface NotePlanEnd extends PlanEnd {
  readonly type: 'note_plan_end';
}

/** `days` before the end; 0: at the end. */
export interface PlanEnd {
  readonly accountId: number;
  readonly customerNumber: number;
  readonly expiresAt: EpochSeconds;
  readonly days: number;
}

export interface CreditAccount extends Keyed, AuditAuthor {
  readonly type: 'credit';
  readonly accountId: number;
  readonly amountCents: bigint;
  readonly memo: string | null;
}

export interface GrantTrial extends Keyed, AuditAuthor {
  readonly type: 'grant_trial';
  readonly accountId: number;
  readonly packageId: number;
  readonly customerReference: string;
  readonly customerName: string | null;
  /** Also if the customer had this trial before. */
  readonly again: boolean;
}

/** The operator's hold. The plan's time runs on. */
export interface SetCustomerStatus extends AuditAuthor {
  readonly type: 'set_status';
  readonly accountId: number;
  readonly customerNumber: number;
  readonly status: CustomerStatus;
}

/** Moves a test's clock by at most `stepsMax` steps; repeated with the same key it continues to the original target. */
export interface MoveTestClock {
  readonly type: 'move_test_clock';
  readonly accountId: number;
  readonly idempotencyKey: string;
  readonly keyIsMinted: boolean;
  readonly to: ClockTarget;
  /** 0: only releases the clock for other moves. */
  readonly stepsMax: number;
  /** Real time during which no other move may begin. */
  readonly holdSeconds: number;
  /** Unique prefix of keys for the orders that result. */
  readonly orderKeys: string;
}

/** A duration starts from the current clock. */
export type ClockTarget =
  | { readonly type: 'time'; readonly at: EpochSeconds }
  | { readonly type: 'duration'; readonly duration: Duration };

/** Counts during a move. */
export interface ClockEvents {
  readonly renewals: number;
  readonly renewalsFailed: number;
  readonly ended: number;
  readonly warnings: number;
}

/** The product's answer to a waiting order, or an administrator's decision. */
export interface SettleOrder {
  readonly type: 'settle_order';
  readonly accountId: number;
  readonly orderNumber: number;
  readonly outcome: HandoffOutcome;
  readonly reason: string | null;
  /** null: the product. */
  readonly by: AuditAuthor | null;
  /** No usable answer: the product may have carried out an order that fails here. */
  readonly isUnanswered?: boolean;
}

export interface Keyed {
  readonly idempotencyKey: string;
  /** Minted for this request, so no earlier request can have used it. */
  readonly keyIsMinted: boolean;
  /** An earlier attempt decided it, and its COMMIT was never answered. */
  readonly mayStand?: boolean;
}

/** Not part of the fingerprint. */
interface Guarded {
  /** The maximum charge, net of a refund; null: no limit. */
  readonly maxChargeCents: bigint | null;
}

export interface NewLoginLink {
  readonly tokenHash: string;
  readonly validSeconds: number;
}

export type PlanChangeCommand = CancelPlan | SuspendPlan | ResumePlan | SetAutoRenew;

export type OrderCommand =
  | PlaceOrder
  | RenewOrder
  | RenewCustomer
  | ChangePackage
  | PlanChangeCommand
  | RenewAutomatically
  | CreditAccount
  | GrantTrial
  | SetCustomerStatus
  | NotePlanEnd
  | SettleOrder
  | MoveTestClock;

function isPlanChange(command: OrderCommand): command is PlanChangeCommand {
  const { type } = command;
  return type === 'cancel' || type === 'suspend' || type === 'resume' || type === 'set_auto_renew';
}

/** Their idempotency keys are in plan_changes: one namespace per account. */
export function bindsPlanKey(command: OrderCommand): command is PlanChangeCommand | GrantTrial {
  return command.type === 'grant_trial' || isPlanChange(command);
}

export type OrderOutcome = AnyOutcome & {
  readonly testClock?: EpochSeconds;
};

type AnyOutcome =
  | { readonly type: 'ordered'; readonly order: OrderRecord; readonly replayed: boolean }
  | { readonly type: 'credited'; readonly entry: LedgerEntry; readonly replayed: boolean }
  | {
      readonly type: 'granted';
      readonly accountId: number;
      readonly customerNumber: number;
      readonly replayed: boolean;
    }
  | { readonly type: 'status_set'; readonly customer: Customer }
  /** `customer`: as now, also in a replay; refund and balance are the first answer's. */
  | {
      readonly type: 'plan_changed';
      readonly customer: Customer;
      readonly refundCents: bigint;
      readonly balanceAfterCents: bigint;
      readonly replayed: boolean;
    }
  | { readonly type: 'settled'; readonly order: OrderRecord; readonly replayed: boolean }
  | { readonly type: 'end_noted' }
  /** `isReached`: at the target. Counts cover the whole move so far. */
  | {
      readonly type: 'clock_moved';
      readonly clock: EpochSeconds;
      readonly happened: ClockEvents;
      readonly isReached: boolean;
      readonly isFull: boolean;
      readonly replayed: boolean;
    }
  /** Already done, or postponed. */
  | { readonly type: 'not_due' }
  /** The account's rights changed after authentication: authenticate again. */
  | { readonly type: 'access_changed' }
  | { readonly type: 'refused'; readonly refusal: Refusal };

/** False for a replay. */
export function isNewOrder(outcome: OrderOutcome): boolean {
  return outcome.type === 'ordered' && !outcome.replayed;
}
