// Daily or monthly charts of money and orders, or the same numbers as a table. Used by both overviews.

import { t } from '@lingui/core/macro';
import { Inbox } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import type { SeriesPoint } from '../../api/shapes.ts';
import { formatMoney, sumAmounts } from '../../text/amounts.ts';
import { formatCount } from '../../text/language.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { BarChart } from '../../ui/bar-chart.tsx';
import { formatAxisMoney } from '../../ui/canvas-chart.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { classNames } from '../../ui/class-names.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { figures } from '../../ui/figures.tsx';
import { Money } from '../../ui/money.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

export const spans = [
  { value: 'days', title: t`30 days`, words: t`In the last 30 days`, query: { days: 30 } },
  { value: 'months', title: t`12 months`, words: t`In the last 12 months`, query: { months: 12 } },
] as const;
export type Span = (typeof spans)[number]['value'];
export type SeriesView = 'chart' | 'table';

interface SeriesCardProps {
  readonly title: string;
  readonly moneyName: string;
  readonly series: readonly SeriesPoint[] | undefined;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly currency: string;
  readonly span: Span;
  readonly onSpan: (span: Span) => void;
  readonly view: SeriesView;
  readonly onView: (view: SeriesView) => void;
  readonly outdated: boolean;
  readonly rows?: SeriesRows;
}

export interface SeriesRows {
  readonly onOpen: (point: SeriesPoint, of: 'money' | 'orders') => void;
  readonly link: (point: SeriesPoint, words: ReactNode) => ReactNode;
}

export function SeriesCard(props: SeriesCardProps) {
  const { title, moneyName, series, error, onRetry, currency, span, view, outdated, rows } = props;
  return (
    <Card
      title={title}
      description={
        span === 'days'
          ? t`Days are in UTC; today is still in progress.`
          : t`Months are in UTC; this month is still in progress.`
      }
      flush={view === 'table'}
      action={
        <div className="flex flex-wrap gap-2">
          <Choice
            label={t`Time`}
            value={span}
            options={spans.map((one) => ({ value: one.value, title: one.title }))}
            onChoose={props.onSpan}
          />
          <Choice
            label={t`Show as`}
            value={view}
            options={[
              { value: 'chart', title: t`Chart` },
              { value: 'table', title: t`Table` },
            ]}
            onChoose={props.onView}
          />
        </div>
      }
    >
      {error !== null && series === undefined ? (
        <ErrorNotice error={error} onRetry={onRetry} />
      ) : view === 'table' ? (
        <SeriesTable
          series={series}
          moneyName={moneyName}
          currency={currency}
          outdated={outdated}
          rows={rows}
        />
      ) : series?.every(({ orders, spent }) => orders === 0 && Number(spent) === 0) ? (
        <p className="text-soft">{t`No orders in this period`}</p>
      ) : (
        <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
          <MoneyChart series={series} name={moneyName} currency={currency} rows={rows} />
          <OrderChart series={series} rows={rows} />
        </div>
      )}
    </Card>
  );
}

interface MoneyChartProps {
  readonly series: readonly SeriesPoint[] | undefined;
  readonly name: string;
  readonly currency: string;
  readonly rows: SeriesRows | undefined;
}

function MoneyChart({ series, name, currency, rows }: MoneyChartProps) {
  // Floats are exact enough for drawing. Texts use the exact amounts.
  const values = useMemo(() => series?.map(({ spent }) => Number(spent)), [series]);
  return (
    <Chart
      name={name}
      series={series}
      values={values}
      total={series === undefined ? '' : formatMoney(sumAmounts(series.map(({ spent }) => spent)), currency)}
      wordsOf={({ spent }) => formatMoney(spent, currency)}
      formatTick={(value) => formatAxisMoney(value, currency)}
      onOpen={rows && ((point) => rows.onOpen(point, 'money'))}
    />
  );
}

interface OrderChartProps {
  readonly series: readonly SeriesPoint[] | undefined;
  readonly rows: SeriesRows | undefined;
}

function OrderChart({ series, rows }: OrderChartProps) {
  const values = useMemo(() => series?.map(({ orders }) => orders), [series]);
  const total = (values ?? []).reduce((sum, value) => sum + value, 0);
  return (
    <Chart
      name={t`Orders`}
      series={series}
      values={values}
      total={formatCount(total)}
      wordsOf={({ orders }) => formatCount(orders)}
      formatTick={(value) => (Number.isInteger(value) ? formatCount(value) : '')}
      onOpen={rows && ((point) => rows.onOpen(point, 'orders'))}
    />
  );
}

interface ChartProps {
  readonly name: string;
  readonly series: readonly SeriesPoint[] | undefined;
  readonly values: readonly number[] | undefined;
  readonly total: string;
  readonly wordsOf: (point: SeriesPoint) => string;
  readonly formatTick: (value: number) => string;
  readonly onOpen: ((point: SeriesPoint) => void) | undefined;
}

function Chart({ name, series, values, total, wordsOf, formatTick, onOpen }: ChartProps) {
  const [at, setAt] = useState<number | null>(null);
  const names = useMemo(() => (series ?? []).map(({ date }) => formatSeriesDate(date, 'short')), [series]);
  const point = at === null ? undefined : series?.[at];
  const running = series?.find((one) => one.running);
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex items-baseline justify-between gap-4">
        <span className="text-soft">
          {name} <span className="text-xs">{point === undefined ? t`in total` : dateWords(point)}</span>
        </span>
        <span className="figures text-base font-semibold">
          {series === undefined ? (
            <Skeleton className="w-20" />
          ) : point === undefined ? (
            total
          ) : (
            wordsOf(point)
          )}
        </span>
      </figcaption>
      {series === undefined || values === undefined ? (
        <Skeleton className="h-50 w-full" />
      ) : (
        <BarChart
          label={t`${name}: ${total} in total. The same numbers are in the table view.`}
          names={names}
          values={values}
          formatTick={formatTick}
          hatchedFrom={running === undefined ? undefined : series.indexOf(running)}
          onPoint={setAt}
          onChoose={
            onOpen &&
            ((index) => {
              const chosen = series[index];
              if (chosen !== undefined) onOpen(chosen);
            })
          }
        />
      )}
      {running === undefined ? null : (
        <HatchedNote>{t`In progress: ${formatSeriesDate(running.date, 'long')}`}</HatchedNote>
      )}
    </figure>
  );
}

interface HatchedNoteProps {
  readonly children: ReactNode;
  /** The bars are below zero. */
  readonly isBad?: boolean;
}

export function HatchedNote({ children, isBad = false }: HatchedNoteProps) {
  return (
    <p className="mt-1 flex items-center gap-2 text-xs text-soft">
      <span
        aria-hidden
        className={classNames(
          'inline-block size-3 shrink-0 forced-color-adjust-none border border-current',
          'bg-[repeating-linear-gradient(135deg,currentcolor_0_2px,transparent_2px_4px)]',
          isBad ? 'text-bad' : 'text-accent',
        )}
      />
      {children}
    </p>
  );
}

function dateWords({ date, running }: SeriesPoint, style: 'short' | 'long' = 'long'): string {
  const words = formatSeriesDate(date, style);
  return running ? t`${words}, in progress` : words;
}

interface SeriesTableProps {
  readonly series: readonly SeriesPoint[] | undefined;
  readonly moneyName: string;
  readonly currency: string;
  readonly outdated: boolean;
  readonly rows: SeriesRows | undefined;
}

function SeriesTable({ series, moneyName, currency, outdated, rows }: SeriesTableProps) {
  const money = (amount: string) => <Money amount={amount} currency={currency} />;
  const columns: readonly Column<SeriesPoint>[] = [
    {
      title: t`Date`,
      cell: (point) => {
        const words = (
          <>
            <span className="max-sm:hidden">{dateWords(point)}</span>
            <span className="whitespace-normal sm:hidden">{dateWords(point, 'short')}</span>
          </>
        );
        return rows?.link(point, words) ?? words;
      },
      grows: true,
    },
    { title: t`Orders`, cell: ({ orders }) => figures(orders), align: 'end' },
    { title: t`Charged`, cell: ({ charged }) => money(charged), align: 'end', from: 'sm' },
    { title: t`Refunded`, cell: ({ refunded }) => money(refunded), align: 'end', from: 'sm' },
    { title: moneyName, cell: ({ spent }) => money(spent), align: 'end' },
  ];
  return (
    <div className="border-t border-line">
      <DataTable
        caption={t`The chart as a table`}
        columns={columns}
        rows={series === undefined ? undefined : [...series].reverse()}
        rowKey={({ date }) => date}
        outdated={outdated}
        empty={<EmptyState icon={Inbox} title={t`No days to show`} />}
      />
    </div>
  );
}
