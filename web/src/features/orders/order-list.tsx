// An account's orders, newest first, with filters in the URL and drawers. The route must accept orderParams.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { ShoppingBag } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { orderParams } from '../../api/list-params.ts';
import { listOf, ordersQuery } from '../../api/queries.ts';
import type { PanelOrder } from '../../api/shapes.ts';
import { withTexts } from '../../text/texts.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListCard, ListSearchField, OnlyOne } from '../../ui/list-card.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { lazyEarly } from '../../ui/preload.ts';
import { useList } from '../../ui/use-list.ts';
import { orderColumns, orderOnPhone } from './order-columns.tsx';
import { noOrders, OrderFilters, ordersWanted } from './order-filters.tsx';

const OrderDrawer = lazyEarly(withTexts(() => import('./order-drawer.tsx')));

const columns = orderColumns();
const rowKey = ({ id }: PanelOrder) => id;

interface OrderListProps {
  /** null means the signed-in account. */
  readonly accountId: number | null;
  readonly first?: ReactNode;
}

export function OrderList({ accountId, first }: OrderListProps) {
  const list = useList(orderParams);
  const { q, customer, cursor } = list.search;
  const wanted = { words: q, customer, ...ordersWanted(list.search) };
  const query = useQuery(ordersQuery({ ...wanted, cursor }, accountId));
  const opened = useOpenRow(query.data?.data, rowKey);
  return (
    <>
      <ListCard
        list={list}
        query={query}
        name="orders"
        csv={{ path: listOf(accountId, 'orders'), query: wanted, name: 'orders' }}
        caption={t`Orders`}
        columns={columns}
        rowKey={rowKey}
        phone={orderOnPhone}
        openKey={opened.key}
        none={
          <EmptyState icon={ShoppingBag} title={t`No orders yet`} action={first}>
            {accountId === null
              ? t`Each order gives a customer a plan and is paid from your balance.`
              : undefined}
          </EmptyState>
        }
        nothing={{
          ...noOrders,
          hint: t`Search for part of a name, email address or ID, or change the type or date filter.`,
        }}
        says={(total) => plural(total, { one: '# order', other: '# orders' })}
      >
        <ListSearchField list={list} name="q" label={t`Customer, order or key`} />
        <OrderFilters list={list} isOperator={accountId !== null} />
        {customer === undefined ? null : (
          <OnlyOne
            label={t`All customers, not just ${String(customer)}`}
            onClear={() => list.change({ customer: '' })}
          >
            <bdi className="max-w-48 truncate">{customer}</bdi>
          </OnlyOne>
        )}
      </ListCard>
      {opened.key === undefined ? null : (
        <Suspense>
          <OrderDrawer id={opened.key} opened={opened} accountId={accountId} />
        </Suspense>
      )}
    </>
  );
}
