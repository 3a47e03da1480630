// The operator's figures: growth from plans, revenue from the ledger, and the accounts behind both.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { UsersRound } from 'lucide-react';
import { businessQuery } from '../../api/business-queries.ts';
import { consoleOverviewQuery } from '../../api/console-queries.ts';
import { consoleOverviewParams } from '../../api/list-params.ts';
import { useMe } from '../../api/me.ts';
import type { ConsoleOverview } from '../../api/shapes.ts';
import { timesOfUtc } from '../../text/days.ts';
import { formatCount } from '../../text/language.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { figures } from '../../ui/figures.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { AccountLink, FigureLink } from '../../ui/page-links.tsx';
import { Stat, Stats } from '../../ui/stat.tsx';
import { TabLinks } from '../../ui/tab-links.tsx';
import { RowLink, TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { type List, useList } from '../../ui/use-list.ts';
import { BusinessAccountsCard } from '../business/business-accounts-card.tsx';
import {
  type BusinessRows,
  customersOf,
  isOfCustomers,
  kindsOf,
  type RowsOf,
} from '../business/business-rows.ts';
import { BusinessStats } from '../business/business-stats.tsx';
import { CalculatingNotice } from '../business/calculating-notice.tsx';
import { CohortsCard } from '../business/cohorts-card.tsx';
import { ForecastCard } from '../business/forecast-card.tsx';
import { PackagesCard } from '../business/packages-card.tsx';
import { monthSpans, TrendCard } from '../business/trend-card.tsx';
import { failingText } from '../fulfillment/product-words.ts';
import { SeriesCard, spans } from '../ledger/series-card.tsx';
import { SpendingCard } from '../ledger/spending-card.tsx';
import { RefusedAccountsCard } from '../request-log/refused-accounts-card.tsx';
import { RefusalsCard } from './refusals-card.tsx';
import { RunningOutLine } from './running-out-line.tsx';

type TopAccount = ConsoleOverview['top_accounts'][number];

const tabs = [
  { tab: 'growth', title: t`Growth` },
  { tab: 'revenue', title: t`Revenue` },
  { tab: 'accounts', title: t`Accounts` },
] as const;

type Search = List<(typeof consoleOverviewParams)[number]>['search'];

/** A link with a part's parameter opens the tab of that part. */
function tabOf({ tab, code, accounts, span, view, by }: Search): (typeof tabs)[number]['tab'] {
  const named = tabs.find((one) => one.tab === tab);
  if (named !== undefined) return named.tab;
  if (code !== undefined || accounts !== undefined) return 'accounts';
  return span !== undefined || view !== undefined || by !== undefined ? 'revenue' : 'growth';
}

export function ConsoleOverviewPage() {
  const { currency } = useMe().account;
  const { search, change } = useList(consoleOverviewParams);
  const span = spans.find(({ value }) => value === search.span) ?? spans[0];
  const query = useQuery(consoleOverviewQuery(span.query));
  const { data, error } = query;
  const chosen = tabOf(search);
  return (
    <>
      <PageHeader
        title={t`Business`}
        description={<RunningOutLine />}
        actions={<ButtonLink to="/forecast" search={{}}>{t`Weekly email`}</ButtonLink>}
      />
      <div className="page-stack gap-4 lg:gap-5">
        <AttentionNotice orders={data?.orders} />
        <TabLinks label={t`Parts of the business`} tabs={tabs} chosen={chosen} />
        {chosen === 'growth' ? (
          <>
            <GrowthCards currency={currency} />
            <TopAccountsCard data={data} span={span} currency={currency} error={error} />
          </>
        ) : null}
        {chosen === 'revenue' ? <RevenueCards query={query} span={span} currency={currency} /> : null}
        {chosen === 'accounts' ? (
          <>
            <BusinessAccountsCard
              sort={search.accounts === 'mrr' ? 'mrr' : 'runs_out_on'}
              onSort={(sort) => change({ accounts: sort === 'mrr' ? sort : '' })}
              currency={currency}
            />
            {search.code === undefined || data === undefined ? null : (
              <RefusedAccountsCard
                code={search.code}
                span={{ from: data.span.from.slice(0, 10), to: data.span.to.slice(0, 10) }}
                onClose={() => change({ code: '' })}
              />
            )}
            <RefusalsCard data={data} words={span.words} code={search.code} error={error} />
          </>
        ) : null}
      </div>
    </>
  );
}

interface RevenueCardsProps {
  readonly query: UseQueryResult<ConsoleOverview>;
  readonly span: (typeof spans)[number];
  readonly currency: string;
}

/** From the ledger. The figures of growth are sums of their own. */
function RevenueCards({ query, span, currency }: RevenueCardsProps) {
  const { search, change } = useList(consoleOverviewParams);
  const navigate = useNavigate();
  const { data, error, refetch, isPlaceholderData } = query;
  return (
    <>
      <Figures data={data} span={span} currency={currency} />
      <SeriesCard
        title={t`Revenue and orders`}
        moneyName={t`Revenue`}
        series={data?.series}
        error={error}
        onRetry={() => void refetch()}
        currency={currency}
        span={span.value}
        onSpan={(value) => change({ span: value === 'days' ? '' : value })}
        view={search.view === 'table' ? 'table' : 'chart'}
        onView={(view) => change({ view: view === 'chart' ? '' : view })}
        outdated={isPlaceholderData}
        rows={{
          onOpen: ({ date }, of) =>
            void navigate({
              to: '/admin/revenue',
              search: { ...timesOfUtc(date), ...(of === 'orders' && { sort: 'orders' }) },
            }),
          link: ({ date }, words) => (
            <RowLink to="/admin/revenue" search={timesOfUtc(date)}>
              {words}
            </RowLink>
          ),
        }}
      />
      <SpendingCard
        title={t`Revenue by package and type`}
        spending={data?.spending}
        totals={data?.totals}
        error={error}
        currency={currency}
        span={span.value}
        moneyName={t`Revenue`}
        by={search.by === 'kind' ? 'kind' : 'package'}
        onBy={(by) => change({ by: by === 'package' ? '' : by })}
        outdated={isPlaceholderData}
        link={({ key, name }) => (
          <RowLink
            to="/admin/revenue"
            search={{
              ...(data !== undefined && { from: data.span.from, to: data.span.to }),
              ...(search.by === 'kind' ? { kind: key } : { package_id: key }),
            }}
          >
            <bdi>{name}</bdi>
          </RowLink>
        )}
      />
      <ForecastCard currency={currency} />
    </>
  );
}

/** Plans and MRR, from sums of their own. Revenue is from the ledger. */
function GrowthCards({ currency }: { readonly currency: string }) {
  const { search, change } = useList(consoleOverviewParams);
  const navigate = useNavigate();
  const span = monthSpans.find(({ value }) => value === search.months) ?? monthSpans[0];
  const { data, error, refetch, isPlaceholderData } = useQuery(
    businessQuery('/admin/v1', { months: 2 * span.months }),
  );
  const months = data?.ready === false ? undefined : data?.months;
  const rows: BusinessRows = {
    link: (of, month, words, packageId) =>
      isOfCustomers(of) ? (
        <FigureLink to="/admin/customers" search={customersOf(of, month, packageId)}>
          {words}
        </FigureLink>
      ) : (
        <FigureLink to="/admin/revenue" search={revenueOf(of, month)}>
          {words}
        </FigureLink>
      ),
    open: (of, month) =>
      void (isOfCustomers(of)
        ? navigate({ to: '/admin/customers', search: customersOf(of, month) })
        : navigate({ to: '/admin/revenue', search: revenueOf(of, month) })),
  };
  return (
    <>
      {data?.ready === false ? <CalculatingNotice /> : null}
      <BusinessStats months={months} currency={currency} rows={rows} />
      <TrendCard
        of="/admin/v1"
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
      <PackagesCard of="/admin/v1" months={span.months} currency={currency} rows={rows} />
      <CohortsCard of="/admin/v1" currency={currency} rows={rows} />
    </>
  );
}

interface PartProps {
  readonly data: ConsoleOverview | undefined;
  readonly span: { readonly words: string };
}

function Figures({ data, span, currency }: PartProps & { readonly currency: string }) {
  const totals = data?.totals;
  const figure = (amount: string | undefined, sort: { readonly sort?: string }) =>
    data && amount !== undefined ? (
      <FigureLink to="/admin/revenue" search={{ from: data.span.from, to: data.span.to, ...sort }}>
        <Money amount={amount} currency={currency} />
      </FigureLink>
    ) : undefined;
  return (
    <Stats>
      <Stat name={t`Revenue`} value={figure(totals?.spent, {})} note={t`${span.words}, less refunds`} />
      <Stat
        name={t`Orders`}
        value={
          data &&
          totals && (
            <FigureLink
              to="/admin/revenue"
              search={{ from: data.span.from, to: data.span.to, sort: 'orders' }}
            >
              {formatCount(totals.orders)}
            </FigureLink>
          )
        }
        note={span.words}
      />
      <Stat
        name={t`Refunded`}
        value={figure(totals?.refunded, { sort: 'refunded' })}
        note={t`For unused time of changed and canceled plans, and for failed orders`}
      />
      <Stat
        name={t`Expiring soon`}
        value={
          data && (
            <FigureLink to="/admin/customers" search={{ from: data.expiring.from, to: data.expiring.to }}>
              {formatCount(data.expiring.count)}
            </FigureLink>
          )
        }
        note={t`Next 14 days, all accounts`}
      />
    </Stats>
  );
}

interface TopAccountsProps extends PartProps {
  readonly currency: string;
  readonly error: Error | null;
}

function TopAccountsCard({ data, span, currency, error }: TopAccountsProps) {
  const columns: readonly Column<TopAccount>[] = [
    {
      title: t`Account`,
      grows: true,
      cell: ({ account }) => (
        <TwoLines
          first={
            <AccountLink id={account.id} row>
              {account.username}
            </AccountLink>
          }
          second={<bdi>{account.display_name === account.username ? '' : account.display_name}</bdi>}
        />
      ),
    },
    { title: t`Orders`, align: 'end', cell: (row) => figures(row.orders) },
    { title: t`Spent`, align: 'end', cell: ({ spent }) => <Money amount={spent} currency={currency} /> },
  ];
  return (
    <Card
      title={t`Top accounts`}
      description={t`${span.words}, by spending.`}
      action={
        <ButtonLink
          to="/admin/revenue"
          search={data === undefined ? {} : { from: data.span.from, to: data.span.to }}
        >
          {t`Show all`}
        </ButtonLink>
      }
      lined
    >
      <DataTable
        caption={t`Accounts by spending`}
        columns={columns}
        rows={data?.top_accounts}
        rowKey={({ account }) => account.id}
        error={error}
        empty={
          <EmptyState icon={UsersRound} title={t`No orders yet`}>
            {t`Create an account and add credit. Its orders are counted here.`}
          </EmptyState>
        }
      />
    </Card>
  );
}

function AttentionNotice({ orders }: { readonly orders: ConsoleOverview['orders'] | undefined }) {
  if (orders === undefined || (orders.attention.count === 0 && orders.failing.count === 0)) return null;
  const { attention, failing } = orders;
  return (
    <Notice tone="warn">
      {failing.count === 0 ? null : (
        <p>
          <TextLink to="/admin/attention">{failingText(failing)}</TextLink>{' '}
          {failing.since === null ? null : (
            <Trans>
              since <Time at={failing.since} style="minute" />. They are retried automatically.
            </Trans>
          )}
        </p>
      )}
      {attention.count === 0 ? null : (
        <p>
          <TextLink to="/admin/attention">
            {attention.more
              ? t`More than ${formatCount(attention.count)} calls need your attention`
              : plural(attention.count, {
                  one: '# call needs your attention',
                  other: '# calls need your attention',
                })}
          </TextLink>
          {'. '}
          {t`The product didn’t accept them in time. They aren’t retried.`}
        </p>
      )}
    </Notice>
  );
}

function revenueOf(of: RowsOf, month: string | null) {
  const kind = kindsOf[of];
  return { ...(kind !== undefined && { kind }), ...(month !== null && timesOfUtc(month)) };
}
