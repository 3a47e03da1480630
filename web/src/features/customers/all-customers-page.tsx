// Customers of all accounts, with filters and a drawer.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Users } from 'lucide-react';
import { Suspense } from 'react';
import { allCustomersPath, allCustomersQuery } from '../../api/console-queries.ts';
import { allCustomerParams } from '../../api/list-params.ts';
import { useMe } from '../../api/me.ts';
import type { PricedCustomer } from '../../api/shapes.ts';
import { periodWord } from '../../text/words.ts';
import type { Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListCard } from '../../ui/list-card.tsx';
import { Money } from '../../ui/money.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { lazyEarly } from '../../ui/preload.ts';
import { TextLink } from '../../ui/text-link.tsx';
import { useList } from '../../ui/use-list.ts';
import { AccountFilter } from '../payments/account-filter.tsx';
import { customerColumns, customerOnPhone } from './customer-columns.tsx';
import { CustomerFilters, customersWanted, customerViews, noCustomers } from './customer-filters.tsx';

const AnyCustomerDrawer = lazyEarly(async () => ({
  default: (await import('./any-customer-drawer.tsx')).AnyCustomerDrawer,
}));

const [nameColumn, ...otherColumns] = customerColumns<PricedCustomer>({
  links: 'drawer',
  second: ({ account, plan }) => `${plan.package} · ${account.username}`,
});

const columns: readonly Column<PricedCustomer>[] = [
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
  ...otherColumns.map((column): Column<PricedCustomer> => {
    // Over all accounts the service sorts by the end of plans alone.
    if (column.id === 'since') {
      const { sort: _sort, ...unsorted } = column;
      return { ...unsorted, from: 'xl', isExtra: true };
    }
    // Tablets have room for the end date or the time left, but not for both.
    return column.id === 'ends' ? { ...column, from: 'lg' } : column;
  }),
  {
    title: t`Price`,
    id: 'price',
    from: 'lg',
    align: 'end',
    cell: ({ price }) => <Price of={price} />,
  },
];

const rowKey = ({ id }: PricedCustomer) => id;

export function AllCustomersPage() {
  const list = useList(allCustomerParams);
  const { account_id, cursor } = list.search;
  const wanted = { ...customersWanted(list.search), account_id };
  const query = useQuery(allCustomersQuery({ ...wanted, cursor }));
  const opened = useOpenRow(query.data?.data, rowKey);
  return (
    <>
      <PageHeader
        title={t`All customers`}
        description={t`Customers of all accounts, the newest account first.`}
        actions={<AccountFilter list={list} title={t`Customers of one account`} />}
      />
      <ListCard
        list={list}
        query={query}
        name="all-customers"
        views={customerViews}
        csv={{ path: allCustomersPath, query: wanted, name: 'customers' }}
        order="account"
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
        says={(total) => plural(total, { one: '# customer', other: '# customers' })}
      >
        <CustomerFilters list={list} isOperator />
      </ListCard>
      {opened.key === undefined ? null : (
        <Suspense>
          <AnyCustomerDrawer id={opened.key} opened={opened} />
        </Suspense>
      )}
    </>
  );
}

/** Of the last order, for its period. */
function Price({ of: price }: { readonly of: PricedCustomer['price'] }) {
  const { currency } = useMe().account;
  if (price === null) return <span className="text-soft">–</span>;
  return (
    <>
      <Money amount={price.amount} currency={currency} />
      <div className="text-xs whitespace-nowrap text-soft">{periodWord(price.months)}</div>
    </>
  );
}
