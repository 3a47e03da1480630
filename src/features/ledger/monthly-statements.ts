// Statements: what an account had, what moved and what it was left with, month by month. Made of the sums by day, so a
// statement costs the same however much is in it. Called by the routes of the API and of the panel.
// Invariant: a month opens with the closing balance of the month before, and a month shown as final never changes.

import type { EpochSeconds } from '../../shared/times.ts';
import type { DailyTotals, LedgerSums, NumberSpan, SpannedSums } from './daily-totals.ts';

export interface MonthlyStatement extends Omit<LedgerSums, 'date'> {
  /** "2026-11". */
  readonly month: string;
  /** Whether the month is over. */
  readonly isFinal: boolean;
  readonly openingCents: bigint;
  readonly closingCents: bigint;
  /** The numbers of its entries; null: it has none. */
  readonly entries: NumberSpan | null;
}

/** From the month of the first entry to that of `now`, oldest first; months without entries, too. */
export async function listStatements(
  dailyTotals: DailyTotals,
  accountId: number,
  now: EpochSeconds,
): Promise<MonthlyStatement[]> {
  const thisMonth = new Date(now * 1000).toISOString().slice(0, 7);
  // Before the sums are read: with the clock set back, later entries could otherwise fall into a month shown as final.
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
