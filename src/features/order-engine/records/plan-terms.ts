// The arithmetic of plans: how to add a term, and what unused time is worth. Pure.

import { addMonths, type EpochSeconds } from '../../../shared/times.ts';

/** The time from startsAt up to but not including endsAt, paid with paidCents. */
export interface PaidPeriod {
  readonly startsAt: EpochSeconds;
  readonly endsAt: EpochSeconds;
  readonly paidCents: bigint;
}

export interface Plan {
  readonly packageId: number;
  /** All calendar months of the run are counted from this time. */
  readonly anchorAt: EpochSeconds;
  /** How many months were sold since the anchor; 0 for a free trial. */
  readonly monthsRun: number;
  readonly expiresAt: EpochSeconds;
  /** Oldest first. Periods that have ended may be missing, because they are worth nothing. */
  readonly paidPeriods: readonly PaidPeriod[];
  /** The completed order that made this plan. null for a free trial, or while no order is completed. */
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

/** The plan of a new customer whose first order waits for the product. It ends as it begins. */
export function noPlan(packageId: number, now: EpochSeconds): Plan {
  return { packageId, anchorAt: now, monthsRun: 0, expiresAt: now, paidPeriods: [], lastOrder: null };
}

export function startTrial(packageId: number, durationDays: number, now: EpochSeconds): Plan {
  return { ...noPlan(packageId, now), expiresAt: now + durationDays * 86_400 };
}

/** After this, nothing is left to refund. */
export function endPlan(plan: Plan, now: EpochSeconds): Plan {
  return { ...plan, expiresAt: now, paidPeriods: [] };
}

export function isTooLong(plan: Plan, now: EpochSeconds): boolean {
  return plan.expiresAt > addMonths(now, termMonthsMax);
}

/** The sum over paid periods of floor(paid cents × unused seconds ÷ the period's seconds). */
export function unusedCents(plan: Plan, now: EpochSeconds): bigint {
  let cents = 0n;
  for (const { startsAt, endsAt, paidCents } of plan.paidPeriods) {
    const unusedSeconds = endsAt - Math.max(now, startsAt);
    if (unusedSeconds > 0) cents += (paidCents * BigInt(unusedSeconds)) / BigInt(endsAt - startsAt);
  }
  return cents;
}
