// What the renewals of the next 90 days bring, by week.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { businessForecastQuery } from '../../api/business-queries.ts';
import type { BusinessForecast } from '../../api/shapes.ts';
import { formatMoney, sumAmounts } from '../../text/amounts.ts';
import { timesOfUtc } from '../../text/days.ts';
import { formatPercent } from '../../text/percent.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { formatAxisMoney } from '../../ui/canvas-chart.tsx';
import { Card } from '../../ui/card.tsx';
import { CsvButton } from '../../ui/csv-button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { FigureLink } from '../../ui/page-links.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TrendChart } from '../../ui/trend-chart.tsx';
import { Definition } from './definition.tsx';

const weeks = 13;
const weekMilliseconds = 7 * 86_400_000;

export function ForecastCard({ currency }: { readonly currency: string }) {
  const { data, error, refetch } = useQuery(businessForecastQuery);
  const navigate = useNavigate();
  const bars = useMemo(() => data && weeksOf(data), [data]);
  const spanOf = (week: Week) => ({ from: timesOfUtc(week.from).from, to: timesOfUtc(week.to).to });
  return (
    <Card
      title={t`Renewals of the next 90 days`}
      description={
        <>
          {t`Plans that end, each renewed once at the price of its last order, by week.`}
          {'\u00a0'}
          <Definition figure="forecast" />
        </>
      }
      action={
        <CsvButton
          path="/admin/v1/business/forecast"
          name="business-forecast"
          label={t`Export forecast as CSV`}
        />
      }
    >
      {error !== null && data === undefined ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : data === undefined || bars === undefined ? (
        <Skeleton className="h-50 w-full" />
      ) : (
        <>
          <p className="mb-3 text-base font-medium">
            <FigureLink
              to="/admin/customers"
              search={{ from: timesOfUtc(data.as_of).from, to: timesOfUtc(data.until).to }}
            >
              {t`${endWords(data.plans)}: ${formatMoney(data.total, currency)} if all are renewed.`}
            </FigureLink>{' '}
            {data.renewal_percent === null
              ? null
              : t`${formatMoney(data.expected, currency)} at the renewal rate of ${formatPercent(data.renewal_percent)}.`}
          </p>
          <TrendChart
            label={t`Renewals by week. The same numbers are in the CSV file.`}
            names={bars.names}
            values={bars.values}
            compared={null}
            hatchedFrom={0}
            group="forecast"
            formatTick={(value) => formatAxisMoney(value, currency)}
            tooltip={(index) => <WeekTooltip week={bars.weeks[index]} currency={currency} />}
            onChoose={(index) => {
              const week = bars.weeks[index];
              if (week !== undefined) void navigate({ to: '/admin/customers', search: spanOf(week) });
            }}
          />
        </>
      )}
    </Card>
  );
}

function endWords(plans: number): string {
  return plural(plans, { one: '# plan ends', other: '# plans end' });
}

interface Week {
  readonly from: string;
  readonly to: string;
  readonly plans: number;
  readonly amount: string;
}

function weeksOf({ as_of: today, days }: BusinessForecast) {
  const start = Date.parse(`${today}T00:00:00Z`);
  const dayAt = (at: number) => new Date(at).toISOString().slice(0, 10);
  const found = Array.from({ length: weeks }, (_, index): Week => {
    const from = dayAt(start + index * weekMilliseconds);
    const to = dayAt(start + (index + 1) * weekMilliseconds - 1);
    const own = days.filter(({ date }) => date >= from && date <= to);
    return {
      from,
      to,
      plans: own.reduce((sum, { plans }) => sum + plans, 0),
      amount: sumAmounts(own.map(({ amount }) => amount)),
    };
  });
  return {
    weeks: found,
    names: found.map(({ from }) => formatSeriesDate(from, 'short')),
    values: found.map(({ amount }) => Number(amount)),
  };
}

function WeekTooltip({ week, currency }: { readonly week: Week | undefined; readonly currency: string }) {
  if (week === undefined) return null;
  return (
    <>
      <div className="font-medium">
        {formatSeriesDate(week.from, 'short')} – {formatSeriesDate(week.to, 'short')}
      </div>
      <div className="figures mt-0.5 text-sm font-semibold">{formatMoney(week.amount, currency)}</div>
      <div className="figures mt-0.5 text-soft">{endWords(week.plans)}</div>
    </>
  );
}
