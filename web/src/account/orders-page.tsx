// The account's orders, newest first. Filters are in the address: a filtered list can be sent to somebody.

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
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { DayFilter } from '../ui/day-filter.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { SelectField } from '../ui/field.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { CursorPager } from '../ui/pager.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { orderColumns } from './order-columns.tsx';

const route = getRouteApi('/panel/orders');
const columns = orderColumns();
const kinds = [
  { value: '', title: 'Every kind' },
  { value: 'activate', title: 'New' },
  { value: 'renew', title: 'Renewal' },
  { value: 'change', title: 'Change' },
];

export function OrdersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const openOrder = useOpenOrder();
  const may = useMay();
  const { data: packages } = useQuery(packagesQuery);
  const { from, to } = search;
  const query = useQuery(ordersQuery(search));
  const change = useCallback(
    (changed: typeof search) =>
      void navigate({ search: (now) => changedParams(now, changed), replace: true }),
    [navigate],
  );
  const searchCustomer = useCallback((customer: string) => change({ customer }), [change]);
  const { before: _before, ...filters } = search;
  const isFiltered = Object.keys(filters).length > 0;
  const packageOptions = [
    { value: '', title: 'Every package' },
    ...(packages?.data ?? []).map(({ id, name }) => ({ value: String(id), title: name })),
  ];

  return (
    <>
      <PageHeader
        title="Orders"
        actions={<PlaceOrderButton onClick={() => openOrder({ type: 'place' })} />}
      />
      <Card flush>
        <FilterBar clear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
          <SearchField label="Customer" value={search.customer ?? ''} onSearch={searchCustomer} />
          <SelectField
            label="Kind"
            unlabelled
            value={search.kind ?? ''}
            options={kinds}
            onValue={(kind) => change({ kind })}
          />
          <SelectField
            label="Package"
            unlabelled
            className="max-w-52"
            value={search.package_id ?? ''}
            options={packageOptions}
            onValue={(id) => change({ package_id: id })}
          />
          <div className="flex flex-wrap gap-2">
            <DayFilter
              label="From"
              meaning="Placed on or after this UTC day"
              value={from}
              max={to}
              onDay={(day) => change({ from: day })}
            />
            <DayFilter
              label="to"
              meaning="Placed on or before this UTC day"
              value={to}
              min={from}
              onDay={(day) => change({ to: day })}
            />
          </div>
        </FilterBar>
        <DataTable
          caption="Orders"
          columns={columns}
          {...tableState(query)}
          rowKey={({ id }) => id}
          empty={
            isFiltered || search.before !== undefined ? (
              <EmptyState
                icon={SearchX}
                title={query.data?.next_before ? 'No matching orders so far' : 'No matching orders'}
                action={
                  <ButtonLink to="/orders" search={{}}>
                    Show all orders
                  </ButtonLink>
                }
              >
                {query.data?.next_before
                  ? 'Older orders have not been searched yet.'
                  : 'Enter the whole e-mail address or username, or choose another kind or time.'}
              </EmptyState>
            ) : (
              <EmptyState
                icon={ShoppingBag}
                title="No orders yet"
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
                Each order gives a customer a plan and is paid from your balance.
              </EmptyState>
            )
          }
          footer={<CursorPager list={query.data} before={search.before} />}
        />
      </Card>
    </>
  );
}
