// The sums by kind over a ledger list's time range, for the pages.

import type { Database } from '../../platform/database/database.ts';
import { daysOf, endOfTime, type TimeSpan } from '../../platform/http/list-query.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import type { ListedAccount } from '../identity/account-lists.ts';
import type { EntryKind } from '../order-engine/records/ledger-entry.ts';
import type { DailyTotals } from './daily-totals.ts';
import { type FoundEntry, findEntriesOfOrder, findEntriesUp } from './find-entries.ts';

/** At most this many entries are added up for a partial day. */
const addedUpMax = 5_000;
const daySeconds = 86_400;

export interface LedgerFilter {
  readonly kind: EntryKind | null;
  readonly orderId: number | null;
  readonly created: TimeSpan | null;
  /** Typed in the panel's search field; '' when empty. */
  readonly words: string;
}

type Totals = Record<'credit' | 'debit' | 'charge' | 'refund', bigint> & { entries: number };

/** Money of top-ups that goes back counts as debits, and what comes back as credits, as in statements. */
const countedAs = {
  credit: 'credit',
  reinstatement: 'credit',
  debit: 'debit',
  reversal: 'debit',
  settlement: 'debit',
  charge: 'charge',
  refund: 'refund',
} as const satisfies Record<EntryKind, string>;

/** Takes whole UTC days from their sums and partial days from their entries. null: there are too many entries. */
export async function ledgerTotals(
  { database, dailyTotals }: { readonly database: Database; readonly dailyTotals: DailyTotals },
  { account, counters }: ListedAccount,
  { kind, orderId, created, words }: LedgerFilter,
) {
  if (words !== '') return null;
  const totals: Totals = { credit: 0n, debit: 0n, charge: 0n, refund: 0n, entries: 0 };
  const add = (found: readonly FoundEntry[]) => {
    for (const { entry } of found) {
      totals[countedAs[entry.kind]] += entry.amountCents < 0n ? -entry.amountCents : entry.amountCents;
      totals.entries += 1;
    }
  };
  const span = created ?? { since: 0, until: endOfTime };
  if (orderId !== null) {
    const number = parseOwnNumber(String(orderId), account.id);
    const found =
      number === null ? [] : await findEntriesOfOrder(database, account.id, number, counters.entryCount);
    const isInTime = ({ entry: { createdAt } }: FoundEntry) =>
      createdAt >= span.since && createdAt < span.until;
    add(found.filter((each) => isInTime(each) && (kind === null || each.entry.kind === kind)));
    return totalsView(totals);
  }
  const [firstDay, lastDay] = daysOf(span);
  const days = await dailyTotals.sums(account.id, 'day', firstDay === '' ? '1970-01-01' : firstDay);
  for (const day of days) {
    if (lastDay !== '' && day.date > lastDay) break;
    const begin = Date.parse(`${day.date}T00:00:00Z`) / 1000;
    if (begin >= span.since && begin + daySeconds <= span.until) {
      totals.credit += day.creditedCents;
      totals.debit += day.debitedCents;
      totals.charge += day.chargedCents;
      totals.refund += day.refundedCents;
      totals.entries += day.entryCount;
      continue;
    }
    const { from, to } = day.entries;
    if (to - from >= addedUpMax) return null;
    add(await findEntriesUp(database, account.id, { from, to, ...span, limit: addedUpMax }));
  }
  return totalsView(totals);
}

function totalsView({ credit, debit, charge, refund, entries }: Totals) {
  return {
    credits: formatAmount(credit),
    debits: formatAmount(debit),
    charges: formatAmount(charge),
    refunds: formatAmount(refund),
    entries,
  };
}
