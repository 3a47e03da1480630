// Orders of all accounts, newest first, with filters and a drawer.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { ShoppingBag } from 'lucide-react';
import { Suspense } from 'react';
import { allOrdersPath, allOrdersQuery } from '../../api/console-queries.ts';
import { allOrderParams } from '../../api/list-params.ts';
import type { ListedOrder } from '../../api/shapes.ts';
import { withTexts } from '../../text/texts.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListCard, ListSearchField } from '../../ui/list-card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { AccountLink } from '../../ui/page-links.tsx';
import { lazyEarly } from '../../ui/preload.ts';
import { useList } from '../../ui/use-list.ts';
import { AccountFilter } from '../payments/account-filter.tsx';
import { orderColumns, orderOnPhone } from './order-columns.tsx';
import { noOrders, OrderFilters, ordersWanted } from './order-filters.tsx';

const OrderDrawer = lazyEarly(withTexts(() => import('./order-drawer.tsx')));

const columns = orderColumns<ListedOrder>([
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
]);
const rowKey = ({ id }: ListedOrder) => id;

export function AllOrdersPage() {
  const list = useList(allOrderParams);
  const { q, account_id, cursor } = list.search;
  const wanted = { words: q, ...ordersWanted(list.search), account_id };
  const query = useQuery(allOrdersQuery({ ...wanted, cursor }));
  const opened = useOpenRow(query.data?.data, rowKey);
  const hint =
    account_id === undefined
      ? t`Searches customers and IDs. Choose an account to search keys as well.`
      : undefined;
  return (
    <>
      <PageHeader
        title={t`All orders`}
        description={t`Orders of all accounts.`}
        actions={<AccountFilter list={list} title={t`Orders of one account`} />}
      />
      {query.data?.partial ? (
        <Notice tone="info">
          {t`Too many customers match. These are the orders of some of them, so they can’t be exported: type more of the name, or choose an account.`}
        </Notice>
      ) : null}
      <ListCard
        list={list}
        query={query}
        name="all-orders"
        {...(query.data?.partial !== true && { csv: { path: allOrdersPath, query: wanted, name: 'orders' } })}
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
        nothing={{
          ...noOrders,
          hint: q === undefined ? undefined : hint,
        }}
        says={(total) => plural(total, { one: '# order', other: '# orders' })}
      >
        <ListSearchField
          list={list}
          name="q"
          label={account_id === undefined ? t`Customer or order` : t`Customer, order or key`}
          hint={hint}
        />
        <OrderFilters list={list} isOperator />
      </ListCard>
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
