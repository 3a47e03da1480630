// What a customer's plan has been told besides its terms: whether their reseller suspended them, whether it was
// cancelled, and whether it renews itself. Kept beside the plan in the customer's row; an order for a customer who has
// none of it leaves `plainLife` as it is, and writes nothing (docs/decisions/0030-the-life-of-a-plan.md). Pure.

import type { Months } from '../../../shared/periods.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import { isRunning, type Plan } from './plan-terms.ts';

export interface AutoRenew {
  readonly months: Months;
  /** The most that a renewal may be charged; null: whatever it is. */
  readonly maxChargeCents: bigint | null;
  /** How long before its end the plan is renewed. */
  readonly hoursBefore: number;
}

export interface PlanLife {
  /** The reseller's hold. The operator's is the customer's status. */
  readonly suspended: boolean;
  /** The plan ended before its time. */
  readonly cancelled: boolean;
  /** Auto-renewal is put aside. */
  readonly endsAtPeriodEnd: boolean;
  readonly autoRenew: AutoRenew | null;
  /** When it is renewed, or tried again, unless it is put aside; null: not before something else happens. */
  readonly renewAt: EpochSeconds | null;
  /** The error code of the last try for this end. */
  readonly renewFailure: string | null;
  /** How many days before the plan's end its last notice was given, 0 at the end; null: none for this end. */
  readonly endNoticeDays: number | null;
  /** The number of the order that waits for the product's answer; until then no other may change the plan. */
  readonly pendingOrder: number | null;
}

/** That of nearly every customer. */
export const plainLife: PlanLife = {
  suspended: false,
  cancelled: false,
  endsAtPeriodEnd: false,
  autoRenew: null,
  renewAt: null,
  renewFailure: null,
  endNoticeDays: null,
  pendingOrder: null,
};

export const planStatuses = ['active', 'suspended', 'cancelled', 'expired'] as const;
export type PlanStatus = (typeof planStatuses)[number];

/** What the unused time of a plan that is cancelled is worth: as much as when it is changed, or nothing. */
export const cancelRefunds = ['unused', 'none'] as const;
export type CancelRefund = (typeof cancelRefunds)[number];

const retrySeconds = 6 * 3_600;

export function planStatus(
  expiresAt: EpochSeconds,
  isSuspended: boolean,
  isCancelled: boolean,
  now: EpochSeconds,
): PlanStatus {
  if (isCancelled) return 'cancelled';
  if (expiresAt <= now) return 'expired';
  return isSuspended ? 'suspended' : 'active';
}

/**
 * The customer's plan where one is running. One that was cancelled never is, whatever the clock says: to a process whose
 * clock is behind, its end is still to come, and to extend it would give away what was paid back.
 */
export function runningPlan(
  { plan, life }: { readonly plan: Plan; readonly life: PlanLife },
  now: EpochSeconds,
): Plan | null {
  return !life.cancelled && isRunning(plan, now) ? plan : null;
}

/**
 * `plan.active` of the API. The operator's hold does not count, as the first edition of the API has it: `plan.status` and the
 * entitlement say what the customer may do then.
 */
export function mayUsePlan(
  plan: { readonly expiresAt: EpochSeconds; readonly cancelled: boolean; readonly suspended: boolean },
  now: EpochSeconds,
): boolean {
  return !plan.cancelled && plan.expiresAt > now && !plan.suspended;
}

/** Whether either hold stands. */
export function isSuspended({ status, suspended }: { status: CustomerStatus; suspended: boolean }): boolean {
  return suspended || status === 'suspended';
}

/**
 * While an order waits for the product's answer. A renewal that it is itself is not due again meanwhile; one that falls due
 * for another order is refused as any order is.
 */
export function lifeWithPendingOrder(life: PlanLife, pendingOrder: number, isAutomatic: boolean): PlanLife {
  return isAutomatic ? { ...life, pendingOrder, renewAt: null } : { ...life, pendingOrder };
}

/**
 * The product did not take the order: the plan is as before. A renewal that this order was waits as any that was refused;
 * one that the order may have stood in the way of is due again, also after the plan's end, unless that was before the order.
 */
export function lifeAfterFailedOrder(
  life: PlanLife,
  plan: Plan,
  { orderedAt, isAutomatic }: { readonly orderedAt: EpochSeconds; readonly isAutomatic: boolean },
  now: EpochSeconds,
): PlanLife {
  const settled = { ...life, pendingOrder: null };
  const { autoRenew, renewFailure, endNoticeDays } = life;
  if (autoRenew === null) return settled;
  if (isAutomatic) return lifeAfterFailedRenewal(settled, plan, 'order_failed', now);
  // Any other refusal had another reason, which the order's end does not mend.
  if (renewFailure !== 'order_failed' || !isRunning(plan, orderedAt)) return settled;
  // What was told of this end stays told.
  return { ...planned(settled, plan), endNoticeDays };
}

/** The same object where nothing changes. `isNewRun`: the plan did not go on from the one before. */
export function lifeAfterOrder(life: PlanLife, plan: Plan, isNewRun: boolean): PlanLife {
  if (life === plainLife) return life;
  const { endsAtPeriodEnd } = life;
  const begun = isNewRun
    ? {
        ...life,
        cancelled: false,
        endsAtPeriodEnd: false,
        autoRenew: endsAtPeriodEnd ? null : life.autoRenew,
      }
    : life;
  return planned(begun, plan);
}

/** Nothing of the plan before a trial goes on. Holds stay. */
export function lifeAfterTrial({ suspended }: PlanLife): PlanLife {
  return { ...plainLife, suspended };
}

export function lifeAfterCancel(life: PlanLife, at: 'now' | 'period_end'): PlanLife {
  if (at === 'now') return { ...plainLife, suspended: life.suspended, cancelled: true };
  return { ...life, endsAtPeriodEnd: true };
}

/** The hold is lifted, and a cancel at the period's end taken back. An end that was meant, and has come, is not renewed. */
export function lifeAfterResume(life: PlanLife, plan: Plan, now: EpochSeconds): PlanLife {
  const resumed = { ...life, suspended: false, endsAtPeriodEnd: false };
  const wasMeant = life.endsAtPeriodEnd && !isRunning(plan, now);
  return wasMeant ? { ...resumed, renewAt: null, renewFailure: null } : resumed;
}

export function lifeWithAutoRenew(life: PlanLife, plan: Plan, autoRenew: AutoRenew | null): PlanLife {
  if (autoRenew === null) return { ...life, autoRenew, renewAt: null, renewFailure: null };
  return {
    ...planned({ ...life, endsAtPeriodEnd: false, autoRenew }, plan),
    endNoticeDays: life.endNoticeDays,
  };
}

/** Tried again every six hours, until the end. */
export function lifeAfterFailedRenewal(
  life: PlanLife,
  { expiresAt }: Plan,
  code: string,
  now: EpochSeconds,
): PlanLife {
  const nextAt = now + retrySeconds;
  return { ...life, renewFailure: code, renewAt: nextAt < expiresAt ? nextAt : null };
}

function planned(life: PlanLife, plan: Plan): PlanLife {
  const { autoRenew } = life;
  return {
    ...life,
    renewAt: autoRenew ? plan.expiresAt - autoRenew.hoursBefore * 3_600 : null,
    renewFailure: null,
    endNoticeDays: null,
  };
}

/** Whether they say the same of the plan. Which notices of its end were given is no part of that. */
export function isSameLife(one: PlanLife, other: PlanLife): boolean {
  return (
    one.suspended === other.suspended &&
    one.cancelled === other.cancelled &&
    one.endsAtPeriodEnd === other.endsAtPeriodEnd &&
    isSameAutoRenew(one.autoRenew, other.autoRenew) &&
    one.renewAt === other.renewAt &&
    one.renewFailure === other.renewFailure &&
    one.pendingOrder === other.pendingOrder
  );
}

function isSameAutoRenew(one: AutoRenew | null, other: AutoRenew | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.months === other.months &&
    one.maxChargeCents === other.maxChargeCents &&
    one.hoursBefore === other.hoursBefore
  );
}

export const customerStatuses = ['active', 'suspended'] as const;
export type CustomerStatus = (typeof customerStatuses)[number];
