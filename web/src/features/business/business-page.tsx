// A reseller's own business: the same figures as the operator's, of one account.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { businessQuery } from '../../api/business-queries.ts';
import { useMe } from '../../api/me.ts';
import { timesOfUtc } from '../../text/days.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { FigureLink } from '../../ui/page-links.tsx';
import { useList } from '../../ui/use-list.ts';
import { type BusinessRows, customersOf, isOfCustomers, kindsOf, type RowsOf } from './business-rows.ts';
import { BusinessStats } from './business-stats.tsx';
import { CalculatingNotice } from './calculating-notice.tsx';
import { CohortsCard } from './cohorts-card.tsx';
import { PackagesCard } from './packages-card.tsx';
import { monthSpans, TrendCard } from './trend-card.tsx';

export function BusinessPage() {
  const { currency } = useMe().account;
  const { search, change } = useList(['months', 'view']);
  const navigate = useNavigate();
  const span = monthSpans.find(({ value }) => value === search.months) ?? monthSpans[0];
  const { data, error, refetch, isPlaceholderData } = useQuery(
    businessQuery('/v1', { months: 2 * span.months }),
  );
  const rows: BusinessRows = {
    link: (of, month, words, packageId) =>
      isOfCustomers(of) ? (
        <FigureLink to="/customers" search={customersOf(of, month, packageId)}>
          {words}
        </FigureLink>
      ) : (
        <FigureLink to="/orders" search={ordersOf(of, month)}>
          {words}
        </FigureLink>
      ),
    open: (of, month) =>
      void (isOfCustomers(of)
        ? navigate({ to: '/customers', search: customersOf(of, month) })
        : navigate({ to: '/orders', search: ordersOf(of, month) })),
  };
  const months = data?.ready === false ? undefined : data?.months;
  return (
    <>
      <PageHeader
        title={t`Business`}
        description={t`Your plans at the prices that you pay: what they cost each month, what is new and what is lost.`}
        actions={<ButtonLink to="/forecast" search={{}}>{t`Weekly email`}</ButtonLink>}
      />
      <div className="page-stack gap-4 lg:gap-5">
        {data?.ready === false ? <CalculatingNotice /> : null}
        <BusinessStats months={months} currency={currency} rows={rows} />
        <TrendCard
          of="/v1"
          months={months}
          error={error}
          onRetry={() => void refetch()}
          outdated={isPlaceholderData}
          currency={currency}
          span={span}
          onSpan={(value) => change({ months: value === monthSpans[0].value ? '' : value })}
          view={search.view === 'table' ? 'table' : 'chart'}
          onView={(view) => change({ view: view === 'chart' ? '' : view })}
          rows={rows}
        />
        <PackagesCard of="/v1" months={span.months} currency={currency} rows={rows} />
        <CohortsCard of="/v1" currency={currency} rows={rows} />
      </div>
    </>
  );
}

function ordersOf(of: RowsOf, month: string | null) {
  const kind = kindsOf[of];
  return { ...(kind !== undefined && { kind }), ...(month !== null && timesOfUtc(month)) };
}
