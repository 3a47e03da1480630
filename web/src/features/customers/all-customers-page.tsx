// Customers of all accounts, with filters and a drawer. Operators can suspend and resume customers here.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Users } from 'lucide-react';
import { Suspense, useState } from 'react';
import { allCustomerParams } from '../../api/list-params.ts';
import { useMay } from '../../api/person.ts';
import { allCustomersQuery } from '../../api/queries.ts';
import type { AccountCustomer } from '../../api/shapes.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListCard } from '../../ui/list-card.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { lazyEarly } from '../../ui/preload.ts';
import { TextLink } from '../../ui/text-link.tsx';
import { useList } from '../../ui/use-list.ts';
import { customerColumns, customerOnPhone } from './customer-columns.tsx';
import { CustomerFilters, customersWanted, customerViews, noCustomers } from './customer-filters.tsx';
import { isSuspended, SuspendDialog } from './suspend-dialog.tsx';

const AnyCustomerDrawer = lazyEarly(async () => ({
  default: (await import('./any-customer-drawer.tsx')).AnyCustomerDrawer,
}));

const [nameColumn, ...otherColumns] = customerColumns<AccountCustomer>({
  links: 'drawer',
  second: ({ account, plan }) => t`${plan.package}, of ${account.username}`,
});

const rowKey = ({ id }: AccountCustomer) => id;

export function AllCustomersPage() {
  const list = useList(allCustomerParams);
  const { cursor } = list.search;
  const query = useQuery(allCustomersQuery({ ...customersWanted(list.search), cursor }));
  const opened = useOpenRow(query.data?.data, rowKey);
  const [asked, setAsked] = useState<AccountCustomer | null>(null);
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
      // Tablets have room for the end date or the time left, but not for both.
      return column.id === 'ends' ? { ...column, from: 'lg' } : column;
    }),
    ...(canSuspend ? [suspension()] : []),
  ];
  return (
    <>
      <PageHeader title={t`All customers`} description={t`Customers of all accounts.`} />
      <ListCard
        list={list}
        query={query}
        name="all-customers"
        views={customerViews}
        caption={t`Customers of all accounts`}
        columns={columns}
        rowKey={rowKey}
        phone={customerOnPhone}
        openKey={opened.key}
        none={
          <EmptyState icon={Users} title={t`No customers yet`}>
            {t`Customers appear with the first orders.`}
          </EmptyState>
        }
        nothing={noCustomers}
      >
        <CustomerFilters list={list} isOperator />
      </ListCard>
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
      from: 'lg',
      cell: (customer) => (
        <Button onClick={() => setAsked(customer)}>{isSuspended(customer) ? t`Resume` : t`Suspend`}</Button>
      ),
    };
  }
}
