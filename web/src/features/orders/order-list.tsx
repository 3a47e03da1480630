// Orders of an account, newest first: filters in the address, so that a filtered list can be sent to somebody, and a drawer for
// each. On the page "Orders", and for the operator on the account's page.
// The route needs these texts of the address: orderParams.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, SearchX, ShoppingBag, X } from 'lucide-react';
import { type ReactNode, Suspense, useCallback } from 'react';
import { filtersOf, type ListSearch, orderParams, withoutList } from '../../api/list-params.ts';
import { ofAccount, ordersQuery, packageNamesQuery } from '../../api/queries.ts';
import { changedParams } from '../../api/search-params.ts';
import type { Order } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { spanEnd, spanStart } from '../../text/days.ts';
import { orderStatusWord } from '../../text/words.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CsvButton } from '../../ui/csv-button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { CursorPager } from '../../ui/pager.tsx';
import { lazyEarly } from '../../ui/preload.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { SpanFilter } from '../../ui/span-filter.tsx';
import { ColumnChoice, useTableLayout } from '../../ui/table-layout.tsx';
import { orderColumns, orderOnPhone } from './order-columns.tsx';

const OrderDrawer = lazyEarly(async () => ({ default: (await import('./order-drawer.tsx')).OrderDrawer }));

type OrderSearch = ListSearch<typeof orderParams>;

const columns = orderColumns({ orderPage: 'drawer' });
const rowKey = ({ id }: Order) => id;
const statuses = [
  { value: '', title: t`All statuses` },
  ...['completed', 'pending', 'failed'].map((status) => ({ value: status, title: orderStatusWord(status) })),
];
const kinds = [
  { value: '', title: t`All kinds` },
  { value: 'activate', title: t`New` },
  { value: 'renew', title: t`Renewal` },
  { value: 'change', title: t`Change` },
];

interface OrderListProps {
  /** null: the own account. */
  readonly accountId: number | null;
  /** What leads to the first order, while there is none. */
  readonly first?: ReactNode;
}

export function OrderList({ accountId, first }: OrderListProps) {
  const search: OrderSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data: packages } = useQuery(packageNamesQuery(accountId !== null));
  const { from, to, before } = search;
  const filters = filtersOf(orderParams, search);
  const wanted = { ...filters, from: spanStart(from), to: spanEnd(to) };
  const query = useQuery(ordersQuery({ ...wanted, before }, accountId));
  const layout = useTableLayout('orders');
  const opened = useOpenRow(query.data?.data, rowKey);
  const total = query.data?.total ?? null;
  const change = useCallback(
    (changed: OrderSearch) =>
      void navigate({
        to: '.',
        search: (now: OrderSearch) => changedParams(now, changed),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const onSearch = useCallback((q: string) => change({ q }), [change]);
  const isFiltered = Object.keys(filters).length > 0;
  const packageOptions = [
    { value: '', title: t`All packages` },
    ...(packages?.data ?? []).map(({ id, name }) => ({ value: String(id), title: name })),
  ];
  const all = (now: object) => withoutList(orderParams, now);
  return (
    <Card flush>
      <FilterBar
        clear={isFiltered ? () => void navigate({ to: '.', search: all }) : undefined}
        end={
          <>
            <CsvButton
              icon={Download}
              path={ofAccount(accountId, '/orders.csv')}
              query={wanted}
              name="orders"
              label={t`Export as CSV`}
            />
            <ColumnChoice layout={layout} columns={columns} />
          </>
        }
      >
        <SearchField label={t`Customer, order or key`} value={search.q ?? ''} onSearch={onSearch} />
        {search.customer === undefined ? null : (
          <Button
            aria-label={t`All customers, not only ${search.customer}`}
            onClick={() => change({ customer: '' })}
          >
            <bdi className="max-w-48 truncate">{search.customer}</bdi>
            <X aria-hidden="true" className="size-4" />
          </Button>
        )}
        <SelectField
          label={t`Status`}
          unlabelled
          value={search.status ?? ''}
          options={statuses}
          onValue={(status) => change({ status })}
        />
        <SelectField
          label={t`Kind`}
          unlabelled
          value={search.kind ?? ''}
          options={kinds}
          onValue={(kind) => change({ kind })}
        />
        <SelectField
          label={t`Package`}
          unlabelled
          className="max-w-52"
          value={search.package_id ?? ''}
          options={packageOptions}
          onValue={(id) => change({ package_id: id })}
        />
        <SpanFilter from={from} to={to} what={t`Placed`} onSpan={change} />
      </FilterBar>
      <DataTable
        caption={t`Orders`}
        columns={columns}
        {...tableState(query)}
        rowKey={rowKey}
        layout={layout}
        phone={orderOnPhone}
        openKey={opened.key}
        empty={
          isFiltered || before !== undefined ? (
            <EmptyState
              icon={SearchX}
              title={query.data?.next_before ? t`No matching orders so far` : t`No matching orders`}
              action={
                <ButtonLink to="." search={all}>
                  {t`Show all orders`}
                </ButtonLink>
              }
            >
              {query.data?.next_before
                ? t`Older orders have not been searched yet.`
                : t`Look for part of a name, an e-mail address or an id, or choose another kind or time.`}
            </EmptyState>
          ) : (
            <EmptyState icon={ShoppingBag} title={t`No orders yet`} action={first}>
              {accountId === null
                ? t`Each order gives a customer a plan and is paid from your balance.`
                : undefined}
            </EmptyState>
          )
        }
        footer={
          <CursorPager
            list={query.data}
            before={before}
            says={total === null ? '' : plural(total, { one: '# order', other: '# orders' })}
          />
        }
      />
      {opened.key === undefined ? null : (
        <Suspense>
          <OrderDrawer id={opened.key} opened={opened} accountId={accountId} />
        </Suspense>
      )}
    </Card>
  );
}
