// A plan's settings besides its terms: the reseller's suspension, cancellation, auto-renewal. They are stored in the
// customer's row. An order for a customer with `plainLife` writes none of them (docs/decisions/0030-the-life-of-a-plan.md).
// Pure.

import type { Months } from '../../../shared/periods.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import { isRunning, type Plan } from './plan-terms.ts';

export interface AutoRenew {
  readonly months: Months;
  readonly maxChargeCents: bigint | null;
  readonly hoursBefore: number;
}

export interface PlanLife {
  /** The reseller's suspension. The operator's is the customer's status. */
  readonly suspended: boolean;
  readonly cancelled: boolean;
  /** The plan ends with its period, so auto-renewal is on hold. */
  readonly endsAtPeriodEnd: boolean;
  readonly autoRenew: AutoRenew | null;
  /** The next attempt to renew, or null if none is planned. */
  readonly renewAt: EpochSeconds | null;
  readonly renewFailure: string | null;
  /** How many days before the end the last notice was sent, 0 at the end. null if there was no notice for this end yet. */
  readonly endNoticeDays: number | null;
  /** The order that waits for the product. Until it is settled, no other order may change the plan. */
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

/** A canceled plan never counts as running: with a slow clock, an order would extend it and give away what was refunded. */
export function runningPlan(
  { plan, life }: { readonly plan: Plan; readonly life: PlanLife },
  now: EpochSeconds,
): Plan | null {
  return !life.cancelled && isRunning(plan, now) ? plan : null;
}

/** Leaves out the operator's suspension, as in the first edition. `plan.status` and the entitlement include it. */
export function mayUsePlan(
  plan: { readonly expiresAt: EpochSeconds; readonly cancelled: boolean; readonly suspended: boolean },
  now: EpochSeconds,
): boolean {
  return !plan.cancelled && plan.expiresAt > now && !plan.suspended;
}

export function isSuspended({ status, suspended }: { status: CustomerStatus; suspended: boolean }): boolean {
  return suspended || status === 'suspended';
}

/** A pending automatic renewal is not due again. A renewal due during another pending order is refused like any order. */
export function lifeWithPendingOrder(life: PlanLife, pendingOrder: number, isAutomatic: boolean): PlanLife {
  return isAutomatic ? { ...life, pendingOrder, renewAt: null } : { ...life, pendingOrder };
}

/**
 * The plan stays as before. If the failed order was the renewal, it is retried like after any refusal. If the order may
 * have blocked a renewal, that renewal is due again, even past the plan's end, unless the end came before the order.
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
  // Refusals for other reasons have nothing to do with this order.
  if (renewFailure !== 'order_failed' || !isRunning(plan, orderedAt)) return settled;
  // Notices already given for this end stay recorded.
  return { ...planned(settled, plan), endNoticeDays };
}

/** Returns the same object if nothing changes. `isNewRun` is true if the plan does not continue the previous one. */
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

/** A trial takes over nothing but suspension. */
export function lifeAfterTrial({ suspended }: PlanLife): PlanLife {
  return { ...plainLife, suspended };
}

export function lifeAfterCancel(life: PlanLife, at: 'now' | 'period_end'): PlanLife {
  if (at === 'now') return { ...plainLife, suspended: life.suspended, cancelled: true };
  return { ...life, endsAtPeriodEnd: true };
}

/** Also withdraws a cancel at the period's end. If the plan has already ended that way, it is not renewed. */
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

/** The renewal is retried every six hours until the plan ends. */
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

/** Ignores which notices were sent. */
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
