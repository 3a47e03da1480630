// The figures of today, each with its definition, a comparison and a link to its rows.

import { t } from '@lingui/core/macro';
import type { BusinessMonth } from '../../api/shapes.ts';
import { formatMoney, fromCents, toCents } from '../../text/amounts.ts';
import { formatChange, formatCount, formatSignedCount } from '../../text/language.ts';
import { formatPercent } from '../../text/percent.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { Stat, Stats } from '../../ui/stat.tsx';
import type { BusinessRows } from './business-rows.ts';
import { Defined } from './definition.tsx';

interface BusinessStatsProps {
  readonly months: readonly BusinessMonth[] | undefined;
  readonly currency: string;
  readonly rows: BusinessRows;
}

const averagedMonths = 3;

export function BusinessStats({ months, currency, rows }: BusinessStatsProps) {
  const now = months?.at(-1);
  const over = months?.slice(0, -1) ?? [];
  const last = over.at(-1);
  const recent = over.slice(-averagedMonths);
  const monthWords = last === undefined ? '' : formatSeriesDate(last.month, 'long');
  return (
    <Stats>
      <Stat
        name={<Defined figure="mrr" />}
        value={now && rows.link('active', null, formatMoney(now.mrr, currency))}
        note={now && last && t`${moneyChange(now.mrr, last.mrr, currency)} since the start of the month`}
      />
      <Stat
        name={<Defined figure="arr" />}
        value={now && formatMoney(now.arr, currency)}
        note={t`MRR for twelve months`}
      />
      <Stat
        name={<Defined figure="active-plans" />}
        value={now && rows.link('active', null, formatCount(now.active_plans))}
        note={
          now &&
          last &&
          t`${formatSignedCount(now.active_plans - last.active_plans)} since the start of the month`
        }
      />
      <Stat
        name={<Defined figure="customers" name={t`Paying customers`} />}
        value={now && formatCount(now.customers)}
        note={now && t`${formatCount(now.new_plans)} new this month`}
      />
      <Stat
        name={<Defined figure="churn" />}
        value={now && rows.link('lost', last?.month ?? null, formatPercent(last?.churn_percent ?? null))}
        note={
          last &&
          t`${monthWords}. Average of three months: ${formatPercent(averageOf(recent, 'churn_percent'))}`
        }
      />
      <Stat
        name={<Defined figure="renewed" />}
        value={now && rows.link('renewed', last?.month ?? null, formatPercent(last?.renewal_percent ?? null))}
        note={
          last &&
          t`${monthWords}. Average of three months: ${formatPercent(averageOf(recent, 'renewal_percent'))}`
        }
      />
      <Stat
        name={<Defined figure="new" name={t`New this month`} />}
        value={now && rows.link('new', now.month, formatCount(now.new_plans))}
        note={
          now && t`${formatMoney(now.new_mrr, currency)} MRR; ${formatCount(now.returned_plans)} won back`
        }
      />
      <Stat
        name={<Defined figure="lost" name={t`Lost this month`} />}
        value={now && rows.link('lost', now.month, formatCount(now.lost_plans))}
        note={now && t`${formatMoney(now.lost_mrr, currency)} MRR; late renewals count back`}
      />
    </Stats>
  );
}

function averageOf(
  months: readonly BusinessMonth[],
  name: 'churn_percent' | 'renewal_percent',
): number | null {
  const known = months.flatMap((month) => month[name] ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function moneyChange(now: string, before: string, currency: string): string {
  const change = toCents(now) - toCents(before);
  const words = formatMoney(fromCents(change), currency, true);
  return toCents(before) <= 0n
    ? words
    : `${words} (${formatChange(Number(change) / Number(toCents(before)))})`;
}
