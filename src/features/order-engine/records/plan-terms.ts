// The arithmetic of a plan: how a term is added to it and what its unused time is worth
// (decisions "Plans, periods and money"). Pure.

import { addMonths, type EpochSeconds } from '../../../shared/times.ts';

/** A term that was paid for: [startsAt, endsAt) for paidCents. */
export interface PaidPeriod {
  readonly startsAt: EpochSeconds;
  readonly endsAt: EpochSeconds;
  readonly paidCents: bigint;
}

/** The unbroken run of one package. */
export interface Plan {
  readonly packageId: number;
  /** When the run began: all its calendar months are counted from here. */
  readonly anchorAt: EpochSeconds;
  /** Months sold since the anchor; 0 for a free trial. */
  readonly monthsRun: number;
  readonly expiresAt: EpochSeconds;
  /** Oldest first. Periods that have ended may be missing: they are worth nothing. */
  readonly paidPeriods: readonly PaidPeriod[];
  /** The completed order that made the plan what it is; null for a free trial, and before a first order is completed. */
  readonly lastOrder: number | null;
}

/** A plan may end at most this far ahead. */
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

/** The same run, `months` longer, on top of its expiry. */
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

/** Of a customer whose first order waits for the product: it is over as it begins. */
export function noPlan(packageId: number, now: EpochSeconds): Plan {
  return { packageId, anchorAt: now, monthsRun: 0, expiresAt: now, paidPeriods: [], lastOrder: null };
}

export function startTrial(packageId: number, durationDays: number, now: EpochSeconds): Plan {
  return { ...noPlan(packageId, now), expiresAt: now + durationDays * 86_400 };
}

/** It ends before its time; nothing of it is left to give back. */
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
