// The figures of the week before a Monday, for the weekly mail.

import { dayOf, type EpochSeconds } from '../../shared/times.ts';
import { businessSpan, monthFigures, percent, rowsUntilToday, type Stock } from './business-figures.ts';
import type { AccountBusiness, BusinessReads, PlanRow } from './business-reads.ts';
import { addFigures, noFigures, type PlanFigures } from './plan-movements.ts';

export interface WeekFigures {
  readonly monday: string;
  /** What happened in the seven days before Monday. */
  readonly figures: PlanFigures;
  readonly changeYearCents: bigint;
  readonly now: Stock;
  /** "2026-10", the last month that is over. */
  readonly lastMonth: string;
  readonly churnPercent: number | null;
  /** Plans that end in the seven days from today. */
  readonly duePlans: number;
  readonly dueCents: bigint;
  /** Of all accounts: those whose balance runs out within 90 days, the soonest first. */
  readonly runningOut: readonly AccountBusiness[];
}

const weekSeconds = 7 * 86_400;
const listedMax = 100;

export async function readWeek(
  business: BusinessReads,
  accountId: number | null,
  { monday, now }: { readonly monday: string; readonly now: EpochSeconds },
): Promise<WeekFigures> {
  const span = businessSpan(2, now);
  const { today, month, nextMonth, until } = span;
  const since = dayOf(Date.parse(monday) / 1000 - weekSeconds);
  const dueUntil = dayOf(now + weekSeconds);
  const { months, days } = await business.plans(
    { accountId, packageId: null },
    { month, from: since, to: until > nextMonth ? until : nextMonth },
  );
  const [last, present] = monthFigures(rowsUntilToday(months, days, span), span);
  const figures = together(days.filter((row) => row.since >= since && row.since < monday));
  const due = together(days.filter((row) => row.since >= today && row.since < dueUntil));
  const filter = { today, month, until, by: 'runs_out_on', limit: listedMax } as const;
  return {
    monday,
    figures,
    changeYearCents:
      figures.newCents +
      figures.returnedCents +
      figures.raisedCents -
      figures.loweredCents -
      figures.lostCents,
    now: present?.closing ?? { plans: 0, yearCents: 0n },
    lastMonth: last?.month ?? '',
    churnPercent: last === undefined ? null : percent(last.lostPlans, last.opening.plans),
    duePlans: due.lostPlans,
    dueCents: due.dueCents,
    runningOut: accountId === null ? await business.accounts(filter) : [],
  };
}

function together(rows: readonly PlanRow[]): PlanFigures {
  return rows.reduce<PlanFigures>((sum, row) => addFigures(sum, row), noFigures);
}
