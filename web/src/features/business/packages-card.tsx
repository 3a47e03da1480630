import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { PackageOpen } from 'lucide-react';
import { type BusinessOf, businessQuery } from '../../api/business-queries.ts';
import type { Business } from '../../api/shapes.ts';
import { formatMoney, fromCents, toCents } from '../../text/amounts.ts';
import { formatCount } from '../../text/language.ts';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/money.tsx';
import type { BusinessRows } from './business-rows.ts';

type PackageRow = Business['packages'][number];

interface PackagesCardProps {
  readonly of: BusinessOf;
  readonly months: number;
  readonly currency: string;
  readonly rows: BusinessRows;
}

export function PackagesCard({ of, months, currency, rows }: PackagesCardProps) {
  const { data, error, isPlaceholderData } = useQuery(businessQuery(of, { months }));
  const count = (plans: number) => <span className="figures">{formatCount(plans)}</span>;
  const columns: readonly Column<PackageRow>[] = [
    {
      title: t`Package`,
      grows: true,
      cell: ({ package: { id, name } }) => rows.link('active', null, <bdi>{name}</bdi>, id),
    },
    { title: t`MRR`, align: 'end', cell: ({ mrr }) => <Money amount={mrr} currency={currency} /> },
    {
      title: t`Change`,
      align: 'end',
      from: 'md',
      cell: (row) => <Money amount={changeOf(row)} currency={currency} signed />,
    },
    { title: t`Active plans`, align: 'end', from: 'sm', cell: ({ active_plans: plans }) => count(plans) },
    { title: t`New`, align: 'end', from: 'lg', cell: ({ new_plans: plans }) => count(plans) },
    { title: t`Changed to it`, align: 'end', from: 'xl', cell: (row) => count(row.changed_in_plans) },
    { title: t`Changed from it`, align: 'end', from: 'xl', cell: (row) => count(row.changed_out_plans) },
    { title: t`Lost`, align: 'end', from: 'lg', cell: ({ lost_plans: plans }) => count(plans) },
  ];
  return (
    <Card
      title={t`Packages`}
      description={t`MRR and active plans today, and what happened in the months above.`}
      lined
    >
      <DataTable
        caption={t`MRR by package`}
        columns={columns}
        rows={data?.packages}
        rowKey={(row) => row.package.id}
        error={error}
        outdated={isPlaceholderData}
        phone={(row) =>
          `${plural(row.active_plans, { one: '# active plan', other: '# active plans' })}, ${formatMoney(changeOf(row), currency, true)}`
        }
        empty={<EmptyState icon={PackageOpen} title={t`No plans yet`} />}
      />
    </Card>
  );
}

function changeOf({ mrr, before }: PackageRow): string {
  return fromCents(toCents(mrr) - toCents(before.mrr));
}
