// One order: what was bought for whom, and what it did to the balance.

import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RefreshCw, ShoppingBag } from 'lucide-react';
import { orderQuery } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { type Fact, Facts } from '../components/facts.tsx';
import { Money } from '../components/money.tsx';
import { BackLink, PageHeader } from '../components/page-header.tsx';
import { PageProblem } from '../components/page-problem.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Time } from '../components/time.tsx';
import { useOpenOrder } from '../shell/open-order.ts';
import { orderStatusWord, periodWord } from '../words.ts';
import { entryColumns } from './entry-columns.tsx';
import { OrderKindBadge } from './order-columns.tsx';

const route = getRouteApi('/panel/orders/$orderId');
const columns = entryColumns({ linked: false });

export function OrderPage() {
  const { orderId } = route.useParams();
  const openOrder = useOpenOrder();
  const { data, error, refetch } = useQuery(orderQuery(orderId));
  const back = <BackLink to="/orders">Orders</BackLink>;
  if (error !== null && data === undefined) {
    return (
      <PageProblem title={`Order ${orderId}`} back={back} error={error} onRetry={() => void refetch()} />
    );
  }
  const order = data?.order;
  const value = <Value,>(read: (found: NonNullable<typeof order>) => Value) =>
    order === undefined ? undefined : read(order);
  const facts: readonly Fact[] = [
    {
      name: 'Customer',
      value: value(({ customer }) => (
        <TextLink to="/customers/$customerId" params={{ customerId: String(customer.id) }}>
          <bdi>{customer.reference}</bdi>
        </TextLink>
      )),
    },
    { name: 'Package', value: value((found) => <bdi>{found.package.name}</bdi>) },
    { name: 'Period', value: value(({ months }) => periodWord(months)) },
    { name: 'Kind', value: value(({ kind }) => <OrderKindBadge kind={kind} />) },
    { name: 'Price', value: value(({ price, currency }) => <Money amount={price} currency={currency} />) },
    { name: 'Refund', value: value(({ refund, currency }) => <Money amount={refund} currency={currency} />) },
    { name: 'Placed', value: value(({ created_at: at }) => <Time at={at} />) },
    { name: 'Plan ends after it', value: value(({ expires_at: at }) => <Time at={at} />) },
    {
      name: 'Idempotency key',
      value: value(({ idempotency_key: key }) => (
        <span className="inline-flex items-center gap-1">
          <code className="font-mono text-xs wrap-anywhere">{key}</code>
          <CopyButton text={key} label="Copy idempotency key" />
        </span>
      )),
    },
    { name: 'Status', value: value(({ status }) => orderStatusWord(status)) },
  ];
  return (
    <>
      <PageHeader
        title={`Order ${orderId}`}
        mark={<CopyButton text={orderId} label="Copy order id" />}
        back={back}
        actions={
          order === undefined ? undefined : (
            <Button
              onClick={() =>
                openOrder({
                  type: 'renew',
                  orderId: order.id,
                  customer: order.customer.reference,
                  packageName: order.package.name,
                  months: order.months,
                })
              }
            >
              <RefreshCw aria-hidden="true" className="size-4" />
              Renew
            </Button>
          )
        }
      />
      <div className="flex flex-col gap-5">
        <Card>
          <Facts columns={2} facts={facts} />
        </Card>
        <Card title="In the ledger" description="What this order moved." flush>
          <div className="border-t border-line">
            <DataTable
              caption="Ledger entries of this order"
              columns={columns}
              rows={data?.entries}
              rowKey={({ id }) => id}
              empty={<EmptyState icon={ShoppingBag} title="This order moved nothing" />}
            />
          </div>
        </Card>
      </div>
    </>
  );
}
