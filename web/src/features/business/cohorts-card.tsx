import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { UsersRound } from 'lucide-react';
import { type BusinessOf, cohortsQuery } from '../../api/business-queries.ts';
import type { Cohorts } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { formatCount } from '../../text/language.ts';
import { formatPercent } from '../../text/percent.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { Card } from '../../ui/card.tsx';
import { CsvButton } from '../../ui/csv-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { BusinessRows } from './business-rows.ts';
import { Definition } from './definition.tsx';

type Cohort = Cohorts['cohorts'][number];

const shownMonths = 12;
/** The month of the order has no column, and the running month is not over. */
const laterMonths = shownMonths - 2;

interface CohortsCardProps {
  readonly of: BusinessOf;
  readonly currency: string;
  readonly rows: BusinessRows;
}

export function CohortsCard({ of, currency, rows }: CohortsCardProps) {
  const { data, error, isPlaceholderData } = useQuery(cohortsQuery(of, { months: shownMonths }));
  const columns: readonly Column<Cohort>[] = [
    {
      title: t`First order`,
      cell: ({ month }) => rows.link('new', month, formatSeriesDate(month, 'short')),
    },
    {
      title: t`Customers`,
      align: 'end',
      cell: ({ customers }) => <span className="figures">{formatCount(customers)}</span>,
    },
    ...Array.from({ length: laterMonths }, (_, index): Column<Cohort> => {
      const after = index + 1;
      return {
        title: `+${after}`,
        align: 'end',
        cell: ({ kept }) => <Kept kept={kept[after]} currency={currency} />,
      };
    }),
  ];
  return (
    <Card
      title={t`Customers kept`}
      description={
        <>
          {t`The share of customers with an active plan, by months after their first order.`}
          {'\u00a0'}
          <Definition figure="cohorts" />
        </>
      }
      action={
        <CsvButton
          path={`${of}/business/cohorts`}
          query={{ months: 60 }}
          name="cohorts"
          label={t`Export cohorts as CSV`}
        />
      }
      lined
    >
      <DataTable
        caption={t`Customers kept, by month of the first order`}
        columns={columns}
        rows={data?.cohorts.filter(({ customers }) => customers > 0)}
        rowKey={({ month }) => month}
        error={error}
        outdated={isPlaceholderData}
        empty={<EmptyState icon={UsersRound} title={t`No customers yet`} />}
      />
    </Card>
  );
}

interface KeptProps {
  readonly kept: Cohort['kept'][number] | undefined;
  readonly currency: string;
}

/** Shaded by the share. The text stays readable on the strongest shade in both themes. */
const shadeMax = 35;

function Kept({ kept, currency }: KeptProps) {
  if (kept === undefined) return null;
  const { plans, mrr, percent } = kept;
  const shade = Math.round(((percent ?? 0) * shadeMax) / 100);
  return (
    <span
      className="figures inline-block min-w-12 rounded px-1.5 py-0.5 text-center text-xs"
      style={{ backgroundColor: `color-mix(in srgb, var(--accent) ${shade}%, transparent)` }}
      title={`${plural(plans, { one: '# customer', other: '# customers' })}, ${formatMoney(mrr, currency)} MRR`}
    >
      {formatPercent(percent === null ? null : Math.round(percent))}
    </span>
  );
}
