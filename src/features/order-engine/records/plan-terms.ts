// The arithmetic of a plan: adding a term, and the value of unused time. Pure.

import { addMonths, type EpochSeconds } from '../../../shared/times.ts';

/** [startsAt, endsAt), paid with paidCents. */
export interface PaidPeriod {
  readonly startsAt: EpochSeconds;
  readonly endsAt: EpochSeconds;
  readonly paidCents: bigint;
}

export interface Plan {
  readonly packageId: number;
  /** All calendar months of the run are counted from here. */
  readonly anchorAt: EpochSeconds;
  /** Months sold since the anchor; 0 for a free trial. */
  readonly monthsRun: number;
  readonly expiresAt: EpochSeconds;
  /** Oldest first. Periods that have ended may be missing: they are worth nothing. */
  readonly paidPeriods: readonly PaidPeriod[];
  /** The completed order that made this plan; null: a free trial, or no completed order yet. */
  readonly lastOrder: number | null;
}

const termMonthsMax = 120;

export function isRunning(plan: Plan, now: EpochSeconds): boolean {
  return plan.expiresAt > now;
}

export function startPlan(packageId: number, months: number, paidCents: bigint, now: EpochSeconds): Plan {
  const expiresAt = addMonths(now, months);
  return {
    packageId,
    anchorAt: now,
    monthsRun: months,
    expiresAt,
    paidPeriods: [{ startsAt: now, endsAt: expiresAt, paidCents }],
    lastOrder: null,
  };
}

export function extendPlan(plan: Plan, months: number, paidCents: bigint, now: EpochSeconds): Plan {
  const monthsRun = plan.monthsRun + months;
  const expiresAt = addMonths(plan.anchorAt, monthsRun);
  const unused = plan.paidPeriods.filter(({ endsAt }) => endsAt > now);
  return {
    ...plan,
    monthsRun,
    expiresAt,
    paidPeriods: [...unused, { startsAt: plan.expiresAt, endsAt: expiresAt, paidCents }],
  };
}

/** While the first order awaits the product: over as it begins. */
export function noPlan(packageId: number, now: EpochSeconds): Plan {
  return { packageId, anchorAt: now, monthsRun: 0, expiresAt: now, paidPeriods: [], lastOrder: null };
}

export function startTrial(packageId: number, durationDays: number, now: EpochSeconds): Plan {
  return { ...noPlan(packageId, now), expiresAt: now + durationDays * 86_400 };
}

/** Nothing is left to refund. */
export function endPlan(plan: Plan, now: EpochSeconds): Plan {
  return { ...plan, expiresAt: now, paidPeriods: [] };
}

export function isTooLong(plan: Plan, now: EpochSeconds): boolean {
  return plan.expiresAt > addMonths(now, termMonthsMax);
}

/** Per paid period: floor(paid cents × unused seconds ÷ its seconds). */
export function unusedCents(plan: Plan, now: EpochSeconds): bigint {
  let cents = 0n;
  for (const { startsAt, endsAt, paidCents } of plan.paidPeriods) {
    const unusedSeconds = endsAt - Math.max(now, startsAt);
    if (unusedSeconds > 0) cents += (paidCents * BigInt(unusedSeconds)) / BigInt(endsAt - startsAt);
  }
  return cents;
}
