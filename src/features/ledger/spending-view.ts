import { formatAmount } from '../../shared/amounts.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { type LedgerSums, lastDates, type Step } from './daily-totals.ts';
import type { SeriesPointView, SpanView, SpendingView, TotalsView } from './spending-schemas.ts';
import type { PeriodSpending } from './spending-totals.ts';

export interface Span {
  readonly step: Step;
  readonly since: string;
  readonly previousSince: string;
  readonly dates: readonly string[];
}

const daysDefault = 30;
const daysMax = 366;
const monthsMax = 36;
const daySeconds = 86_400;

/** Reads `days` or `months` of a query string. Bad values are adjusted instead of refused. */
export function parseSpan(query: unknown, now: EpochSeconds): Span {
  const count = (name: string, max: number): number | null => {
    const value = isJsonObject(query) ? own(query, name) : undefined;
    if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) return null;
    return Math.min(max, Math.max(1, Number(value)));
  };
  const months = count('months', monthsMax);
  const step = months === null ? 'day' : 'month';
  const length = months ?? count('days', daysMax) ?? daysDefault;
  const both = lastDates(step, 2 * length, now);
  const dates = both.slice(length);
  const firstDay = (date = '') => (step === 'day' ? date : `${date}-01`);
  return { step, since: firstDay(dates[0]), previousSince: firstDay(both[0]), dates };
}

export function spanView({ since, previousSince }: Span, now: EpochSeconds): SpanView {
  const begins = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000;
  return {
    from: formatTime(begins(since)),
    to: formatTime(now - (now % daySeconds) + daySeconds - 1),
    previous_from: formatTime(begins(previousSince)),
    previous_to: formatTime(begins(since) - 1),
  };
}

/** Also for dates without entries. The last date is not over yet. */
export function seriesOf(sums: readonly LedgerSums[], dates: readonly string[]): SeriesPointView[] {
  const byDate = new Map(sums.map((each) => [each.date, each]));
  return dates.map((date, index) => ({
    date,
    ...figuresOf(byDate.get(date) ?? nothing),
    running: index === dates.length - 1,
  }));
}

export function totalsOf(sums: readonly LedgerSums[], dates: readonly string[]): TotalsView {
  const [first = ''] = dates;
  return {
    ...figuresOf(together(sums.filter(({ date }) => date >= first))),
    previous: figuresOf(together(sums.filter(({ date }) => date < first))),
  };
}

export function spendingView(found: readonly PeriodSpending[] | null, catalog: PackageCatalog): SpendingView {
  if (found === null) return null;
  const rows = Map.groupBy(found, ({ packageId, kind }) => `${packageId} ${kind}`).values();
  return [...rows]
    .flatMap((periods) => {
      const [first] = periods;
      if (first === undefined) return [];
      const { packageId, kind } = first;
      const current = together(periods.filter(({ isBefore }) => !isBefore));
      const previous = together(periods.filter(({ isBefore }) => isBefore));
      const name = catalog.byId.get(packageId)?.name ?? '';
      return [{ packageId, kind, name, current, previous }];
    })
    .sort((one, other) => {
      const [first, second] = [spentCents(one.current), spentCents(other.current)];
      return first === second ? one.packageId - other.packageId : first > second ? -1 : 1;
    })
    .map(({ packageId, kind, name, current, previous }) => ({
      package: { id: packageId, name },
      kind,
      ...figuresOf(current),
      previous: figuresOf(previous),
    }));
}

type Figures = Pick<LedgerSums, 'orderCount' | 'chargedCents' | 'refundedCents'>;

const nothing: Figures = { orderCount: 0, chargedCents: 0n, refundedCents: 0n };

function together(all: readonly Figures[]): Figures {
  return all.reduce<Figures>(
    (sum, each) => ({
      orderCount: sum.orderCount + each.orderCount,
      chargedCents: sum.chargedCents + each.chargedCents,
      refundedCents: sum.refundedCents + each.refundedCents,
    }),
    nothing,
  );
}

export function figuresOf(figures: Figures) {
  const { orderCount, chargedCents, refundedCents } = figures;
  return {
    orders: orderCount,
    charged: formatAmount(chargedCents),
    refunded: formatAmount(refundedCents),
    spent: formatAmount(spentCents(figures)),
  };
}

function spentCents({ chargedCents, refundedCents }: Figures): bigint {
  return chargedCents - refundedCents;
}
