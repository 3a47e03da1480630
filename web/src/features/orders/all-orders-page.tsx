// Orders of all accounts, newest first, with filters and a drawer.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { ShoppingBag } from 'lucide-react';
import { Suspense, useState } from 'react';
import { allOrderParams } from '../../api/list-params.ts';
import { allOrdersPath, allOrdersQuery } from '../../api/queries.ts';
import type { ListedOrder } from '../../api/shapes.ts';
import { withTexts } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListCard, OnlyOne } from '../../ui/list-card.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { AccountLink } from '../../ui/page-links.tsx';
import { lazyEarly } from '../../ui/preload.ts';
import { useList } from '../../ui/use-list.ts';
import { orderColumns, orderOnPhone } from './order-columns.tsx';
import { noOrders, OrderFilters, ordersWanted } from './order-filters.tsx';

const OrderDrawer = lazyEarly(withTexts(() => import('./order-drawer.tsx')));
const AccountFilterDialog = lazyEarly(async () => ({
  default: (await import('../payments/account-filter-dialog.tsx')).AccountFilterDialog,
}));

const [customerColumn, ...otherColumns] = orderColumns({ orderPage: 'drawer' });
const columns: readonly Column<ListedOrder>[] = [
  ...(customerColumn === undefined ? [] : [customerColumn]),
  {
    title: t`Account`,
    id: 'account',
    from: 'md',
    cell: ({ account: { id, username } }) => (
      <AccountLink id={id}>
        <span className="block max-w-40 truncate">{username}</span>
      </AccountLink>
    ),
  },
  ...otherColumns,
];
const rowKey = ({ id }: ListedOrder) => id;

export function AllOrdersPage() {
  const list = useList(allOrderParams);
  const [isChoosing, setIsChoosing] = useState(false);
  const { account_id, cursor } = list.search;
  const wanted = { ...ordersWanted(list.search), account_id };
  const query = useQuery(allOrdersQuery({ ...wanted, cursor }));
  const opened = useOpenRow(query.data?.data, rowKey);
  const named = query.data?.data.find(({ account }) => String(account.id) === account_id)?.account;
  return (
    <>
      <PageHeader title={t`All orders`} description={t`Orders of all accounts.`} />
      <ListCard
        list={list}
        query={query}
        name="all-orders"
        csv={{ path: allOrdersPath, query: wanted, name: 'orders' }}
        caption={t`Orders of all accounts`}
        columns={columns}
        rowKey={rowKey}
        phone={(order) => (
          <>
            <bdi>{order.account.username}</bdi>
            {' · '}
            {orderOnPhone(order)}
          </>
        )}
        openKey={opened.key}
        none={
          <EmptyState icon={ShoppingBag} title={t`No orders yet`}>
            {t`Orders appear here as soon as an account places them.`}
          </EmptyState>
        }
        nothing={noOrders}
      >
        {account_id === undefined ? (
          <Button onClick={() => setIsChoosing(true)}>{t`Account …`}</Button>
        ) : (
          <OnlyOne label={t`Show all accounts`} onClear={() => list.change({ account_id: '' })}>
            {named === undefined ? t`Account ${account_id}` : <bdi>{named.username}</bdi>}
          </OnlyOne>
        )}
        <OrderFilters list={list} isOperator />
      </ListCard>
      {isChoosing ? (
        <Suspense>
          <AccountFilterDialog
            title={t`Orders of one account`}
            onChosen={(id) => {
              setIsChoosing(false);
              list.change({ account_id: String(id) });
            }}
            onClose={() => setIsChoosing(false)}
          />
        </Suspense>
      ) : null}
      {opened.key === undefined ? null : (
        <Suspense>
          <OrderDrawer
            id={opened.key}
            opened={opened}
            accountId={opened.row?.account.id ?? 0}
            account={opened.row?.account}
          />
        </Suspense>
      )}
    </>
  );
}
