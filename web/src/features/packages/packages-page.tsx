import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Package, Plus } from 'lucide-react';
import { useMay } from '../../api/person.ts';
import { allPackagesQuery } from '../../api/queries.ts';
import type { AdminPackage, Business, Group } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { formatChange } from '../../text/language.ts';
import { periodsOf } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { figures } from '../../ui/figures.tsx';
import { Money } from '../../ui/money.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { FigureLink } from '../../ui/page-links.tsx';
import { RowLink } from '../../ui/text-link.tsx';

import { LimitsCard } from './limits-card.tsx';
import { packageBusinessQuery } from './package-figures.tsx';
import { savingPercent } from './saving-percent.ts';

type PackageSums = ReadonlyMap<number, Business['packages'][number]> | undefined;

const columnsOf = (sums: PackageSums): readonly Column<AdminPackage>[] => [
  {
    title: t`Package`,
    grows: true,
    cell: ({ id, name, description, features, retired, trial }) => (
      <TwoLines
        first={
          <span className="inline-flex max-w-full items-center gap-2">
            <RowLink to="/admin/packages/$packageId" params={{ packageId: String(id) }}>
              <bdi>{name}</bdi>
            </RowLink>
            {retired ? <Badge>{t`Retired`}</Badge> : null}
            {trial ? <Badge tone="accent">{t`Free trial`}</Badge> : null}
          </span>
        }
        second={
          <>
            {t`No. ${id} · ${plural(features.length, { one: '# feature', other: '# features' })}`}
            {description === null ? null : (
              <span className="block truncate">
                <bdi>{description}</bdi>
              </span>
            )}
          </>
        }
      />
    ),
  },
  {
    title: t`Active plans`,
    align: 'end',
    from: 'lg',
    cell: ({ id }) =>
      sums && (
        <FigureLink to="/admin/customers" search={{ state: 'active', package_id: String(id) }}>
          {figures(sums.get(id)?.active_plans ?? 0)}
        </FigureLink>
      ),
  },
  {
    title: t`MRR`,
    align: 'end',
    from: 'lg',
    cell: ({ id, currency }) => sums && <Money amount={sums.get(id)?.mrr ?? '0.00'} currency={currency} />,
  },
  {
    title: t`Reseller pays`,
    align: 'end',
    from: 'sm',
    cell: (one) => <PriceList one={one} group="reseller" />,
  },
  {
    title: t`Distributor pays`,
    align: 'end',
    from: 'sm',
    cell: (one) => <PriceList one={one} group="distributor" />,
  },
];

export function PackagesPage() {
  const query = useQuery(allPackagesQuery);
  const { data: business } = useQuery(packageBusinessQuery);
  const sums: PackageSums = business && new Map(business.packages.map((row) => [row.package.id, row]));
  const create = useMay()('admin:packages') ? (
    <ButtonLink icon={Plus} look="primary" to="/admin/packages/$packageId" params={{ packageId: 'new' }}>
      {t`Create package`}
    </ButtonLink>
  ) : null;
  return (
    <>
      <PageHeader title={t`Packages`} actions={create} />
      <div className="page-stack gap-5">
        <Card flush>
          <DataTable
            caption={t`Packages`}
            columns={columnsOf(sums)}
            {...tableState(query)}
            rowKey={({ id }) => id}
            phone={(one) => <OnPhone one={one} sums={sums} />}
            empty={
              <EmptyState icon={Package} title={t`No packages yet`} action={create}>
                {t`Packages are what accounts order. Each has a name, limits, and a price for each group and period.`}
              </EmptyState>
            }
          />
        </Card>
        <LimitsCard />
      </div>
    </>
  );
}

interface OnPhoneProps {
  readonly one: AdminPackage;
  readonly sums: PackageSums;
}

function OnPhone({ one, sums }: OnPhoneProps) {
  const { active_plans: plans = 0, mrr = '0.00' } = sums?.get(one.id) ?? {};
  return (
    <>
      {sums && (
        <span className="block">
          {t`Active plans`} {figures(plans)} · {t`MRR`} <Money amount={mrr} currency={one.currency} />
        </span>
      )}
      {one.trial ? <PriceList one={one} group="reseller" /> : <PhonePrices one={one} />}
    </>
  );
}

function PhonePrices({ one }: { readonly one: AdminPackage }) {
  return (
    <span className="mt-1 grid grid-cols-[1fr_auto_auto] gap-x-4 leading-5">
      <span />
      <span className="text-right">{t`Reseller pays`}</span>
      <span className="text-right">{t`Distributor pays`}</span>
      {periodsOf(one).map(({ period, title }) => (
        <span key={period} className="contents">
          <span>{title}</span>
          {(['reseller', 'distributor'] as const).map((group) => (
            <span key={group} className="text-right text-ink">
              <Money amount={one.prices[group][period]} currency={one.currency} />
            </span>
          ))}
        </span>
      ))}
    </span>
  );
}

function PriceList({ one, group }: { readonly one: AdminPackage; readonly group: Group }) {
  if (one.trial)
    return (
      <span className="text-soft">
        {t`Free, ${plural(one.duration_days, { one: '# day', other: '# days' })}`}
      </span>
    );
  const prices = one.prices[group];
  return (
    <dl className="inline-grid grid-cols-[auto_minmax(2.75rem,auto)_minmax(4rem,auto)] gap-x-2 py-1 text-xs leading-5 whitespace-nowrap">
      {periodsOf(one).map(({ months, period, title }) => {
        const saving = savingPercent(prices[period], prices.monthly, months) ?? 0;
        return (
          <div key={period} className="contents">
            <dt className="text-left text-soft">{title}</dt>
            <dd className="text-right text-soft">{saving > 0 ? formatChange(-saving / 100) : ''}</dd>
            <dd className="text-right">
              <Money amount={prices[period]} currency={one.currency} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
