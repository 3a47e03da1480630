// An account's customers with filters, drawers and bulk renewals. The route must accept customerParams.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Users } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { customerParams } from '../../api/list-params.ts';
import { useMay } from '../../api/person.ts';
import { customersQuery, listOf } from '../../api/queries.ts';
import type { PanelCustomer } from '../../api/shapes.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListCard } from '../../ui/list-card.tsx';
import { type OpenRow, useOpenRow } from '../../ui/open-row.ts';
import { useRowSelection } from '../../ui/row-selection.ts';
import { useList } from '../../ui/use-list.ts';
import { customerColumns, customerOnPhone } from './customer-columns.tsx';
import { CustomerFilters, customersWanted, customerViews, noCustomers } from './customer-filters.tsx';
import { CustomerSelectionBar } from './customer-selection-bar.tsx';

const columns = customerColumns<PanelCustomer>({ links: 'drawer' });
const rowKey = ({ id }: PanelCustomer) => id;

interface CustomerListProps {
  /** null means the signed-in account. */
  readonly accountId: number | null;
  readonly first?: ReactNode;
  readonly drawer: (id: string, opened: OpenRow<PanelCustomer>) => ReactNode;
}

export function CustomerList({ accountId, first, drawer }: CustomerListProps) {
  const list = useList(customerParams);
  // Operators cannot order for another account.
  const canSelect = useMay()('orders:write') && accountId === null;
  const { cursor } = list.search;
  const wanted = customersWanted(list.search);
  const query = useQuery(customersQuery({ ...wanted, cursor }, accountId));
  const opened = useOpenRow(query.data?.data, rowKey);
  const selection = useRowSelection<PanelCustomer>({
    rowKey,
    nameOf: ({ name }) => t`Select ${name}`,
    key: JSON.stringify(list.filters),
  });
  return (
    <>
      <ListCard
        list={list}
        query={query}
        name="customers"
        views={customerViews}
        csv={{ path: listOf(accountId, 'customers'), query: wanted, name: 'customers' }}
        order="newest"
        caption={t`Customers`}
        columns={columns}
        rowKey={rowKey}
        {...(canSelect && { selection })}
        phone={customerOnPhone}
        openKey={opened.key}
        above={
          canSelect ? (
            <CustomerSelectionBar
              selection={selection}
              wanted={wanted}
              total={query.data?.total ?? null}
              hasMore={cursor !== undefined || (query.data?.next_cursor ?? null) !== null}
            />
          ) : null
        }
        none={
          <EmptyState icon={Users} title={t`No customers yet`} action={first}>
            {t`The first order for a new email address or username creates the customer.`}
          </EmptyState>
        }
        nothing={{
          ...noCustomers,
          hint: t`Searches names, email addresses, usernames and IDs. Words can be in any order.`,
        }}
        says={(total) => plural(total, { one: '# customer', other: '# customers' })}
      >
        <CustomerFilters list={list} isOperator={accountId !== null} />
      </ListCard>
      {opened.key === undefined ? null : <Suspense>{drawer(opened.key, opened)}</Suspense>}
    </>
  );
}
