// Revenue by account: the details behind the business overview's figures. Each account links to its orders.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleDollarSign, PackageOpen } from 'lucide-react';
import { useState } from 'react';
import { spendingOfAccountsQuery } from '../../api/console-queries.ts';
import { revenueParams } from '../../api/list-params.ts';
import { useMe } from '../../api/me.ts';
import { allPackagesQuery } from '../../api/queries.ts';
import type { SpendingOfAccount, SpendingOfAccounts } from '../../api/shapes.ts';
import { isDay, timesOfUtc } from '../../text/days.ts';
import { formatChange, formatCount } from '../../text/language.ts';
import { formatPercent } from '../../text/percent.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { spendingKindWord } from '../../text/words.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { CsvButton } from '../../ui/csv-button.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { figures } from '../../ui/figures.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { ListSelect } from '../../ui/list-card.tsx';
import { Money } from '../../ui/money.tsx';
import { BackLink, PageHeader } from '../../ui/page-header.tsx';
import { RowLink, TextLink } from '../../ui/text-link.tsx';
import { TotalsLine } from '../../ui/totals-line.tsx';
import { useList } from '../../ui/use-list.ts';

/** Exact times instead of the reader's days, because the sums are of UTC days. */
interface Span {
  readonly from: string;
  readonly to: string;
}

const kinds = [
  { value: '', title: t`All types` },
  ...['activate', 'renew', 'change', 'cancel'].map((kind) => ({
    value: kind,
    title: spendingKindWord(kind),
  })),
];

export function RevenuePage() {
  const { currency } = useMe().account;
  const list = useList(revenueParams);
  const navigate = useNavigate();
  const [isTyping, setIsTyping] = useState(false);
  const { search, change } = list;
  const { package_id: packageId, kind, sort } = search;
  const spans = spansTo(new Date());
  const [usual] = spans;
  const span: Span =
    search.from === undefined || search.to === undefined ? usual : { from: search.from, to: search.to };
  const filter = {
    from: span.from.slice(0, 10),
    to: span.to.slice(0, 10),
    package_id: packageId,
    kind,
    sort,
  };
  const query = useQuery(spendingOfAccountsQuery(filter));
  const { data } = query;
  const before = spanBefore(span);
  const { data: earlier } = useQuery(
    spendingOfAccountsQuery({ ...before, package_id: packageId, kind, sort }),
  );
  const { data: packages } = useQuery(allPackagesQuery);
  const spanOptions = spans.some(({ from, to }) => from === span.from && to === span.to)
    ? spans
    : [...spans, { ...span, title: spanWords(span) }];
  return (
    <>
      <PageHeader
        title={t`Revenue by account`}
        description={t`Days and months are in UTC.`}
        back={<BackLink to="/admin">{t`Business`}</BackLink>}
        {...(packageId !== undefined && {
          actions: (
            <ButtonLink to="/admin/packages/$packageId" params={{ packageId }}>
              {t`Open package`}
            </ButtonLink>
          ),
        })}
      />
      <Card flush>
        <FilterBar
          clear={list.isFiltered ? () => void navigate({ to: '.', search: list.all }) : undefined}
          end={<CsvButton path="/admin/spending" query={filter} name="revenue" />}
        >
          <SelectField
            label={t`Time (UTC)`}
            unlabeled
            value={isTyping ? custom : keyOf(span)}
            options={[
              ...spanOptions.map((one) => ({ value: keyOf(one), title: one.title })),
              { value: custom, title: t`Between …` },
            ]}
            onValue={(key) => {
              setIsTyping(key === custom);
              if (key === custom) return;
              const chosen = spanOptions.find((one) => keyOf(one) === key) ?? usual;
              change({ from: chosen.from, to: chosen.to });
            }}
          />
          {isTyping ? <UtcDays span={span} onSpan={change} /> : null}
          <ListSelect
            list={list}
            name="package_id"
            label={t`Package`}
            className="max-w-52"
            options={[
              { value: '', title: t`All packages` },
              ...(packages?.data ?? []).map(({ id, name }) => ({ value: String(id), title: name })),
            ]}
          />
          <ListSelect list={list} name="kind" label={t`Type`} options={kinds} />
        </FilterBar>
        {data?.data === null ? (
          <EmptyState icon={PackageOpen} title={t`Calculating`}>
            {t`Past orders are being totaled by package and type. This takes a few minutes, once.`}
          </EmptyState>
        ) : (
          <>
            {query.error !== null && data === undefined ? null : (
              <RevenueTotals spending={data} earlier={earlier} before={before} currency={currency} />
            )}
            <DataTable
              caption={t`Revenue by account`}
              columns={columnsOf(span, search, currency, data, earlier)}
              rows={data?.data}
              error={query.error}
              onRetry={() => void query.refetch()}
              outdated={query.isPlaceholderData}
              rowKey={({ account }) => account.id}
              sort={{ by: sort, otherwise: 'spent', onSort: (by) => change({ sort: by ?? '' }) }}
              phone={({ orders, refunded }) => (
                <>
                  {plural(orders, { one: '# order', other: '# orders' })}
                  {refunded === '0.00' ? null : (
                    <>
                      {' · '}
                      <Money amount={`-${refunded}`} currency={currency} signed />
                    </>
                  )}
                </>
              )}
              empty={
                <EmptyState
                  icon={CircleDollarSign}
                  title={t`No orders in this period`}
                  action={
                    <ButtonLink to="/admin/revenue" search={{}}>
                      {t`Show the last 30 days`}
                    </ButtonLink>
                  }
                />
              }
            />
          </>
        )}
      </Card>
    </>
  );
}

function columnsOf(
  { from, to }: Span,
  { package_id, kind }: { readonly package_id?: string; readonly kind?: string },
  currency: string,
  spending: SpendingOfAccounts | undefined,
  earlier: SpendingOfAccounts | undefined,
): readonly Column<SpendingOfAccount>[] {
  const times = { from, to };
  const rows =
    kind === 'cancel'
      ? { tab: 'ledger', kind: 'refund', ...times }
      : {
          tab: 'orders',
          ...times,
          ...(package_id !== undefined && { package_id }),
          ...(kind !== undefined && { kind }),
        };
  const isAll = package_id === undefined && kind === undefined;
  const toLedger = (id: number, amount: string, only: { readonly kind?: string }) => {
    const words = <Money amount={amount} currency={currency} />;
    return isAll ? (
      <TextLink
        to="/admin/accounts/$accountId"
        params={{ accountId: String(id) }}
        search={{ tab: 'ledger', ...times, ...only }}
        className="text-ink decoration-transparent"
      >
        {words}
      </TextLink>
    ) : (
      words
    );
  };
  return [
    {
      title: t`Account`,
      grows: true,
      cell: ({ account: { id, username, display_name: name } }) => (
        <TwoLines
          first={
            <RowLink to="/admin/accounts/$accountId" params={{ accountId: String(id) }} search={rows}>
              <bdi>{username}</bdi>
            </RowLink>
          }
          second={<bdi>{name === username ? '' : name}</bdi>}
        />
      ),
    },
    {
      title: t`Orders`,
      align: 'end',
      from: 'sm',
      sort: { by: 'orders', direction: 'descending' },
      cell: ({ orders }) => figures(orders),
    },
    {
      title: t`Charged`,
      align: 'end',
      from: 'md',
      cell: ({ account, charged }) => toLedger(account.id, charged, { kind: 'charge' }),
    },
    {
      title: t`Refunded`,
      align: 'end',
      from: 'sm',
      sort: { by: 'refunded', direction: 'descending' },
      cell: ({ account, refunded }) => toLedger(account.id, refunded, { kind: 'refund' }),
    },
    {
      title: t`Revenue`,
      align: 'end',
      sort: { by: 'spent', direction: 'descending' },
      cell: ({ account, spent }) => toLedger(account.id, spent, {}),
    },
    {
      title: t`Share`,
      align: 'end',
      from: 'lg',
      cell: ({ spent }) => (
        <span className="figures text-soft">{shareWords(spent, spending?.totals?.spent)}</span>
      ),
    },
    {
      title: t`Change`,
      align: 'end',
      from: 'md',
      cell: ({ account, spent }) => (
        <span className="figures">{changeWords(spent, spentBefore(account.id, earlier))}</span>
      ),
    },
  ];
}

function shareWords(spent: string, total: string | undefined): string {
  const whole = Number(total ?? 0);
  return whole > 0 ? formatPercent((100 * Number(spent)) / whole) : '–';
}

function changeWords(spent: string, before: string | undefined): string {
  const base = Number(before ?? 0);
  return base > 0 ? formatChange(Number(spent) / base - 1) : '–';
}

/** undefined: not known, because only the first accounts are listed. */
function spentBefore(id: number, earlier: SpendingOfAccounts | undefined): string | undefined {
  return earlier?.data?.find(({ account }) => account.id === id)?.spent;
}

/** The same number of days just before it; for a month, the month before. */
function spanBefore({ from, to }: Span): Span {
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  const [start, end] = [new Date(from), new Date(to)];
  const month = timesOfUtc(from.slice(0, 7));
  const isMonth = month.from === from && month.to === to;
  const first = isMonth
    ? Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - 1, 1)
    : start.getTime() - Math.ceil((end.getTime() - start.getTime()) / dayMilliseconds) * dayMilliseconds;
  return { from: dayOf(first), to: dayOf(start.getTime() - 1) };
}

interface UtcDaysProps {
  readonly span: Span;
  readonly onSpan: (span: Span) => void;
}

function UtcDays({ span, onSpan }: UtcDaysProps) {
  const [from, to] = [span.from.slice(0, 10), span.to.slice(0, 10)];
  const field = { type: 'date', unlabeled: true, className: 'sm:w-36' } as const;
  return (
    <>
      <TextField
        {...field}
        label={t`The first day (UTC)`}
        value={from}
        max={to}
        onText={(day) => isDay(day) && onSpan({ from: timesOfUtc(day).from, to: span.to })}
      />
      <TextField
        {...field}
        label={t`The last day (UTC)`}
        value={to}
        min={from}
        onText={(day) => isDay(day) && onSpan({ from: span.from, to: timesOfUtc(day).to })}
      />
    </>
  );
}

interface RevenueTotalsProps {
  readonly spending: SpendingOfAccounts | undefined;
  readonly earlier: SpendingOfAccounts | undefined;
  readonly before: Span;
  readonly currency: string;
}

function RevenueTotals({ spending, earlier, before, currency }: RevenueTotalsProps) {
  const totals = spending?.totals;
  if (totals === null) return null;
  const money = (amount: string | undefined) => amount && <Money amount={amount} currency={currency} />;
  return (
    <TotalsLine
      totals={{
        spent: { name: t`Revenue`, value: money(totals?.spent) },
        before: {
          name: spanWords(before),
          value: earlier && (
            <>
              {money(earlier.totals?.spent ?? '0.00')}
              {totals === undefined ? null : (
                <span className="ml-1.5 font-normal text-soft">
                  {changeWords(totals.spent, earlier.totals?.spent)}
                </span>
              )}
            </>
          ),
        },
        orders: { name: t`Orders`, value: totals && formatCount(totals.orders) },
        charged: { name: t`Charged`, value: money(totals?.charged) },
        refunded: { name: t`Refunded`, value: money(totals?.refunded) },
        accounts: { name: t`Accounts`, value: spending && accountsWords(spending) },
      }}
    />
  );
}

function accountsWords({ data, count_of_accounts: count }: SpendingOfAccounts): string {
  const listed = data?.length ?? 0;
  return listed < count ? t`${formatCount(count)}, first ${formatCount(listed)} shown` : formatCount(count);
}

const monthsMax = 12;
const dayMilliseconds = 86_400_000;
const custom = 'custom';

function spansTo(now: Date): readonly [NamedSpan, ...NamedSpan[]] {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  const { to } = timesOfUtc(dayOf(now.getTime()));
  const since = (at: number) => timesOfUtc(dayOf(at)).from;
  const months = Array.from({ length: monthsMax }, (_, back) =>
    dayOf(Date.UTC(year, month - back, 1)).slice(0, 7),
  );
  return [
    { from: since(Date.UTC(year, month, day - 29)), to, title: t`Last 30 days` },
    { from: since(Date.UTC(year, month - monthsMax + 1, 1)), to, title: t`Last 12 months` },
    ...months.map((one) => ({ ...timesOfUtc(one), title: formatSeriesDate(one, 'long') })),
  ];
}

type NamedSpan = Span & { readonly title: string };

function keyOf({ from, to }: Span): string {
  return `${from} ${to}`;
}

function spanWords({ from, to }: Span): string {
  const [first, last] = [from, to].map((time) => formatSeriesDate(time.slice(0, 10), 'long'));
  return first === last ? `${first}` : `${first} – ${last}`;
}
