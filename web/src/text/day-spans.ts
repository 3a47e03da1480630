// The spans of days that date filters offer, in the reader's time zone.

import { t } from '@lingui/core/macro';
import { dayOf } from './days.ts';

export interface DaySpan {
  readonly from: string;
  readonly to: string;
}

export const daySpanTitles = {
  today: t`Today`,
  last_7_days: t`Last 7 days`,
  last_30_days: t`Last 30 days`,
  this_month: t`This month`,
  last_month: t`Last month`,
  this_quarter: t`This quarter`,
  last_quarter: t`Last quarter`,
  this_year: t`This year`,
} as const;

export type DaySpanName = keyof typeof daySpanTitles;

export function isDaySpan(name: string): name is DaySpanName {
  return name in daySpanTitles;
}

export function daySpan(name: DaySpanName, now = new Date()): DaySpan {
  const [year = 0, month = 1, day = 1] = dayOf(now).split('-').map(Number);
  const quarter = month - ((month - 1) % 3);
  switch (name) {
    case 'today':
      return span([year, month, day], [year, month, day]);
    case 'last_7_days':
      return span([year, month, day - 6], [year, month, day]);
    case 'last_30_days':
      return span([year, month, day - 29], [year, month, day]);
    case 'this_month':
      return span([year, month, 1], [year, month + 1, 0]);
    case 'last_month':
      return span([year, month - 1, 1], [year, month, 0]);
    case 'this_quarter':
      return span([year, quarter, 1], [year, quarter + 3, 0]);
    case 'last_quarter':
      return span([year, quarter - 3, 1], [year, quarter, 0]);
    case 'this_year':
      return span([year, 1, 1], [year, 12, 31]);
    default:
      return name satisfies never;
  }
}

/** null: no offered span has exactly these days. */
export function daySpanOf(from: string | undefined, to: string | undefined): DaySpanName | null {
  const names = Object.keys(daySpanTitles).filter(isDaySpan);
  return names.find((name) => daySpan(name).from === from && daySpan(name).to === to) ?? null;
}

export function firstOfNextMonth(now = new Date()): string {
  const [year = 0, month = 1] = dayOf(now).split('-').map(Number);
  return dayText([year, month + 1, 1]);
}

type Day = readonly [year: number, month: number, day: number];

function span(from: Day, to: Day): DaySpan {
  return { from: dayText(from), to: dayText(to) };
}

/** Months and days outside their range count on: day 0 is the last one of the month before. */
function dayText([year, month, day]: Day): string {
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}
