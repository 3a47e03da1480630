// An endpoint's attempts of 30 days: success, durations, and bars by day.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { DeliveryFigures } from '../../api/shapes.ts';
import { deliveryFiguresQuery } from '../../api/webhook-queries.ts';
import { formatCount } from '../../text/language.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { BarChart } from '../../ui/bar-chart.tsx';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Stat, Stats } from '../../ui/stat.tsx';
import { successWords } from './webhook-state.tsx';

export function DeliveryFiguresCard({ webhookId }: { readonly webhookId: number }) {
  const { data } = useQuery(deliveryFiguresQuery(webhookId));
  if (data !== undefined && data.delivered + data.failed === 0) return null;
  const words = (read: (known: DeliveryFigures) => string) => data && read(data);
  const milliseconds = (value: number | null) => (value === null ? '–' : t`${formatCount(value)} ms`);
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
      <Card title={t`Attempts by day`} description={t`Days are in UTC. Failed attempts are below the line.`}>
        {data === undefined ? <Skeleton className="h-50 w-full" /> : <Days days={data.days} />}
      </Card>
    </>
  );
}

function Days({ days }: Pick<DeliveryFigures, 'days'>) {
  const [at, setAt] = useState<number | null>(null);
  const { names, taken, failed } = useMemo(
    () => ({
      names: days.map(({ date }) => formatSeriesDate(date, 'short')),
      taken: days.map(({ delivered }) => delivered),
      failed: days.map((day) => -day.failed),
    }),
    [days],
  );
  const day = at === null ? undefined : days[at];
  const tick = (value: number) => (Number.isInteger(value) ? formatCount(Math.abs(value)) : '');
  const sum = days.reduce((all, { delivered, failed: lost }) => all + delivered + lost, 0);
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex items-baseline justify-between gap-4 text-soft">
        <span className="text-xs">
          {day === undefined ? t`in total` : formatSeriesDate(day.date, 'long')}
        </span>
        <span className="figures">
          {day === undefined
            ? formatCount(sum)
            : t`${formatCount(day.delivered)} delivered, ${formatCount(day.failed)} failed`}
        </span>
      </figcaption>
      <BarChart
        label={t`Attempts of each day, delivered and failed. The attempts are in the table below.`}
        names={names}
        values={taken}
        below={failed}
        formatTick={tick}
        onPoint={setAt}
      />
    </figure>
  );
}
