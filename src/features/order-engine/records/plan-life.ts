// A plan's settings besides its terms: the reseller's hold, cancellation, auto-renewal. Stored in the customer's row; an
// order for a customer with `plainLife` writes none of it (docs/decisions/0030-the-life-of-a-plan.md). Pure.

import type { Months } from '../../../shared/periods.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import { isRunning, type Plan } from './plan-terms.ts';

export interface AutoRenew {
  readonly months: Months;
  readonly maxChargeCents: bigint | null;
  readonly hoursBefore: number;
}

export interface PlanLife {
  /** The reseller's hold. The operator's is the customer's status. */
  readonly suspended: boolean;
  readonly cancelled: boolean;
  /** Auto-renewal is suspended. */
  readonly endsAtPeriodEnd: boolean;
  readonly autoRenew: AutoRenew | null;
  /** Next renewal attempt; null if none is scheduled. */
  readonly renewAt: EpochSeconds | null;
  readonly renewFailure: string | null;
  /** Days before the end of the last notice, 0: at the end; null: none for this end. */
  readonly endNoticeDays: number | null;
  /** The order that awaits the product; until then no other order may change the plan. */
  readonly pendingOrder: number | null;
}

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

/** A canceled plan never counts as running: a slow clock would extend it and give away what was refunded. */
export function runningPlan(
  { plan, life }: { readonly plan: Plan; readonly life: PlanLife },
  now: EpochSeconds,
): Plan | null {
  return !life.cancelled && isRunning(plan, now) ? plan : null;
}

/** Ignores the operator's hold, as in the first edition; `plan.status` and the entitlement include it. */
export function mayUsePlan(
  plan: { readonly expiresAt: EpochSeconds; readonly cancelled: boolean; readonly suspended: boolean },
  now: EpochSeconds,
): boolean {
  return !plan.cancelled && plan.expiresAt > now && !plan.suspended;
}

export function isSuspended({ status, suspended }: { status: CustomerStatus; suspended: boolean }): boolean {
  return suspended || status === 'suspended';
}

/** A pending automatic renewal is not due again; a renewal due during another pending order is refused like any order. */
export function lifeWithPendingOrder(life: PlanLife, pendingOrder: number, isAutomatic: boolean): PlanLife {
  return isAutomatic ? { ...life, pendingOrder, renewAt: null } : { ...life, pendingOrder };
}

/**
 * The plan is as before. If the order was the renewal, it is retried like after any refusal; a renewal that the order may
 * have blocked is due again, even past the plan's end, unless that end preceded the order.
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
  // Other refusals are unrelated to this order.
  if (renewFailure !== 'order_failed' || !isRunning(plan, orderedAt)) return settled;
  // Notices already given for this end remain.
  return { ...planned(settled, plan), endNoticeDays };
}

/** Returns the same object if nothing changes. `isNewRun`: the plan does not continue the previous one. */
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

/** A trial inherits nothing but holds. */
export function lifeAfterTrial({ suspended }: PlanLife): PlanLife {
  return { ...plainLife, suspended };
}

export function lifeAfterCancel(life: PlanLife, at: 'now' | 'period_end'): PlanLife {
  if (at === 'now') return { ...plainLife, suspended: life.suspended, cancelled: true };
  return { ...life, endsAtPeriodEnd: true };
}

/** Also withdraws a cancel at the period's end. A plan that ended as intended is not renewed. */
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

/** Retried every six hours until the end. */
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

/** Ignores which notices were given. */
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
