// The account's customers: which plan each has and how long it still runs. Filters and order are in the address; whoever is
// selected is renewed together.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download, SearchX, Users } from 'lucide-react';
import { lazy, Suspense, useCallback } from 'react';
import { useMay } from '../api/person.ts';
import { customersQuery } from '../api/queries.ts';
import { changedParams } from '../api/search-params.ts';
import type { PanelCustomer } from '../api/shapes.ts';
import { tableState } from '../api/table-state.ts';
import { useOpenOrder } from '../order/open-order.ts';
import { PlaceOrderButton } from '../shell/app-shell.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CsvButton } from '../ui/csv-button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { useOpenRow } from '../ui/open-row.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { CursorPager } from '../ui/pager.tsx';
import { useRowSelection } from '../ui/row-selection.ts';
import { ColumnChoice, useTableLayout } from '../ui/table-layout.tsx';
import { Time } from '../ui/time.tsx';
import { customerColumns } from './customer-columns.tsx';
import { CustomerFilters, customersWanted } from './customer-filters.tsx';
import { CustomerSelectionBar } from './customer-selection-bar.tsx';

const CustomerDrawer = lazy(async () => ({
  default: (await import('./customer-drawer.tsx')).CustomerDrawer,
}));

const route = getRouteApi('/panel/customers');
const columns = customerColumns<PanelCustomer>({ links: 'drawer' });
const rowKey = ({ id }: PanelCustomer) => id;

export function CustomersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const openOrder = useOpenOrder();
  const mayOrder = useMay()('orders:write');
  const wanted = customersWanted(search);
  const query = useQuery(customersQuery({ ...wanted, before: search.before }));
  const layout = useTableLayout('customers');
  const opened = useOpenRow(query.data?.data, rowKey);
  const { before, open: _open, sort, ...filters } = search;
  const isFiltered = Object.keys(filters).length > 0;
  const selection = useRowSelection<PanelCustomer>({
    rowKey,
    nameOf: ({ name }) => t`Select ${name}`,
    key: JSON.stringify(filters),
  });
  const change = useCallback(
    (changed: typeof search) =>
      void navigate({ search: (now) => changedParams(now, changed), replace: true }),
    [navigate],
  );
  const onSearch = useCallback((q: string) => change({ q }), [change]);
  const total = query.data?.total ?? null;
  return (
    <>
      <PageHeader
        title={t`Customers`}
        actions={<PlaceOrderButton onClick={() => openOrder({ type: 'place' })} />}
      />
      <Card flush>
        <FilterBar
          clear={isFiltered ? () => void navigate({ search: {} }) : undefined}
          end={
            <>
              <CsvButton path="/customers.csv" query={wanted} name="customers" label={t`Export as CSV`}>
                <Download aria-hidden="true" className="size-4" />
              </CsvButton>
              <ColumnChoice layout={layout} columns={columns} />
            </>
          }
        >
          <CustomerFilters search={search} onChange={change} onSearch={onSearch} />
        </FilterBar>
        {mayOrder ? (
          <CustomerSelectionBar
            selection={selection}
            wanted={wanted}
            total={total}
            hasMore={before !== undefined || (query.data?.next_before ?? null) !== null}
          />
        ) : null}
        <DataTable
          caption={t`Customers`}
          columns={columns}
          {...tableState(query)}
          rowKey={rowKey}
          layout={layout}
          sort={{
            by: sort,
            otherwise: 'newest',
            onSort: (by) => change({ sort: by ?? '' }),
          }}
          {...(mayOrder && { selection })}
          phone={({ plan }) => (
            <Trans>
              Ends <Time at={plan.expires_at} style="day" />
            </Trans>
          )}
          openKey={opened.key}
          empty={
            !isFiltered && before === undefined ? (
              <EmptyState
                icon={Users}
                title={t`No customers yet`}
                action={
                  mayOrder ? (
                    <Button look="primary" onClick={() => openOrder({ type: 'place' })}>
                      <Trans>Place the first order</Trans>
                    </Button>
                  ) : undefined
                }
              >
                <Trans>The first order for a new e-mail address or username creates the customer.</Trans>
              </EmptyState>
            ) : (
              <EmptyState
                icon={SearchX}
                title={query.data?.next_before ? t`Nobody found so far` : t`Nobody found`}
                action={
                  <ButtonLink to="/customers" search={{}}>
                    <Trans>Show all customers</Trans>
                  </ButtonLink>
                }
              >
                {query.data?.next_before
                  ? t`Older customers have not been searched yet.`
                  : t`The search looks at names, e-mail addresses, usernames and ids, in any order of words.`}
              </EmptyState>
            )
          }
          footer={
            <CursorPager
              list={query.data}
              before={before}
              says={total === null ? '' : plural(total, { one: '# customer', other: '# customers' })}
            />
          }
        />
      </Card>
      {opened.key === undefined ? null : (
        <Suspense>
          <CustomerDrawer id={opened.key} opened={opened} />
        </Suspense>
      )}
    </>
  );
}
