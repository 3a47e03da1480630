// An account's orders, newest first, with filters in the URL and drawers. The route must accept orderParams.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { ShoppingBag } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { orderParams } from '../../api/list-params.ts';
import { listOf, ordersQuery } from '../../api/queries.ts';
import type { Order } from '../../api/shapes.ts';
import { spanEnd, spanStart } from '../../text/days.ts';
import { withTexts } from '../../text/texts.ts';
import { orderStatusWord } from '../../text/words.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListCard, ListSearchField, ListSelect, ListSpan, OnlyOne } from '../../ui/list-card.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { lazyEarly } from '../../ui/preload.ts';
import { useList } from '../../ui/use-list.ts';
import { orderColumns, orderOnPhone } from './order-columns.tsx';
import { PackageFilter } from './package-filter.tsx';

const OrderDrawer = lazyEarly(withTexts(() => import('./order-drawer.tsx')));

const columns = orderColumns({ orderPage: 'drawer' });
const rowKey = ({ id }: Order) => id;
const statuses = [
  { value: '', title: t`All statuses` },
  ...['completed', 'pending', 'failed'].map((status) => ({ value: status, title: orderStatusWord(status) })),
];
const kinds = [
  { value: '', title: t`All types` },
  { value: 'activate', title: t`New` },
  { value: 'renew', title: t`Renewal` },
  { value: 'change', title: t`Change` },
];

interface OrderListProps {
  /** null means the signed-in account. */
  readonly accountId: number | null;
  readonly first?: ReactNode;
}

export function OrderList({ accountId, first }: OrderListProps) {
  const list = useList(orderParams);
  const { customer, from, to, cursor } = list.search;
  const { q, kind, status, package_id } = list.filters;
  const wanted = {
    words: q,
    customer,
    kind,
    status,
    package_id,
    created_from: spanStart(from),
    created_to: spanEnd(to),
  };
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
          title: t`No matching orders`,
          hint: t`Search for part of a name, email address or ID, or change the type or date filter.`,
          soFar: t`No matches so far`,
          soFarHint: t`Older orders have not been searched yet.`,
          all: t`Show all orders`,
        }}
        says={(total) => plural(total, { one: '# order', other: '# orders' })}
      >
        <ListSearchField list={list} name="q" label={t`Customer, order or key`} />
        {customer === undefined ? null : (
          <OnlyOne
            label={t`All customers, not just ${String(customer)}`}
            onClear={() => list.change({ customer: '' })}
          >
            <bdi className="max-w-48 truncate">{customer}</bdi>
          </OnlyOne>
        )}
        <ListSelect list={list} name="status" label={t`Status`} options={statuses} />
        <ListSelect list={list} name="kind" label={t`Type`} options={kinds} />
        <PackageFilter list={list} isOperator={accountId !== null} />
        <ListSpan list={list} what={t`Ordered`} />
      </ListCard>
      {opened.key === undefined ? null : (
        <Suspense>
          <OrderDrawer id={opened.key} opened={opened} accountId={accountId} />
        </Suspense>
      )}
    </>
  );
}
