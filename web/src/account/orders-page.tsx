// The account's orders, newest first. Filters are in the address: a filtered list can be sent to somebody.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SearchX, ShoppingBag } from 'lucide-react';
import { useCallback } from 'react';
import { useMay } from '../api/person.ts';
import { ordersQuery, packagesQuery } from '../api/queries.ts';
import { changedParams } from '../api/search-params.ts';
import { tableState } from '../api/table-state.ts';
import { useOpenOrder } from '../order/open-order.ts';
import { PlaceOrderButton } from '../shell/app-shell.tsx';
import { spanEnd, spanStart } from '../text/days.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { SelectField } from '../ui/field.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { CursorPager } from '../ui/pager.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { SpanFilter } from '../ui/span-filter.tsx';
import { orderColumns } from './order-columns.tsx';

const route = getRouteApi('/panel/orders');
const columns = orderColumns();
const kinds = [
  { value: '', title: t`Every kind` },
  { value: 'activate', title: t`New` },
  { value: 'renew', title: t`Renewal` },
  { value: 'change', title: t`Change` },
];

export function OrdersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const openOrder = useOpenOrder();
  const may = useMay();
  const { data: packages } = useQuery(packagesQuery);
  const { from, to } = search;
  const query = useQuery(ordersQuery({ ...search, from: spanStart(from), to: spanEnd(to) }));
  const change = useCallback(
    (changed: typeof search) =>
      void navigate({ search: (now) => changedParams(now, changed), replace: true }),
    [navigate],
  );
  const searchCustomer = useCallback((customer: string) => change({ customer }), [change]);
  const { before: _before, ...filters } = search;
  const isFiltered = Object.keys(filters).length > 0;
  const packageOptions = [
    { value: '', title: t`Every package` },
    ...(packages?.data ?? []).map(({ id, name }) => ({ value: String(id), title: name })),
  ];

  return (
    <>
      <PageHeader
        title={t`Orders`}
        actions={<PlaceOrderButton onClick={() => openOrder({ type: 'place' })} />}
      />
      <Card flush>
        <FilterBar clear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
          <SearchField label={t`Customer`} value={search.customer ?? ''} onSearch={searchCustomer} />
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
          rowKey={({ id }) => id}
          empty={
            isFiltered || search.before !== undefined ? (
              <EmptyState
                icon={SearchX}
                title={query.data?.next_before ? t`No matching orders so far` : t`No matching orders`}
                action={
                  <ButtonLink to="/orders" search={{}}>
                    <Trans>Show all orders</Trans>
                  </ButtonLink>
                }
              >
                {query.data?.next_before
                  ? t`Older orders have not been searched yet.`
                  : t`Enter the whole e-mail address or username, or choose another kind or time.`}
              </EmptyState>
            ) : (
              <EmptyState
                icon={ShoppingBag}
                title={t`No orders yet`}
                action={
                  may('orders:write') ? (
                    <>
                      <Button look="primary" onClick={() => openOrder({ type: 'place' })}>
                        Place the first order
                      </Button>
                      {may('keys:read') ? (
                        <ButtonLink to="/api-access">Order through the API</ButtonLink>
                      ) : null}
                    </>
                  ) : undefined
                }
              >
                <Trans>Each order gives a customer a plan and is paid from your balance.</Trans>
              </EmptyState>
            )
          }
          footer={<CursorPager list={query.data} before={search.before} />}
        />
      </Card>
    </>
  );
}
