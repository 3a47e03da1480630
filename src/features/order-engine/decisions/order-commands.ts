// What can be asked of the engine and what it can answer: the vocabulary between the routes, the engine
// and decide-orders.ts. Amounts in whole cents, times in whole seconds since 1970.

import type { AuditAuthor } from '../../../platform/audit-log/actor.ts';
import type { Refusal } from '../../../shared/error-catalogue.ts';
import type { Months } from '../../../shared/periods.ts';
import type { Duration, EpochSeconds } from '../../../shared/times.ts';
import type { Customer } from '../records/customer-table.ts';
import type { LedgerEntry } from '../records/ledger-entry.ts';
import type { HandoffOutcome } from '../records/order-handoff.ts';
import type { OrderRecord } from '../records/order-table.ts';
import type { AutoRenew, CustomerStatus } from '../records/plan-life.ts';

/** Who asks: the account, and the version of its rights at which the request was authenticated. */
interface Caller {
  readonly accountId: number;
  readonly accessVersion: number;
}

/** POST /orders. */
export interface PlaceOrder extends Caller, Keyed, Guarded {
  readonly type: 'place';
  readonly packageId: number;
  readonly customerReference: string;
  readonly customerName: string | null;
  readonly months: Months;
  readonly loginLink: NewLoginLink | null;
}

/** POST /orders/{id}/renew. */
export interface RenewOrder extends Caller, Keyed, Guarded {
  readonly type: 'renew';
  readonly orderNumber: number;
  /** null: the months of the order that is renewed. */
  readonly months: Months | null;
}

/** `renew_customer` of POST /orders/bulk: the customer's present plan once more, by the last order that made it. */
export type RenewCustomer = Caller &
  Keyed &
  Guarded & {
    readonly type: 'renew_customer';
    /** null: the months of that order. */
    readonly months: Months | null;
  } & ({ readonly customerNumber: number } | { readonly customerReference: string });

/** POST /api/admin/v1/customers/{id}/change-package: the operator replaces the running plan of an account's customer. */
export interface ChangePackage extends Caller, Keyed, Guarded, AuditAuthor {
  readonly type: 'change_package';
  readonly customerNumber: number;
  readonly packageId: number;
  readonly months: Months;
}

/** What is done to a customer's plan without an order. `mayStand` and the key are as those of orders. */
interface PlanCommand extends Caller, Keyed, AuditAuthor {
  readonly customerNumber: number;
  /** Absent: the account itself. */
  readonly byParty?: 'account' | 'operator';
}

/** POST /customers/{id}/cancel. */
export interface CancelPlan extends PlanCommand {
  readonly type: 'cancel';
  readonly at: 'now' | 'period_end';
}

/** POST /customers/{id}/suspend. */
export interface SuspendPlan extends PlanCommand {
  readonly type: 'suspend';
  readonly reason: string | null;
}

/** POST /customers/{id}/resume: lifts the account's own hold, and takes a cancel at the period's end back. */
export interface ResumePlan extends PlanCommand {
  readonly type: 'resume';
}

/** PUT and DELETE /customers/{id}/auto-renew. */
export interface SetAutoRenew extends PlanCommand {
  readonly type: 'set_auto_renew';
  /** null: off. */
  readonly autoRenew: AutoRenew | null;
}

/** A plan that renews itself is due. */
export interface RenewAutomatically extends Caller, Keyed {
  readonly type: 'renew_automatically';
  readonly customerNumber: number;
  /** When it was to be renewed, or tried again, as it was read: whatever moved since is not due any more. */
  readonly dueAt: EpochSeconds;
  /** Whether the account was blocked when its rights were of `accessVersion`. */
  readonly isBlocked: boolean;
}

/** A plan is to end in so many days, or (0) has ended. */
export interface NotePlanEnd extends PlanEnd {
  readonly type: 'note_plan_end';
}

/** An end that is nearer than so many days; 0: it has come. */
export interface PlanEnd {
  readonly accountId: number;
  readonly customerNumber: number;
  /** The end that was read. */
  readonly expiresAt: EpochSeconds;
  readonly days: number;
}

/** An administrator's top-up (positive) or correction (negative). */
export interface CreditAccount extends Keyed, AuditAuthor {
  readonly type: 'credit';
  readonly accountId: number;
  readonly amountCents: bigint;
  readonly memo: string | null;
}

/** An administrator gives a customer of the account the free trial. */
export interface GrantTrial extends Keyed, AuditAuthor {
  readonly type: 'grant_trial';
  readonly accountId: number;
  readonly packageId: number;
  readonly customerReference: string;
  readonly customerName: string | null;
  /** Also to a customer who has had this trial before. */
  readonly again: boolean;
}

/** An administrator stops a customer's access, or lets it return. The plan's time runs on. */
export interface SetCustomerStatus extends AuditAuthor {
  readonly type: 'set_status';
  readonly accountId: number;
  readonly customerNumber: number;
  readonly status: CustomerStatus;
}

/**
 * The clock of a test is moved, as far as `stepsMax` things happen by themselves on the way; asked again with the same key
 * it goes on to where it was first sent to.
 */
export interface MoveTestClock {
  readonly type: 'move_test_clock';
  readonly accountId: number;
  readonly idempotencyKey: string;
  readonly keyIsMinted: boolean;
  readonly to: ClockTarget;
  /** 0: nothing is done, and another move may begin. */
  readonly stepsMax: number;
  /** By the real clock, how long no other move may begin. */
  readonly holdSeconds: number;
  /** What the keys of orders that come of it begin with: nobody else's do. */
  readonly orderKeys: string;
}

/** A time, or a calendar duration from the clock as it stands. */
export type ClockTarget =
  | { readonly type: 'time'; readonly at: EpochSeconds }
  | { readonly type: 'duration'; readonly duration: Duration };

/** How often what happened while a clock was moved. */
export interface ClockEvents {
  readonly renewals: number;
  readonly renewalsFailed: number;
  /** Plans that came to their end. */
  readonly ended: number;
  /** Notices that a plan is going to end. */
  readonly warnings: number;
}

/** What the product answered to an order that waits for it, or what an administrator decides in its place. */
export interface SettleOrder {
  readonly type: 'settle_order';
  readonly accountId: number;
  readonly orderNumber: number;
  readonly outcome: HandoffOutcome;
  /** Why it failed, in the words of whoever says so. */
  readonly reason: string | null;
  /** null: the product. */
  readonly by: AuditAuthor | null;
  /** The product gave no answer that counts: it may have carried out an order that fails. */
  readonly isUnanswered?: boolean;
}

export interface Keyed {
  readonly idempotencyKey: string;
  /** The client sent none and this one was minted for the request: nobody can have used it before. */
  readonly keyIsMinted: boolean;
  /** An earlier attempt decided this order anew and its COMMIT was never answered: it may stand. */
  readonly mayStand?: boolean;
}

/** No part of what makes two requests the same. */
interface Guarded {
  /** The most that may be charged, net of a refund; null: whatever it is. */
  readonly maxChargeCents: bigint | null;
}

export interface NewLoginLink {
  readonly tokenHash: string;
  /** How long it lives from the moment of the order. */
  readonly validSeconds: number;
}

/** What an account does to the plan of a customer. */
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

/** Their idempotency keys stand in the history of plans: one name space for each account. */
export function bindsPlanKey(command: OrderCommand): command is PlanChangeCommand | GrantTrial {
  return command.type === 'grant_trial' || isPlanChange(command);
}

/** One answer for each command, from this closed list. */
export type OrderOutcome = AnyOutcome & {
  /** The clock of a test, as the command left it. */
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
  /** The customer as they are now. */
  | { readonly type: 'status_set'; readonly customer: Customer }
  /** `customer`: as they are now, also of a replay; refund and balance are those of the first answer. */
  | {
      readonly type: 'plan_changed';
      readonly customer: Customer;
      readonly refundCents: bigint;
      readonly balanceAfterCents: bigint;
      readonly replayed: boolean;
    }
  | { readonly type: 'settled'; readonly order: OrderRecord; readonly replayed: boolean }
  | { readonly type: 'end_noted' }
  /** `isReached`: it stands where it was sent to. The counts are those of the whole move so far. */
  | {
      readonly type: 'clock_moved';
      readonly clock: EpochSeconds;
      readonly happened: ClockEvents;
      readonly isReached: boolean;
      /** It stopped because test data has used up its space. */
      readonly isFull: boolean;
      readonly replayed: boolean;
    }
  /** Of a plan that renews itself, or that ends: it is done already, or was put off. */
  | { readonly type: 'not_due' }
  /** The account's rights moved after the request was authenticated: authenticate it again. */
  | { readonly type: 'access_changed' }
  | { readonly type: 'refused'; readonly refusal: Refusal };

/** An order that this command placed, not the one that its key stands for already. */
export function isNewOrder(outcome: OrderOutcome): boolean {
  return outcome.type === 'ordered' && !outcome.replayed;
}
