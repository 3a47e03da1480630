// A plan with its paid periods, both holds, planned cancel and auto-renewal. Used by oracle.ts (orders) and oracle-life.ts
// (everything else). "Ax" points to AMBIGUITIES.md.
// Invariant: periods are contiguous, the first starts at the anchor; nothing here knows account balances.

import { addMonths } from './oracle-calendar.ts';
import type { Months, RefusalCode } from './oracle-request.ts';

/** A paid period of a plan, or a whole free trial (paidCents 0, months 0). */
export type PaidPeriod = { months: number; paidCents: bigint; startAt: number; endAt: number };

/** A canceled plan has no periods, so nothing is left unused. */
export type Plan = {
  packageId: number;
  anchorAt: number;
  periods: PaidPeriod[];
  expiresAt: number;
  /** null: a trial, or no plan yet. */
  lastOrder: number | null;
};

export type PlanStatus = 'active' | 'suspended' | 'cancelled' | 'expired';

export type AutoRenewSettings = { months: Months; maxChargeCents: bigint | null; hoursBefore: number };

/** `nextAt`: the next attempt before the current end; null if no attempt is left. */
export type AutoRenew = AutoRenewSettings & { nextAt: number | null; failure: RefusalCode | null };

export type PlanLife = {
  plan: Plan;
  operatorHold: boolean;
  resellerHold: boolean;
  isCancelled: boolean;
  endsAtPeriodEnd: boolean;
  autoRenew: AutoRenew | null;
};

const secondsPerHour = 3_600;

export function newLife(plan: Plan): PlanLife {
  return {
    plan,
    operatorHold: false,
    resellerHold: false,
    isCancelled: false,
    endsAtPeriodEnd: false,
    autoRenew: null,
  };
}

/** A plan whose expiry is now has expired (A20); a canceled one has ended even if a clock is behind (A79). */
export function isRunning({ plan, isCancelled }: PlanLife, now: number): boolean {
  return !isCancelled && now < plan.expiresAt;
}

export function statusOf(life: PlanLife, now: number): PlanStatus {
  if (!isRunning(life, now)) return life.isCancelled ? 'cancelled' : 'expired';
  return life.operatorHold || life.resellerHold ? 'suspended' : 'active';
}

export function startPlan(
  packageId: number,
  months: Months,
  paidCents: bigint,
  lastOrder: number,
  now: number,
): Plan {
  const endAt = addMonths(now, months);
  return {
    packageId,
    anchorAt: now,
    periods: [{ months, paidCents, startAt: now, endAt }],
    expiresAt: endAt,
    lastOrder,
  };
}

/** Stands for a plan until there is one. */
export function overPlan(packageId: number, now: number): Plan {
  return { packageId, anchorAt: now, periods: [], expiresAt: now, lastOrder: null };
}

export function extendPlan(plan: Plan, months: Months, paidCents: bigint, lastOrder: number): Plan {
  const monthsBefore = plan.periods.reduce((sum, period) => sum + period.months, 0);
  const endAt = addMonths(plan.anchorAt, monthsBefore + months);
  const period = { months, paidCents, startAt: plan.expiresAt, endAt };
  return { ...plan, periods: [...plan.periods, period], expiresAt: endAt, lastOrder };
}

/** Per period: floor(paid cents × unused seconds ÷ its seconds). A trial paid 0, so it gives 0. */
export function refundOf(plan: Plan, now: number): bigint {
  let refundCents = 0n;
  for (const { paidCents, startAt, endAt } of plan.periods) {
    const unusedSeconds = BigInt(Math.max(0, endAt - Math.max(startAt, now)));
    // BigInt division rounds toward zero, which is the floor here: nothing is negative.
    refundCents += (paidCents * unusedSeconds) / BigInt(endAt - startAt);
  }
  return refundCents;
}

export function extendRun(life: PlanLife, plan: Plan): void {
  life.plan = plan;
  if (life.autoRenew !== null) life.autoRenew = freshAutoRenew(life.autoRenew, plan);
}

/** A first paid plan, one that replaces another, or one after an end. */
export function beginRun(life: PlanLife, plan: Plan): void {
  if (life.endsAtPeriodEnd) life.autoRenew = null;
  life.isCancelled = false;
  life.endsAtPeriodEnd = false;
  extendRun(life, plan);
}

export function beginTrial(life: PlanLife, plan: Plan): void {
  life.plan = plan;
  life.isCancelled = false;
  life.endsAtPeriodEnd = false;
  life.autoRenew = null;
}

export function endRun(life: PlanLife, now: number): void {
  life.plan = { ...life.plan, periods: [], expiresAt: now };
  life.isCancelled = true;
  life.endsAtPeriodEnd = false;
  life.autoRenew = null;
}

/** Settings for the current end: not attempted yet (A65, A69). */
export function freshAutoRenew(settings: AutoRenewSettings, plan: Plan): AutoRenew {
  const { months, maxChargeCents, hoursBefore } = settings;
  const nextAt = plan.expiresAt - hoursBefore * secondsPerHour;
  return { months, maxChargeCents, hoursBefore, nextAt, failure: null };
}

export function refusedAutoRenew(auto: AutoRenew, plan: Plan, failure: RefusalCode, now: number): AutoRenew {
  const again = now + 6 * secondsPerHour;
  return { ...auto, failure, nextAt: again < plan.expiresAt ? again : null };
}
