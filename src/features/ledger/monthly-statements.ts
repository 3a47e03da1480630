// An account's opening balance, movements and closing balance by month. They come from the daily sums, so a statement's cost
// does not depend on its number of entries.
// Invariant: a month opens with the previous month's closing balance, and a final month never changes.

import type { EpochSeconds } from '../../shared/times.ts';
import type { DailyTotals, LedgerSums, NumberSpan, SpannedSums } from './daily-totals.ts';

export interface MonthlyStatement extends Omit<LedgerSums, 'date'> {
  readonly month: string;
  readonly isFinal: boolean;
  readonly openingCents: bigint;
  readonly closingCents: bigint;
  readonly entries: NumberSpan | null;
}

/** Oldest first, even those without entries. */
export async function listStatements(
  dailyTotals: DailyTotals,
  accountId: number,
  now: EpochSeconds,
): Promise<MonthlyStatement[]> {
  const thisMonth = new Date(now * 1000).toISOString().slice(0, 7);
  // Close the past before reading. If the clock is set back, later entries could fall into a month shown as final.
  await dailyTotals.closeUntil(accountId, Date.parse(thisMonth) / 1000);
  const sums = await dailyTotals.sums(accountId, 'month', '-infinity');
  const byMonth = new Map(sums.map((each) => [each.date, each]));
  const [first] = sums;
  const last = sums.at(-1);
  if (first === undefined || last === undefined) return [];
  const statements: MonthlyStatement[] = [];
  let closingCents = 0n;
  const end = last.date > thisMonth ? last.date : thisMonth;
  for (let month = first.date; month <= end; month = monthAfter(month)) {
    const { date: _date, entries, ...moved } = byMonth.get(month) ?? { ...nothing, date: month };
    const openingCents = closingCents;
    closingCents += moved.creditedCents - moved.debitedCents - moved.chargedCents + moved.refundedCents;
    statements.push({ month, isFinal: month < thisMonth, openingCents, ...moved, closingCents, entries });
  }
  return statements;
}

const nothing: Omit<SpannedSums, 'date' | 'entries'> & { readonly entries: null } = {
  orderCount: 0,
  entryCount: 0,
  chargedCents: 0n,
  refundedCents: 0n,
  creditedCents: 0n,
  debitedCents: 0n,
  entries: null,
};

function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7);
}
