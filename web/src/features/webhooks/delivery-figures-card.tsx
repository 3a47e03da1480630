// An endpoint's attempts of 30 days: success, durations, and bars by day.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { DeliveryFigures } from '../../api/shapes.ts';
import { deliveryFiguresQuery } from '../../api/webhook-queries.ts';
import { formatCount, formatMilliseconds } from '../../text/language.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { BarChart } from '../../ui/bar-chart.tsx';
import { Card } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Stat, Stats } from '../../ui/stat.tsx';
import { successWords } from './webhook-state.tsx';

export function DeliveryFiguresCard({ webhookId }: { readonly webhookId: number }) {
  const { data } = useQuery(deliveryFiguresQuery(webhookId));
  if (data !== undefined && data.delivered + data.failed === 0) return null;
  const words = (read: (known: DeliveryFigures) => string) => data && read(data);
  const milliseconds = (value: number | null) => (value === null ? '–' : formatMilliseconds(value));
  const span = data?.more
    ? t`Of the latest ${formatCount(data.delivered + data.failed)} attempts`
    : t`In 30 days`;
  return (
    <>
      <Stats>
        <Stat
          name={t`Success rate`}
          value={words(({ delivered, failed }) => successWords(delivered, failed))}
          note={span}
        />
        <Stat name={t`Delivered`} value={words(({ delivered }) => formatCount(delivered))} note={span} />
        <Stat name={t`Failed attempts`} value={words(({ failed }) => formatCount(failed))} note={span} />
        <Stat
          name={t`Duration`}
          value={words(({ median_milliseconds: median }) => milliseconds(median))}
          note={data && t`Median; 95% within ${milliseconds(data.p95_milliseconds)}`}
        />
      </Stats>
      <Card title={t`Attempts by day`} description={t`Days are in UTC.`}>
        {data === undefined ? <Skeleton className="h-50 w-full" /> : <Days days={data.days} />}
      </Card>
    </>
  );
}

function Days({ days }: Pick<DeliveryFigures, 'days'>) {
  const delivered = useMemo(() => days.map((day) => day.delivered), [days]);
  const failed = useMemo(() => days.map((day) => day.failed), [days]);
  const names = useMemo(() => days.map(({ date }) => formatSeriesDate(date, 'short')), [days]);
  const dates = days.map(({ date }) => date);
  const [hasDelivered, hasFailed] = [delivered, failed].map((counts) => counts.some((count) => count !== 0));
  return (
    <div className={classNames('grid gap-x-10 gap-y-6', hasDelivered && hasFailed && 'lg:grid-cols-2')}>
      {hasDelivered ? <DayChart name={t`Delivered`} dates={dates} names={names} values={delivered} /> : null}
      {hasFailed ? (
        <DayChart name={t`Failed attempts`} dates={dates} names={names} values={failed} isBad />
      ) : null}
    </div>
  );
}

interface DayChartProps {
  readonly name: string;
  readonly dates: readonly string[];
  readonly names: readonly string[];
  readonly values: readonly number[];
  readonly isBad?: boolean;
}

function DayChart({ name, dates, names, values, isBad = false }: DayChartProps) {
  const [at, setAt] = useState<number | null>(null);
  const date = at === null ? undefined : dates[at];
  const sum = values.reduce((all, value) => all + value, 0);
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex items-baseline justify-between gap-4">
        <span className="text-soft">
          {name}{' '}
          <span className="text-xs">{date === undefined ? t`in total` : formatSeriesDate(date, 'long')}</span>
        </span>
        <span className="figures text-base font-semibold">
          {formatCount(at === null ? sum : (values[at] ?? 0))}
        </span>
      </figcaption>
      <BarChart
        label={t`${name}: ${formatCount(sum)} in total. The attempts are in the table below.`}
        names={names}
        values={values}
        isBad={isBad}
        formatTick={(value) => (Number.isInteger(value) ? formatCount(value) : '')}
        onPoint={setAt}
      />
    </figure>
  );
}
