// The engine's commands and outcomes, shared by routes, the engine and decide-orders.ts. Amounts are whole cents; times are
// Unix seconds.

import type { AuditAuthor } from '../../../platform/audit-log/actor.ts';
import type { Refusal } from '../../../shared/error-catalog.ts';
import type { Months } from '../../../shared/periods.ts';
import type { Duration, EpochSeconds } from '../../../shared/times.ts';
import type { Customer } from '../records/customer-table.ts';
import type { LedgerEntry } from '../records/ledger-entry.ts';
import type { HandoffOutcome } from '../records/order-handoff.ts';
import type { OrderRecord } from '../records/order-table.ts';
import type { ReversalKind } from '../records/payment-tables.ts';
import type { AutoRenew, CustomerStatus } from '../records/plan-life.ts';

/** The account, with its access_version when the caller was authenticated. */
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
  /** null takes the months of the renewed order. */
  readonly months: Months | null;
}

/** `renew_customer` of POST /orders/bulk: renews the customer's current plan by repeating the order that made it. */
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
  /** If this is missing, the account itself makes the change. */
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

/** POST /customers/{id}/resume: ends the account's own suspension and withdraws a cancel at the period's end. */
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
  /** The due time that the job read. If it has moved since, the plan is no longer due. */
  readonly dueAt: EpochSeconds;
  /** True if the account was blocked at `accessVersion`. */
  readonly isBlocked: boolean;
}

export interface NotePlanEnd extends PlanEnd {
  readonly type: 'note_plan_end';
}

/** A notice `days` before the end of a plan. 0 means that it has ended. */
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

/** Money came for a top-up. `paymentRef` names it at the provider, and is the same however the news arrives. */
export interface ReceivePayment {
  readonly type: 'receive_payment';
  readonly accountId: number;
  readonly topupNumber: number;
  readonly paymentRef: string;
  readonly amountCents: bigint;
  readonly memo: string | null;
}

/** A credited payment, or a part of it, goes back. `cause` names the refund or dispute and takes money once. */
export interface ReversePayment {
  readonly type: 'reverse_payment';
  readonly accountId: number;
  readonly topupNumber: number;
  readonly cause: string;
  readonly kind: ReversalKind;
  readonly amountCents: bigint;
  /** False refuses it if the balance is smaller. */
  readonly allowReceivable: boolean;
  /** null if the provider reports it. */
  readonly by: AuditAuthor | null;
}

/** The dispute was won, or the refund failed. */
export interface ReinstatePayment {
  readonly type: 'reinstate_payment';
  readonly accountId: number;
  readonly cause: string;
}

export interface WriteOffReceivable extends Keyed {
  readonly type: 'write_off_receivable';
  readonly accountId: number;
  /** null: all of it. */
  readonly amountCents: bigint | null;
  readonly memo: string | null;
  readonly by: AuditAuthor;
}

export interface GrantTrial extends Keyed, AuditAuthor {
  readonly type: 'grant_trial';
  readonly accountId: number;
  readonly packageId: number;
  readonly customerReference: string;
  readonly customerName: string | null;
  /** True grants the trial even if the customer had it before. */
  readonly again: boolean;
}

/** The operator suspends or unsuspends a customer. The plan's time runs on. */
export interface SetCustomerStatus extends AuditAuthor {
  readonly type: 'set_status';
  readonly accountId: number;
  readonly customerNumber: number;
  readonly status: CustomerStatus;
  /** For the audit log. */
  readonly reason?: string | null;
}

/** Moves a test's clock by at most `stepsMax` steps. Repeated with the same key, it continues to the first target. */
export interface MoveTestClock {
  readonly type: 'move_test_clock';
  readonly accountId: number;
  readonly idempotencyKey: string;
  readonly keyIsMinted: boolean;
  readonly to: ClockTarget;
  /** 0 only releases the clock for other moves. */
  readonly stepsMax: number;
  /** No other move may begin during this time, which is real time. */
  readonly holdSeconds: number;
  /** The unique beginning of the keys of orders that result from the move. */
  readonly orderKeys: string;
}

/** A duration counts from the test clock's current time. */
export type ClockTarget =
  | { readonly type: 'time'; readonly at: EpochSeconds }
  | { readonly type: 'duration'; readonly duration: Duration };

/** What happened during a move. */
export interface ClockEvents {
  readonly renewals: number;
  readonly renewalsFailed: number;
  readonly ended: number;
  readonly warnings: number;
}

/** The product's answer to a waiting order, or an administrator's decision about it. */
export interface SettleOrder {
  readonly type: 'settle_order';
  readonly accountId: number;
  readonly orderNumber: number;
  readonly outcome: HandoffOutcome;
  readonly reason: string | null;
  /** null if the product answered. */
  readonly by: AuditAuthor | null;
  /** True if the product gave no usable answer. It may then have carried out an order that fails here. */
  readonly isUnanswered?: boolean;
}

export interface Keyed {
  readonly idempotencyKey: string;
  /** The key was made for this request, so no earlier request can have used it. */
  readonly keyIsMinted: boolean;
  /** True if an earlier attempt decided this command but its COMMIT was never answered. The order may then stand. */
  readonly mayStand?: boolean;
}

/** Not part of the fingerprint, so a replay may have another value. */
interface Guarded {
  /** The most that may be charged, net of a refund. null sets no limit. */
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
  | PaymentCommand
  | GrantTrial
  | SetCustomerStatus
  | NotePlanEnd
  | SettleOrder
  | MoveTestClock;

/** Commands that read and write payments, reversals and receivables. */
export type PaymentCommand = ReceivePayment | ReversePayment | ReinstatePayment | WriteOffReceivable;

export function isPaymentCommand(command: OrderCommand): command is PaymentCommand {
  const { type } = command;
  return (
    type === 'receive_payment' ||
    type === 'reverse_payment' ||
    type === 'reinstate_payment' ||
    type === 'write_off_receivable'
  );
}

function isPlanChange(command: OrderCommand): command is PlanChangeCommand {
  const { type } = command;
  return type === 'cancel' || type === 'suspend' || type === 'resume' || type === 'set_auto_renew';
}

/** True if the key is stored in plan_changes. An account's keys share one namespace. */
export function bindsPlanKey(command: OrderCommand): command is PlanChangeCommand | GrantTrial {
  return command.type === 'grant_trial' || isPlanChange(command);
}

export type OrderOutcome = AnyOutcome & {
  readonly testClock?: EpochSeconds;
};

type AnyOutcome =
  | { readonly type: 'ordered'; readonly order: OrderRecord; readonly replayed: boolean }
  /** `receivableCents` is what is owed now, also in a replay. */
  | {
      readonly type: 'credited';
      readonly entry: LedgerEntry;
      readonly settledCents: bigint;
      readonly receivableCents: bigint;
      readonly replayed: boolean;
    }
  /** `entries` are those that the command made: none in a replay. */
  | {
      readonly type: 'payment_moved';
      readonly entries: readonly LedgerEntry[];
      readonly receivableCents: bigint;
      readonly replayed: boolean;
    }
  | {
      readonly type: 'written_off';
      readonly writtenOffCents: bigint;
      /** What is still owed after it. */
      readonly receivableCents: bigint;
      readonly replayed: boolean;
    }
  | {
      readonly type: 'granted';
      readonly accountId: number;
      readonly customerNumber: number;
      readonly replayed: boolean;
    }
  | { readonly type: 'status_set'; readonly customer: Customer }
  /** `customer` is the current one, even in a replay. Refund and balance are those of the first answer. */
  | {
      readonly type: 'plan_changed';
      readonly customer: Customer;
      readonly refundCents: bigint;
      readonly balanceAfterCents: bigint;
      readonly replayed: boolean;
    }
  | { readonly type: 'settled'; readonly order: OrderRecord; readonly replayed: boolean }
  | { readonly type: 'end_noted' }
  /** `isReached` is true if the clock is at the target. The counts cover the whole move so far. */
  | {
      readonly type: 'clock_moved';
      readonly clock: EpochSeconds;
      readonly happened: ClockEvents;
      readonly isReached: boolean;
      readonly isFull: boolean;
      readonly replayed: boolean;
    }
  /** The step was done already or was postponed. */
  | { readonly type: 'not_due' }
  /** The account's rights changed after the caller was authenticated, so authenticate again. */
  | { readonly type: 'access_changed' }
  | { readonly type: 'refused'; readonly refusal: Refusal };

/** False for a replay. */
export function isNewOrder(outcome: OrderOutcome): boolean {
  return outcome.type === 'ordered' && !outcome.replayed;
}
