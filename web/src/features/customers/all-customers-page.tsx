// Customers of every account: filters in the address, a drawer for each; suspending one, and lifting the suspension.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SearchX, Users } from 'lucide-react';
import { Suspense, useCallback, useState } from 'react';
import { useMay } from '../../api/person.ts';
import { allCustomersQuery } from '../../api/queries.ts';
import { changedParams } from '../../api/search-params.ts';
import type { AccountCustomer } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { CursorPager } from '../../ui/pager.tsx';
import { lazyEarly } from '../../ui/preload.ts';
import { ColumnChoice, useTableLayout } from '../../ui/table-layout.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { customerColumns } from './customer-columns.tsx';
import { CustomerFilters, customersWanted } from './customer-filters.tsx';
import { isSuspended, SuspendDialog } from './suspend-dialog.tsx';

const AnyCustomerDrawer = lazyEarly(async () => ({
  default: (await import('./any-customer-drawer.tsx')).AnyCustomerDrawer,
}));

const route = getRouteApi('/panel/admin/customers');
const [nameColumn, ...otherColumns] = customerColumns<AccountCustomer>({
  links: 'drawer',
  second: ({ account, plan }) => t`${plan.package}, of ${account.username}`,
});

const rowKey = ({ id }: AccountCustomer) => id;

export function AllCustomersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { before, open: _open, ...filters } = search;
  const query = useQuery(allCustomersQuery({ ...customersWanted(search), before }));
  const layout = useTableLayout('all-customers');
  const opened = useOpenRow(query.data?.data, rowKey);
  const [asked, setAsked] = useState<AccountCustomer | null>(null);
  const change = useCallback(
    (changed: typeof search) =>
      void navigate({ search: (now) => changedParams(now, changed), replace: true }),
    [navigate],
  );
  const onSearch = useCallback((q: string) => change({ q }), [change]);
  const isFiltered = Object.keys(filters).length > 0;
  const canSuspend = useMay()('admin:accounts');
  const columns: readonly Column<AccountCustomer>[] = [
    ...(nameColumn === undefined ? [] : [nameColumn]),
    {
      title: t`Account`,
      id: 'account',
      from: 'md',
      cell: ({ account }) => (
        <TextLink to="/admin/accounts/$accountId" params={{ accountId: String(account.id) }}>
          <bdi className="block max-w-40 truncate">{account.username}</bdi>
        </TextLink>
      ),
    },
    ...otherColumns.map((column): Column<AccountCustomer> => {
      if (column.id === 'since') return { ...column, isExtra: true };
      // Beside the account there is no room for both the end and the time left on a tablet.
      return column.id === 'ends' ? { ...column, from: 'lg' } : column;
    }),
    ...(canSuspend ? [suspension()] : []),
  ];
  return (
    <>
      <PageHeader title={t`All customers`} description={t`Of every account.`} />
      <Card flush>
        <FilterBar
          clear={isFiltered ? () => void navigate({ search: {} }) : undefined}
          end={<ColumnChoice layout={layout} columns={columns} />}
        >
          <CustomerFilters search={search} onChange={change} onSearch={onSearch} isOperator />
        </FilterBar>
        <DataTable
          caption={t`Customers of every account`}
          columns={columns}
          {...tableState(query)}
          rowKey={rowKey}
          layout={layout}
          phone={({ plan }) => (
            <Trans>
              Ends <Time at={plan.expires_at} style="day" />
            </Trans>
          )}
          openKey={opened.key}
          empty={
            isFiltered || before !== undefined ? (
              <EmptyState
                icon={SearchX}
                title={query.data?.next_before ? t`Nobody found so far` : t`Nobody found`}
                action={
                  <ButtonLink to="/admin/customers" search={{}}>
                    {t`Show all customers`}
                  </ButtonLink>
                }
              >
                {query.data?.next_before ? t`Older customers have not been searched yet.` : undefined}
              </EmptyState>
            ) : (
              <EmptyState icon={Users} title={t`No customers yet`}>
                {t`They come with the accounts’ first orders.`}
              </EmptyState>
            )
          }
          footer={<CursorPager list={query.data} before={before} />}
        />
      </Card>
      {opened.key === undefined ? null : (
        <Suspense>
          <AnyCustomerDrawer id={opened.key} opened={opened} />
        </Suspense>
      )}
      {asked === null ? null : <SuspendDialog customer={asked} onClose={() => setAsked(null)} />}
    </>
  );

  function suspension(): Column<AccountCustomer> {
    return {
      title: t`Change`,
      untitled: true,
      align: 'end',
      // Its drawer does the same.
      from: 'lg',
      cell: (customer) => (
        <Button onClick={() => setAsked(customer)}>{isSuspended(customer) ? t`Lift` : t`Suspend`}</Button>
      ),
    };
  }
}
