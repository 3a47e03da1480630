// The months of the business as linked charts with the year before, or as a table in which each number opens its rows.

import { t } from '@lingui/core/macro';
import { ChartNoAxesColumn } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { BusinessOf } from '../../api/business-queries.ts';
import type { BusinessMonth } from '../../api/shapes.ts';
import { formatMoney, fromCents, toCents } from '../../text/amounts.ts';
import { formatChange, formatCount } from '../../text/language.ts';
import { formatPercent } from '../../text/percent.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { formatAxisMoney } from '../../ui/canvas-chart.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { CsvButton } from '../../ui/csv-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Money } from '../../ui/money.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TrendChart } from '../../ui/trend-chart.tsx';
import { HatchedNote } from '../ledger/series-card.tsx';
import { type BusinessRows, type RowsOf, splitMonths } from './business-rows.ts';
import { Definition, type Figure, figureName } from './definition.tsx';

export const monthSpans = [
  { value: '12', months: 12, title: t`12 months` },
  { value: '24', months: 24, title: t`2 years` },
  { value: '60', months: 60, title: t`5 years` },
] as const;
export type MonthSpanValue = (typeof monthSpans)[number]['value'];

interface TrendCardProps {
  readonly of: BusinessOf;
  /** Only this account’s, in the console. */
  readonly accountId?: number;
  /** Those of the span, and as many before them. */
  readonly months: readonly BusinessMonth[] | undefined;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly outdated: boolean;
  readonly currency: string;
  readonly span: (typeof monthSpans)[number];
  readonly onSpan: (span: MonthSpanValue) => void;
  readonly view: 'chart' | 'table';
  readonly onView: (view: 'chart' | 'table') => void;
  readonly rows: BusinessRows;
}

interface Trend {
  readonly figure: Figure;
  readonly of: RowsOf;
  readonly heightOf: (month: BusinessMonth) => number;
  readonly wordsOf: (month: BusinessMonth, currency: string) => string;
  readonly tick: 'money' | 'count';
}

export function TrendCard(props: TrendCardProps) {
  const { of, accountId, months, error, onRetry, currency, span, view, rows, outdated } = props;
  const parts = useMemo(() => splitMonths(months, span.months), [months, span.months]);
  return (
    <Card
      title={t`Growth`}
      description={
        isLineDrawn(parts?.before)
          ? t`Months are in UTC; this month is still in progress. The dashed line shows as many months before.`
          : t`Months are in UTC; this month is still in progress.`
      }
      flush={view === 'table'}
      action={
        <div className="flex flex-wrap items-center gap-2">
          <Choice
            label={t`Time`}
            value={span.value}
            options={monthSpans.map(({ value, title }) => ({ value, title }))}
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
          <CsvButton
            path={`${of}/business`}
            query={{ months: span.months, ...(accountId !== undefined && { account_id: accountId }) }}
            name="business"
            label={t`Export months as CSV`}
          />
        </div>
      }
    >
      {error !== null && months === undefined ? (
        <ErrorNotice error={error} onRetry={onRetry} />
      ) : view === 'table' ? (
        <MonthTable months={parts?.shown} currency={currency} rows={rows} outdated={outdated} />
      ) : (
        <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
          {trends.map((trend) => (
            <TrendFigure key={trend.figure} trend={trend} parts={parts} currency={currency} rows={rows} />
          ))}
        </div>
      )}
    </Card>
  );
}

/** One month is a point, which draws no line. */
function isLineDrawn(before: readonly BusinessMonth[] | undefined): boolean {
  return (before ?? []).filter(({ customers }) => customers > 0).length > 1;
}

const trends: readonly Trend[] = [
  {
    figure: 'mrr',
    of: 'active',
    heightOf: ({ mrr }) => Number(mrr),
    wordsOf: ({ mrr }, currency) => formatMoney(mrr, currency),
    tick: 'money',
  },
  {
    figure: 'active-plans',
    of: 'active',
    heightOf: ({ active_plans: plans }) => plans,
    wordsOf: ({ active_plans: plans }) => formatCount(plans),
    tick: 'count',
  },
  {
    figure: 'new',
    of: 'new',
    heightOf: ({ new_plans: plans }) => plans,
    wordsOf: ({ new_plans: plans, new_mrr: mrr }, currency) => withMoney(plans, mrr, currency),
    tick: 'count',
  },
  {
    figure: 'lost',
    of: 'lost',
    heightOf: ({ lost_plans: plans }) => plans,
    wordsOf: ({ lost_plans: plans, lost_mrr: mrr, churn_percent: churn }, currency) =>
      churn === null
        ? withMoney(plans, mrr, currency)
        : `${withMoney(plans, mrr, currency)} · ${formatPercent(churn)}`,
    tick: 'count',
  },
];

function withMoney(plans: number, mrr: string, currency: string): string {
  return `${formatCount(plans)} · ${formatMoney(mrr, currency)}`;
}

interface TrendFigureProps {
  readonly trend: Trend;
  readonly parts: ReturnType<typeof splitMonths>;
  readonly currency: string;
  readonly rows: BusinessRows;
}

function TrendFigure({ trend, parts, currency, rows }: TrendFigureProps) {
  const { figure, of, heightOf, wordsOf, tick } = trend;
  const drawn = useMemo(() => {
    if (parts === undefined) return undefined;
    const { shown, before } = parts;
    return {
      names: shown.map(({ month }) => formatSeriesDate(month, 'short')),
      values: shown.map(heightOf),
      compared: before.map((month) => (month.customers === 0 ? null : heightOf(month))),
    };
  }, [parts, heightOf]);
  const name = figureName(figure);
  const last = parts?.shown.at(-1);
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex items-baseline justify-between gap-4">
        <span className="inline-flex items-center gap-1 text-soft">
          {name}
          <Definition figure={figure} />
        </span>
        <span className="figures text-base font-semibold">
          {last === undefined ? (
            <Skeleton className="w-20" />
          ) : (
            rows.link(of, last.month, wordsOf(last, currency))
          )}
        </span>
      </figcaption>
      {parts === undefined || drawn === undefined ? (
        <Skeleton className="h-50 w-full" />
      ) : (
        <TrendChart
          label={t`${name} by month. The same numbers are in the table view.`}
          names={drawn.names}
          values={drawn.values}
          compared={drawn.compared}
          hatchedFrom={drawn.values.length - 1}
          group="business"
          formatTick={(value) =>
            tick === 'money'
              ? formatAxisMoney(value, currency)
              : Number.isInteger(value)
                ? formatCount(value)
                : ''
          }
          tooltip={(index) => (
            <TrendTooltip
              month={parts.shown[index]}
              before={parts.before[index]}
              trend={trend}
              currency={currency}
            />
          )}
          onChoose={(index) => {
            const chosen = parts.shown[index];
            if (chosen !== undefined) rows.open(of, chosen.month);
          }}
        />
      )}
      {last === undefined ? null : (
        <HatchedNote>{t`In progress: ${formatSeriesDate(last.month, 'long')}`}</HatchedNote>
      )}
    </figure>
  );
}

interface TrendTooltipProps {
  readonly month: BusinessMonth | undefined;
  readonly before: BusinessMonth | undefined;
  readonly trend: Trend;
  readonly currency: string;
}

function TrendTooltip({ month, before, trend, currency }: TrendTooltipProps): ReactNode {
  const { heightOf, wordsOf } = trend;
  if (month === undefined) return null;
  const base = before === undefined ? 0 : heightOf(before);
  return (
    <>
      <div className="font-medium">
        {formatSeriesDate(month.month, 'long')}
        {month.running ? ` · ${t`in progress`}` : ''}
      </div>
      <div className="figures mt-0.5 text-sm font-semibold">{wordsOf(month, currency)}</div>
      {before === undefined || before.customers === 0 ? null : (
        <div className="figures mt-0.5 text-soft">
          {formatSeriesDate(before.month, 'long')}: {wordsOf(before, currency)}
          {base > 0 ? ` (${formatChange(heightOf(month) / base - 1)})` : ''}
        </div>
      )}
    </>
  );
}

interface MonthTableProps {
  readonly months: readonly BusinessMonth[] | undefined;
  readonly currency: string;
  readonly rows: BusinessRows;
  readonly outdated: boolean;
}

function MonthTable({ months, currency, rows, outdated }: MonthTableProps) {
  const money = (amount: string) => <Money amount={amount} currency={currency} />;
  const count = (of: RowsOf, month: string, plans: number) =>
    rows.link(of, month, <span className="figures">{formatCount(plans)}</span>);
  const columns: readonly Column<BusinessMonth>[] = [
    {
      title: t`Month`,
      grows: true,
      cell: ({ month, running }) => {
        const words = formatSeriesDate(month, 'long');
        const progress = <span className="block text-xs text-soft">{t`in progress`}</span>;
        return rows.link(
          'orders',
          month,
          <>
            {words}
            {running ? progress : null}
          </>,
        );
      },
    },
    { title: t`MRR`, align: 'end', cell: ({ mrr }) => money(mrr) },
    {
      title: t`Active plans`,
      align: 'end',
      from: 'sm',
      cell: ({ active_plans: plans }) => <span className="figures">{formatCount(plans)}</span>,
    },
    {
      title: t`New`,
      align: 'end',
      from: 'sm',
      cell: ({ month, new_plans: plans }) => count('new', month, plans),
    },
    {
      title: t`Won back`,
      align: 'end',
      from: 'xl',
      cell: ({ month, returned_plans: plans }) => count('new', month, plans),
    },
    {
      title: t`Renewed`,
      align: 'end',
      from: 'md',
      cell: ({ month, renewed_plans: plans }) => count('renewed', month, plans),
    },
    {
      title: t`Changed`,
      align: 'end',
      from: 'xl',
      cell: ({ month, changed_in_plans: plans }) => count('changed', month, plans),
    },
    {
      title: t`Lost`,
      align: 'end',
      from: 'sm',
      cell: ({ month, lost_plans: plans }) => count('lost', month, plans),
    },
    {
      title: t`Net MRR`,
      align: 'end',
      from: 'xl',
      cell: (month) => <Money amount={netOf(month)} currency={currency} signed />,
    },
    {
      title: t`Churn`,
      align: 'end',
      from: 'md',
      cell: ({ churn_percent: churn }) => <span className="figures">{formatPercent(churn)}</span>,
    },
    {
      title: t`Renewal rate`,
      align: 'end',
      from: 'lg',
      cell: ({ renewal_percent: rate }) => <span className="figures">{formatPercent(rate)}</span>,
    },
  ];
  return (
    <div className="border-t border-line">
      <DataTable
        caption={t`The business by month`}
        columns={columns}
        rows={months === undefined ? undefined : [...months].reverse()}
        rowKey={({ month }) => month}
        outdated={outdated}
        isDense
        phone={(month) =>
          t`${formatCount(month.active_plans)} active, ${formatCount(month.new_plans)} new, ${formatCount(month.lost_plans)} lost`
        }
        empty={<EmptyState icon={ChartNoAxesColumn} title={t`No months to show`} />}
      />
    </div>
  );
}

/** What the month added to MRR. */
function netOf(month: BusinessMonth): string {
  const { new_mrr, returned_mrr, expansion_mrr, contraction_mrr, lost_mrr } = month;
  const won = [new_mrr, returned_mrr, expansion_mrr].reduce((sum, amount) => sum + toCents(amount), 0n);
  return fromCents(won - toCents(contraction_mrr) - toCents(lost_mrr));
}
