// The daily cost of renewals, the day on which the balance runs out, and alert settings.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CalendarCheck } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMay } from '../../api/person.ts';
import { alertsQuery, forecastQuery } from '../../api/queries.ts';
import type { Forecast } from '../../api/shapes.ts';
import { formatMoney, fromCents, toCents } from '../../text/amounts.ts';
import { timesOfUtc } from '../../text/days.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { BarChart } from '../../ui/bar-chart.tsx';
import { formatAxisMoney } from '../../ui/canvas-chart.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { figures } from '../../ui/figures.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { RowLink } from '../../ui/text-link.tsx';
import { useList } from '../../ui/use-list.ts';
import { AlertsCard } from '../alerts/alerts-card.tsx';
import { HatchedNote } from '../ledger/series-card.tsx';
import { AddFundsLink } from '../payments/funds-parts.tsx';

const spans = [30, 90, 365] as const;

interface ForecastDay {
  readonly date: string;
  readonly plans: number;
  readonly cost: string;
  readonly left: string;
}

export function ForecastPage() {
  const may = useMay();
  const { search, change } = useList(['days']);
  const navigate = useNavigate();
  const days = spans.find((each) => String(each) === search.days) ?? spans[0];
  const { data, error, refetch, isPlaceholderData } = useQuery(forecastQuery(days));
  const rows = useMemo(() => data && withBalance(data), [data]);
  const link = (date: string) => ({ to: '/customers', search: timesOfUtc(date) }) as const;
  const columns: readonly Column<ForecastDay>[] = [
    {
      title: t`Day`,
      grows: true,
      cell: ({ date }) => <RowLink {...link(date)}>{formatSeriesDate(date, 'long')}</RowLink>,
    },
    { title: t`Plans ending`, from: 'sm', align: 'end', cell: ({ plans }) => figures(plans) },
    {
      title: t`Cost of renewal`,
      align: 'end',
      cell: ({ cost }) => <Money amount={cost} currency={data?.currency ?? ''} />,
    },
    {
      title: t`Balance left`,
      align: 'end',
      from: 'sm',
      cell: ({ left }) => (
        <Money
          amount={left}
          currency={data?.currency ?? ''}
          {...(left.startsWith('-') && { className: 'text-bad' })}
        />
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title={t`Forecast and alerts`}
        description={t`Check that your balance covers upcoming renewals, and set up alerts.`}
      />
      <div className="page-stack gap-4 lg:gap-5">
        <Card
          title={t`If all ending plans are renewed`}
          description={t`For the period of each plan’s last order, at the price on that day. Days are in UTC.`}
          action={
            <Choice
              label={t`Time`}
              value={days}
              options={spans.map((value) => ({ value, title: t`${value} days` }))}
              onChoose={(value) => change({ days: value === spans[0] ? '' : String(value) })}
            />
          }
        >
          {error !== null && data === undefined ? (
            <ErrorNotice error={error} onRetry={() => void refetch()} />
          ) : (
            <>
              <div className="mb-4">
                {data === undefined ? <Skeleton className="h-11 w-full" /> : <Verdict forecast={data} />}
              </div>
              <BalanceChart forecast={data} days={days} onChoose={(date) => void navigate(link(date))} />
            </>
          )}
        </Card>
        {may('events:read') ? <AlertsCard /> : null}
        <Card
          title={t`Day by day`}
          description={t`Select a day to see the customers whose plans end on it.`}
          lined
        >
          <DataTable
            caption={t`Days with plans ending`}
            columns={columns}
            rows={rows}
            rowKey={({ date }) => date}
            error={error}
            outdated={isPlaceholderData}
            phone={({ plans, left }) => phoneWords(plans, formatMoney(left, data?.currency ?? 'USD'))}
            empty={
              <EmptyState icon={CalendarCheck} title={t`No plans ending in the next ${days} days`}>
                {t`Customers appear here when their plans are about to end.`}
              </EmptyState>
            }
          />
        </Card>
      </div>
    </>
  );
}

function phoneWords(plans: number, left: string): string {
  return plural(plans, { one: `# plan; leaves ${left}`, other: `# plans; leaves ${left}` });
}

function withBalance({ days, balance }: Forecast): ForecastDay[] {
  let left = toCents(balance);
  return days.map(({ date, plans, cost }) => {
    left -= toCents(cost);
    return { date, plans, cost, left: fromCents(left) };
  });
}

function Verdict({ forecast }: { readonly forecast: Forecast }) {
  const { plans, total, balance, currency, runs_out_on: end } = forecast;
  if (plans === 0) return <Notice tone="info">{t`No plans end in this period.`}</Notice>;
  const [cost, have] = [formatMoney(total, currency), formatMoney(balance, currency)];
  if (end === null) {
    return (
      <Notice tone="good">
        {t`The balance of ${have} covers all renewals in this period: ${cost} in total.`}
      </Notice>
    );
  }
  const missing = formatMoney(fromCents(toCents(total) - toCents(balance)), currency);
  const day = formatSeriesDate(end, 'long');
  return (
    <Notice tone="warn" action={<AddFundsLink />}>
      <strong className="font-semibold">{t`The balance of ${have} runs out on ${day}.`}</strong>{' '}
      {t`All renewals in this period cost ${cost}, ${missing} more than your balance.`}
    </Notice>
  );
}

interface BalanceChartProps {
  readonly forecast: Forecast | undefined;
  readonly days: number;
  readonly onChoose: (date: string) => void;
}

function BalanceChart({ forecast, days, onChoose }: BalanceChartProps) {
  const [at, setAt] = useState<number | null>(null);
  const { dates, names, values, heights } = useMemo(() => balances(forecast, days), [forecast, days]);
  const { data: set } = useQuery({ ...alertsQuery, enabled: useMay()('events:read') });
  const limit = set?.alerts.balance_below ?? null;
  const line = useMemo(() => (limit === null ? null : names.map(() => Number(limit))), [limit, names]);
  if (forecast === undefined) return <Skeleton className="h-50 w-full" />;
  const { currency, balance, runs_out_on: end } = forecast;
  const endsAt = end === null ? -1 : dates.indexOf(end);
  const date = at === null ? undefined : dates[at];
  const left = formatMoney(at === null ? balance : fromCents(values[at] ?? 0n), currency);
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex items-baseline justify-between gap-4">
        <span className="text-soft">
          {t`Balance left`}{' '}
          <span className="text-xs">{date === undefined ? t`now` : formatSeriesDate(date, 'long')}</span>
        </span>
        <span className="figures text-base font-semibold">{left}</span>
      </figcaption>
      <BarChart
        label={t`Balance left at the end of each day. The same numbers are in the table below.`}
        names={names}
        values={heights}
        formatTick={(value) => formatAxisMoney(value, currency)}
        hatchedFrom={endsAt < 0 ? undefined : endsAt}
        line={line}
        onPoint={setAt}
        onChoose={(index) => {
          const chosen = dates[index];
          if (chosen !== undefined) onChoose(chosen);
        }}
      />
      {end === null ? null : (
        <HatchedNote isBad>
          {t`From ${formatSeriesDate(end, 'long')}, the balance no longer covers renewals.`}
        </HatchedNote>
      )}
      {limit === null ? null : (
        <p className="mt-1 flex items-center gap-2 text-xs text-soft">
          <span aria-hidden className="inline-block w-3 shrink-0 border-t-2 border-dashed border-ink" />
          {t`Alert below ${formatMoney(limit, currency)}`}
        </p>
      )}
    </figure>
  );
}

function balances(forecast: Forecast | undefined, days: number) {
  const costs = new Map(forecast?.days.map(({ date, cost }) => [date, toCents(cost)]));
  const today = new Date();
  const dates: string[] = [];
  for (let ahead = 0; ahead <= days; ahead += 1) {
    const day = new Date(today);
    day.setUTCDate(today.getUTCDate() + ahead);
    dates.push(day.toISOString().slice(0, 10));
  }
  // In test mode the test clock may be far from today. Then show only the days on which plans end.
  const ends = forecast?.days.map(({ date }) => date) ?? [];
  const shown = ends.every((date) => dates.includes(date)) ? dates : ends;
  let left = toCents(forecast?.balance ?? '0.00');
  const values = shown.map((date) => {
    left -= costs.get(date) ?? 0n;
    return left;
  });
  const heights = values.map((cents) => Number(cents) / 100);
  return { dates: shown, names: shown.map((date) => formatSeriesDate(date, 'short')), values, heights };
}
