// What an account did: its ledger, its orders, its customers, its requests, a page at a time. The address says which.

import { t } from '@lingui/core/macro';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { customerColumns } from '../account/customer-columns.tsx';
import { entryColumns } from '../account/entry-columns.tsx';
import { orderColumns } from '../account/order-columns.tsx';
import { accountCustomersQuery, accountLedgerQuery, accountOrdersQuery } from '../api/queries.ts';
import type { Page } from '../api/shapes.ts';
import { tableState } from '../api/table-state.ts';
import { RequestList } from '../requests/request-list.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { NumberedPager } from '../ui/pager.tsx';

const route = getRouteApi('/panel/admin/accounts/$accountId');

const tabs = [
  { tab: 'ledger', title: t`Ledger` },
  { tab: 'orders', title: t`Orders` },
  { tab: 'customers', title: t`Customers` },
  { tab: 'requests', title: t`Requests` },
] as const;

const ledgerColumns = entryColumns('/admin/orders/$orderId');
const ordersColumns = orderColumns({ orderPage: '/admin/orders/$orderId' });
const customersColumns = customerColumns({ links: 'console' });

interface ListProps {
  readonly accountId: number;
  readonly page: string | undefined;
}

export function AccountHistory({ accountId }: { readonly accountId: number }) {
  const search = route.useSearch();
  const { tab: chosen } = tabs.find(({ tab }) => tab === search.tab) ?? tabs[0];
  const list: ListProps = { accountId, page: search.page };
  return (
    <>
      <Card flush>
        <nav aria-label={t`History`} className="flex gap-1 border-b border-line px-4 pt-2">
          {tabs.map(({ tab, title }) => (
            <Link
              key={tab}
              to="."
              search={tab === 'ledger' ? {} : { tab }}
              replace
              resetScroll={false}
              activeOptions={{ exact: true }}
              aria-current={tab === chosen ? 'page' : undefined}
              className="-mb-px min-h-9 border-b-2 border-transparent px-3 py-1.5 text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink forced-colors:not-aria-[current=page]:border-[Canvas]"
            >
              {title}
            </Link>
          ))}
        </nav>
        {chosen === 'ledger' ? <LedgerList {...list} /> : null}
        {chosen === 'orders' ? <OrderList {...list} /> : null}
        {chosen === 'customers' ? <CustomerList {...list} /> : null}
      </Card>
      {chosen === 'requests' ? <RequestList accountId={accountId} /> : null}
    </>
  );
}

function LedgerList({ accountId, page }: ListProps) {
  return (
    <HistoryList
      noun="entries"
      columns={ledgerColumns}
      query={useQuery(accountLedgerQuery(accountId, { page }))}
    />
  );
}

function OrderList({ accountId, page }: ListProps) {
  return (
    <HistoryList
      noun="orders"
      columns={ordersColumns}
      query={useQuery(accountOrdersQuery(accountId, { page }))}
    />
  );
}

function CustomerList({ accountId, page }: ListProps) {
  return (
    <HistoryList
      noun="customers"
      columns={customersColumns}
      query={useQuery(accountCustomersQuery(accountId, { page }))}
    />
  );
}

function HistoryList<Row extends { readonly id: number }>({
  noun,
  columns,
  query,
}: {
  readonly noun: string;
  readonly columns: readonly Column<Row>[];
  readonly query: UseQueryResult<Page<Row>>;
}) {
  return (
    <DataTable
      caption={t`The account’s ${noun}`}
      columns={columns}
      {...tableState(query)}
      rowKey={({ id }) => id}
      empty={
        <EmptyState icon={Inbox} title={t`No ${noun} yet`}>
          {noun === 'entries' ? t`Credit the account: it pays its orders from its balance.` : undefined}
        </EmptyState>
      }
      footer={<NumberedPager list={query.data} noun={noun} />}
    />
  );
}
