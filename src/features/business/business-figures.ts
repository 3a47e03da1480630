// Makes figures of the sums: months with their closing plans and rates, packages, the forecast and cohorts. Pure.

import { dayOf, type EpochSeconds } from '../../shared/times.ts';
import type { CohortRow, PlanRow } from './business-reads.ts';
import { addFigures, noFigures, type PlanFigures } from './plan-movements.ts';

/** Plans and what they cost in a year. */
export interface Stock {
  readonly plans: number;
  readonly yearCents: bigint;
}

export interface MonthFigures extends PlanFigures {
  /** "2026-01" */
  readonly month: string;
  /** The month of today: its plans are those that run today. */
  readonly isRunning: boolean;
  readonly opening: Stock;
  readonly closing: Stock;
  /** Who ever ordered, up to the end of the month. */
  readonly customers: number;
}

export interface PackageFigures extends PlanFigures {
  readonly packageId: number;
  readonly opening: Stock;
  readonly closing: Stock;
}

export interface ForecastDayFigures {
  readonly date: string;
  readonly plans: number;
  readonly cents: bigint;
}

export interface BusinessSpan {
  readonly today: string;
  /** The first days of the months, oldest first. */
  readonly months: readonly string[];
  /** The first day of the present month, and of the next one. */
  readonly month: string;
  readonly nextMonth: string;
  /** The day after the last day of the forecast. */
  readonly until: string;
}

const forecastDays = 90;
const daySeconds = 86_400;

export function businessSpan(count: number, now: EpochSeconds): BusinessSpan {
  const monthFrom = (at: EpochSeconds, months: number) => {
    const date = new Date(at * 1000);
    const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
    return first.toISOString().slice(0, 10);
  };
  return {
    today: dayOf(now),
    months: Array.from({ length: count }, (_, index) => monthFrom(now, index + 1 - count)),
    month: monthFrom(now, 0),
    nextMonth: monthFrom(now, 1),
    until: dayOf(now + forecastDays * daySeconds),
  };
}

/** The rows as of today: plans that end today or later this month are not lost yet. */
export function rowsUntilToday(
  months: readonly PlanRow[],
  days: readonly PlanRow[],
  { today, months: shown, nextMonth }: BusinessSpan,
): PlanRow[] {
  const current = shown.at(-1) ?? '';
  const open = days
    .filter(({ since }) => since >= today && since < nextMonth)
    .map(({ packageId, duePlans, lostPlans, lostCents, dueCents }) => ({
      ...noFigures,
      since: current,
      packageId,
      duePlans: -duePlans,
      lostPlans: -lostPlans,
      lostCents: -lostCents,
      dueCents: -dueCents,
    }));
  return [...months, ...open];
}

const nothing: Stock = { plans: 0, yearCents: 0n };

function afterFigures(stock: Stock, figures: PlanFigures): Stock {
  return {
    plans:
      stock.plans +
      figures.newPlans +
      figures.returnedPlans +
      figures.movedInPlans -
      figures.movedOutPlans -
      figures.lostPlans,
    yearCents:
      stock.yearCents +
      figures.newCents +
      figures.returnedCents +
      figures.raisedCents +
      figures.movedInCents -
      figures.movedOutCents -
      figures.loweredCents -
      figures.lostCents,
  };
}

function together(rows: readonly PlanRow[]): PlanFigures {
  return rows.reduce<PlanFigures>((sum, row) => addFigures(sum, row), noFigures);
}

export function monthFigures(rows: readonly PlanRow[], { months }: BusinessSpan): MonthFigures[] {
  const [first = ''] = months;
  const earlier = together(rows.filter(({ since }) => since < first));
  let closing = afterFigures(nothing, earlier);
  let customers = earlier.newPlans;
  return months.map((month, index) => {
    const figures = together(rows.filter(({ since }) => since === month));
    const opening = closing;
    closing = afterFigures(opening, figures);
    customers += figures.newPlans;
    const isRunning = index === months.length - 1;
    return { ...figures, month: month.slice(0, 7), isRunning, opening, closing, customers };
  });
}

/** What became of the plans of each package over all these months, the most valuable first. */
export function packageFigures(rows: readonly PlanRow[], { months }: BusinessSpan): PackageFigures[] {
  const [first = ''] = months;
  return [...Map.groupBy(rows, ({ packageId }) => packageId)]
    .map(([packageId, own]) => {
      const opening = afterFigures(nothing, together(own.filter(({ since }) => since < first)));
      const figures = together(own.filter(({ since }) => since >= first));
      return { ...figures, packageId, opening, closing: afterFigures(opening, figures) };
    })
    .sort((one, other) => {
      const [mine, theirs] = [one.closing.yearCents, other.closing.yearCents];
      return mine === theirs ? one.packageId - other.packageId : mine > theirs ? -1 : 1;
    });
}

export function forecastFigures(
  days: readonly PlanRow[],
  { today, until }: BusinessSpan,
): ForecastDayFigures[] {
  const coming = days.filter(({ since }) => since >= today && since < until);
  return [...Map.groupBy(coming, ({ since }) => since)]
    .map(([date, rows]) => {
      const { lostPlans, dueCents } = together(rows);
      return { date, plans: lostPlans, cents: dueCents };
    })
    .filter(({ plans }) => plans > 0)
    .sort((one, other) => (one.date < other.date ? -1 : 1));
}

export interface CohortFigures {
  /** "2026-01" */
  readonly cohort: string;
  readonly customers: number;
  readonly yearCents: bigint;
  /** At the end of the month of the first order, of the month after, and so on. */
  readonly kept: readonly Stock[];
}

/** `months`: the first days of the cohorts' months, of which the last is not over and has only its beginning. */
export function cohortFigures(rows: readonly CohortRow[], months: readonly string[]): CohortFigures[] {
  const byCohort = Map.groupBy(rows, ({ cohort }) => cohort);
  const running = months.at(-1) ?? '';
  return months.map((cohort) => {
    const byMonth = new Map((byCohort.get(cohort) ?? []).map((row) => [row.month, row]));
    let stock = nothing;
    const kept: Stock[] = [];
    for (const month of months.filter((one) => one >= cohort)) {
      const row = byMonth.get(month);
      // Plans that end later this month are not lost yet.
      if (month === running && month !== cohort) break;
      stock = {
        plans: stock.plans + (row?.plans ?? 0),
        yearCents: stock.yearCents + (row?.yearCents ?? 0n),
      };
      kept.push(stock);
    }
    const [first = nothing] = kept;
    return { cohort: cohort.slice(0, 7), customers: first.plans, yearCents: first.yearCents, kept };
  });
}

/** In tenths of a percent, rounded; null where there is nothing to compare with. */
export function percent(part: number | bigint, whole: number | bigint): number | null {
  if (whole <= 0) return null;
  return Math.round((Number(part) * 1000) / Number(whole)) / 10;
}

/** What a year's cents are in a month, rounded half away from zero. */
export function monthlyCents(yearCents: bigint): bigint {
  return yearCents < 0n ? -((-yearCents * 2n + 12n) / 24n) : (yearCents * 2n + 12n) / 24n;
}
