// An account's plans and MRR in the console, with links to the other tabs of its page.

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { businessQuery } from '../../api/business-queries.ts';
import type { Account } from '../../api/shapes.ts';
import { timesOfUtc } from '../../text/days.ts';
import { FigureLink } from '../../ui/page-links.tsx';
import { useList } from '../../ui/use-list.ts';
import {
  type BusinessRows,
  customersOf,
  isOfCustomers,
  kindsOf,
  type RowsOf,
} from '../business/business-rows.ts';
import { BusinessStats } from '../business/business-stats.tsx';
import { CalculatingNotice } from '../business/calculating-notice.tsx';
import { monthSpans, TrendCard } from '../business/trend-card.tsx';

export function AccountBusiness({ account }: { readonly account: Account }) {
  const { currency } = account;
  const { search, change } = useList(['months', 'growth']);
  const navigate = useNavigate();
  const span = monthSpans.find(({ value }) => value === search.months) ?? monthSpans[0];
  const { data, error, refetch, isPlaceholderData } = useQuery(
    businessQuery('/admin/v1', { months: 2 * span.months, account_id: account.id }),
  );
  const months = data?.ready === false ? undefined : data?.months;
  const rows: BusinessRows = {
    link: (of, month, words) => (
      <FigureLink to="." search={tabOf(of, month)} resetScroll={false}>
        {words}
      </FigureLink>
    ),
    open: (of, month) => void navigate({ to: '.', search: tabOf(of, month), resetScroll: false }),
  };
  return (
    <>
      {data?.ready === false ? <CalculatingNotice /> : null}
      <BusinessStats months={months} currency={currency} rows={rows} />
      <TrendCard
        of="/admin/v1"
        accountId={account.id}
        months={months}
        error={error}
        onRetry={() => void refetch()}
        outdated={isPlaceholderData}
        currency={currency}
        span={span}
        onSpan={(value) => change({ months: value === monthSpans[0].value ? '' : value })}
        view={search.growth === 'table' ? 'table' : 'chart'}
        onView={(view) => change({ growth: view === 'chart' ? '' : view })}
        rows={rows}
      />
    </>
  );
}

function tabOf(of: RowsOf, month: string | null) {
  if (isOfCustomers(of)) return { tab: 'customers', ...customersOf(of, month) };
  const kind = kindsOf[of];
  return { tab: 'orders', ...(kind !== undefined && { kind }), ...(month !== null && timesOfUtc(month)) };
}
