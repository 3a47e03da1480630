// The start page: balance, spending, ending plans and whether the balance covers them.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CalendarCheck } from 'lucide-react';
import { overviewParams } from '../../api/list-params.ts';
import { useMe } from '../../api/me.ts';
import { panelMode } from '../../api/panel-mode.ts';
import { useMay } from '../../api/person.ts';
import { forecastQuery, overviewQuery } from '../../api/queries.ts';
import type { Overview, PanelCustomer } from '../../api/shapes.ts';
import { formatMoney, toCents } from '../../text/amounts.ts';
import { changeShare } from '../../text/change-share.ts';
import { timesOfUtc } from '../../text/days.ts';
import { formatChange, formatCount } from '../../text/language.ts';
import { planTimeLeft } from '../../text/plan-time.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { referenceBeside } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { CustomerLink, FigureLink } from '../../ui/page-links.tsx';
import { Stat, Stats } from '../../ui/stat.tsx';
import { RowLink, TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { SeriesCard, type Span, spans } from '../ledger/series-card.tsx';
import { SpendingCard, type SpendingGroup } from '../ledger/spending-card.tsx';
import { useOpenOrder } from '../orders/open-order.ts';
import { PlaceOrderButton } from '../orders/place-order-button.tsx';
import { AddFundsLink, ReceivableNotice } from '../payments/funds-parts.tsx';
import { RefusedRequestsCard } from '../request-log/refused-requests-card.tsx';
import { FirstSteps } from './first-steps.tsx';

const forecastDays = 30;
/** The balance is in a warning color if it runs out within these. */
const warningDays = 14;
const dayMilliseconds = 86_400_000;
/** If only the icon fits, the text wraps onto a hidden line. */
const shrinkingLink =
  '-my-2 -mr-2.5 min-w-0 flex-wrap content-start overflow-hidden !justify-end gap-y-8 !px-2.5 py-2 ' +
  'max-h-9 pointer-coarse:max-h-11 pointer-coarse:py-3 !text-accent';

export function OverviewPage() {
  const { account, checklist } = useMe();
  const { search, change } = useList(overviewParams);
  const navigate = useNavigate();
  const openOrder = useOpenOrder();
  const span = spans.find(({ value }) => value === search.span) ?? spans[0];
  const { data, error, refetch, isPlaceholderData } = useQuery(overviewQuery(span.query));
  const may = useMay();
  const isLive = panelMode === 'live';
  const isNew = !checklist.first_order || !checklist.key_viewed;
  // Nothing to draw or to total before the first order.
  const isEmpty = isLive && account.order_count === 0;

  return (
    <>
      <PageHeader
        title={t`Overview`}
        actions={<PlaceOrderButton onClick={() => openOrder({ type: 'place' })} />}
      />
      <div className="page-stack gap-4 lg:gap-5">
        {isLive && isNew ? <FirstSteps checklist={checklist} /> : null}
        <ReceivableNotice />
        <EndpointNotices overview={data} />
        <Attention overview={data} inSpan={span.words} />
        <Figures overview={data} span={span.value} />
        {isEmpty ? null : (
          <>
            <SeriesCard
              title={t`Spending and orders`}
              moneyName={t`Spending`}
              series={data?.series}
              error={error}
              onRetry={() => void refetch()}
              currency={account.currency}
              span={span.value}
              onSpan={(value) => change({ span: value === 'days' ? '' : value })}
              view={search.view === 'table' ? 'table' : 'chart'}
              onView={(view) => change({ view: view === 'chart' ? '' : view })}
              outdated={isPlaceholderData}
              rows={{
                onOpen: ({ date }, of) =>
                  void navigate({ to: of === 'money' ? '/ledger' : '/orders', search: timesOfUtc(date) }),
                link: ({ date }, words) => (
                  <RowLink to="/orders" search={timesOfUtc(date)}>
                    {words}
                  </RowLink>
                ),
              }}
            />
            <SpendingCard
              title={t`Spending by package and type`}
              spending={data?.spending}
              totals={data?.totals}
              error={error}
              currency={account.currency}
              span={span.value}
              by={search.by === 'kind' ? 'kind' : 'package'}
              onBy={(by) => change({ by: by === 'package' ? '' : by })}
              outdated={isPlaceholderData}
              link={(group) => <SpendingLink group={group} span={data?.span} by={search.by} />}
            />
          </>
        )}
        {isEmpty && (data?.expiring.count ?? 0) === 0 ? null : (
          <ExpiringPlans overview={data} error={error} />
        )}
        {isLive && may('keys:read') ? <RefusedRequestsCard /> : null}
        {isLive && !isNew && !checklist.allow_list ? <FirstSteps checklist={checklist} /> : null}
      </div>
    </>
  );
}

interface SpendingLinkProps {
  readonly group: SpendingGroup;
  readonly span: Overview['span'] | undefined;
  readonly by: string | undefined;
}

/** Links to the orders of a package or kind. For canceled plans, links to the ledger's refunds. */
function SpendingLink({ group, span, by }: SpendingLinkProps) {
  const times = { from: span?.from ?? '', to: span?.to ?? '' };
  const name = <bdi>{group.name}</bdi>;
  if (by !== 'kind')
    return (
      <RowLink to="/orders" search={{ package_id: group.key, ...times }}>
        {name}
      </RowLink>
    );
  return group.key === 'cancel' ? (
    <RowLink to="/ledger" search={{ kind: 'refund', ...times }}>
      {name}
    </RowLink>
  ) : (
    <RowLink to="/orders" search={{ kind: group.key, ...times }}>
      {name}
    </RowLink>
  );
}

interface AttentionProps {
  readonly overview: Overview | undefined;
  /** For example "In the last 30 days". */
  readonly inSpan: string;
}

function Attention({ overview, inSpan }: AttentionProps) {
  if (overview === undefined) return null;
  const { orders, renewals_failed: renewals, span } = overview;
  const { pending, failed } = orders;
  if (pending.count + failed.count + renewals.count === 0) return null;
  return (
    <Card title={t`Needs a look`}>
      <ul className="flex flex-col gap-2">
        {pending.count === 0 ? null : (
          <li>
            <TextLink to="/orders" search={{ status: 'pending' }}>
              {plural(pending.count, {
                one: '# order is waiting for the product',
                other: '# orders are waiting for the product',
              })}
            </TextLink>
          </li>
        )}
        {failed.count === 0 ? null : (
          <li>
            <TextLink to="/orders" search={{ status: 'failed', from: span.from, to: span.to }}>
              {plural(failed.count, {
                one: '# order failed and was refunded',
                other: '# orders failed and were refunded',
              })}
            </TextLink>{' '}
            <span className="text-soft">{inSpan}</span>
          </li>
        )}
        {renewals.customers.map(({ id, name, code, at }) => (
          <li key={id}>
            <CustomerLink id={id}>{name}</CustomerLink>{' '}
            <span className="text-soft">
              <Trans>
                could not be renewed: <code>{code}</code>, <Time at={at} style="relative" />
              </Trans>
            </span>
          </li>
        ))}
        {renewals.count > renewals.customers.length ? (
          <li className="text-soft">
            {plural(renewals.count, {
              one: '# renewal failed in the last 7 days',
              other: '# renewals failed in the last 7 days; the latest are above',
            })}
          </li>
        ) : null}
      </ul>
    </Card>
  );
}

/** Endpoints that the service disabled. Only a person can enable them again. */
function EndpointNotices({ overview }: { readonly overview: Overview | undefined }) {
  const { event_days: eventDays } = useMe().kept;
  return overview?.notices.map(({ webhook, reason, at }) => (
    <Notice
      key={webhook.id}
      tone="warn"
      action={
        <ButtonLink to="/webhooks/$webhookId" params={{ webhookId: String(webhook.id) }}>
          {t`Open endpoint`}
        </ButtonLink>
      }
    >
      <Trans>
        The endpoint <bdi title={webhook.url}>{webhook.url.replace(/^https?:\/\//, '')}</bdi> was disabled (
        <Time at={at} />
        ).
      </Trans>{' '}
      {reason === 'gone' ? t`It returned 410.` : t`It failed for five days.`}{' '}
      {t`Missed events are kept for ${eventDays} days.`}
    </Notice>
  ));
}

interface FiguresProps {
  readonly overview: Overview | undefined;
  readonly span: Span;
}

function Figures({ overview, span: chosen }: FiguresProps) {
  const { account } = useMe();
  const { currency } = account;
  // These counts are of live data, so they are hidden in test mode.
  const isLive = panelMode === 'live';
  const { span, totals } = overview ?? {};
  const expiring = overview?.expiring;
  return (
    <Stats>
      <Stat
        name={t`Balance`}
        value={
          <FigureLink to="/forecast">
            <Money amount={account.balance} currency={currency} />
          </FigureLink>
        }
        note={<RenewalNote />}
        action={<AddFundsLink look="quiet" className={shrinkingLink} />}
      />
      <Stat
        name={chosen === 'days' ? t`Spending, 30 days` : t`Spending, 12 months`}
        value={
          span &&
          totals && (
            <FigureLink to="/ledger" search={{ from: span.from, to: span.to }}>
              <Money amount={totals.spent} currency={currency} />
            </FigureLink>
          )
        }
        note={
          totals &&
          (changeNote(toCents(totals.spent), toCents(totals.previous.spent), chosen) ?? t`Less refunds`)
        }
      />
      <Stat
        name={chosen === 'days' ? t`Orders, 30 days` : t`Orders, 12 months`}
        value={
          span &&
          totals && (
            <FigureLink to="/orders" search={{ from: span.from, to: span.to }}>
              {formatCount(totals.orders)}
            </FigureLink>
          )
        }
        note={
          totals &&
          (changeNote(BigInt(totals.orders), BigInt(totals.previous.orders), chosen) ??
            (isLive ? t`${formatCount(account.order_count)} in total` : ' '))
        }
      />
      <Stat
        name={t`Expiring in 14 days`}
        value={
          expiring && (
            <FigureLink to="/customers" search={{ from: expiring.from, to: expiring.to }}>
              {formatCount(expiring.count)}
            </FigureLink>
          )
        }
        note={isLive ? activeWords(overview?.customers) : ' '}
      />
    </Stats>
  );
}

/** Says "398 active of 574 customers", because most customers' plans ended long ago. */
function activeWords(customers: Overview['customers'] | undefined): string {
  if (customers === undefined) return '';
  const { running, total } = customers;
  const active = `${formatCount(running.count)}${running.more ? '+' : ''}`;
  return plural(total, { one: `${active} active of # customer`, other: `${active} active of # customers` });
}

/** Such as "+22% vs the 30 days before". null if there is nothing to compare with. */
function changeNote(now: bigint, before: bigint, span: Span): string | null {
  const share = changeShare(now, before);
  if (share === null) return null;
  const change = formatChange(share);
  return span === 'days' ? t`${change} vs the 30 days before` : t`${change} vs the 12 months before`;
}

/** The forecast's first 30 days, in a line: the page “Forecast and alerts” begins with the same answer. */
function RenewalNote() {
  const { data } = useQuery(forecastQuery(forecastDays));
  if (data === undefined) return ' ';
  const { plans, days, runs_out_on: end } = data;
  if (plans === 0) return t`No renewals in the next ${forecastDays} days`;
  if (end === null) return t`Covers renewals in the next ${forecastDays} days`;
  const covered = new Date(Date.parse(end) - dayMilliseconds).toISOString().slice(0, 10);
  const isSoon = Date.parse(end) < Date.now() + warningDays * dayMilliseconds;
  return (
    <span className={isSoon ? 'font-medium text-warn' : undefined}>
      {end === days[0]?.date
        ? t`Does not cover the renewals on ${formatSeriesDate(end, 'short')}`
        : t`Covers renewals until ${formatSeriesDate(covered, 'short')}`}
    </span>
  );
}

function renewalCostWords(
  { count, renewable, renewal_cost: cost }: Overview['expiring'],
  { balance: left, currency }: { readonly balance: string; readonly currency: string },
): string {
  const price = formatMoney(cost, currency);
  const balance = formatMoney(left, currency);
  if (renewable < count)
    return t`${formatCount(renewable)} of these ${formatCount(count)} plans can be renewed. Renewing them for the same period costs ${price}; the balance is ${balance}.`;
  return plural(count, {
    one: `Renewing it for the same period costs ${price}; the balance is ${balance}.`,
    other: `Renewing all # for the same period costs ${price}; the balance is ${balance}.`,
  });
}

interface ExpiringPlansProps {
  readonly overview: Overview | undefined;
  readonly error: Error | null;
}

function ExpiringPlans({ overview, error }: ExpiringPlansProps) {
  const { account } = useMe();
  const expiring = overview?.expiring;
  const columns: readonly Column<PanelCustomer>[] = [
    {
      title: t`Customer`,
      grows: true,
      cell: (customer) => (
        <TwoLines
          first={
            <CustomerLink id={customer.id} row>
              {customer.name}
            </CustomerLink>
          }
          second={<bdi>{referenceBeside(customer)}</bdi>}
        />
      ),
    },
    {
      title: t`Package`,
      cell: ({ plan }) => <bdi className="block max-w-48 truncate">{plan.package}</bdi>,
      from: 'sm',
    },
    { title: t`Ends`, cell: ({ plan }) => <Time at={plan.expires_at} style="day" />, from: 'sm' },
    {
      title: t`Time left`,
      align: 'end',
      cell: ({ plan, seconds_left: seconds }) => (
        <Badge tone={plan.days_left <= 3 ? 'bad' : 'warn'}>{planTimeLeft(seconds)}</Badge>
      ),
    },
  ];
  return (
    <Card
      title={t`Plans ending in the next 14 days`}
      description={
        expiring !== undefined && expiring.count > 0 ? renewalCostWords(expiring, account) : undefined
      }
      action={
        <ButtonLink
          to="/customers"
          search={expiring === undefined ? {} : { from: expiring.from, to: expiring.to }}
        >
          {expiring === undefined || expiring.count === 0
            ? t`All customers`
            : plural(expiring.count, { one: 'View customer', other: 'View all #' })}
        </ButtonLink>
      }
      lined
    >
      <DataTable
        caption={t`Customers with plans ending soon`}
        columns={columns}
        rows={expiring?.customers}
        rowKey={({ id }) => id}
        phone={({ plan }) => (
          <>
            <bdi>{plan.package}</bdi> · <Time at={plan.expires_at} style="day" />
          </>
        )}
        error={error}
        empty={
          <EmptyState icon={CalendarCheck} title={t`No plans ending in the next 14 days`}>
            {t`Customers appear here when their plans are about to end.`}
          </EmptyState>
        }
      />
    </Card>
  );
}
