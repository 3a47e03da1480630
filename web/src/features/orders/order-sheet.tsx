import { t } from '@lingui/core/macro';
import { ShoppingBag } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Order, OrderWithEntries } from '../../api/shapes.ts';
import { Card } from '../../ui/card.tsx';
import { Copied } from '../../ui/copied.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { RuledPrice } from '../../ui/ruled-price.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { entryColumns } from '../ledger/entry-columns.tsx';
import { OrderedEnd, PackageAndPeriod } from './order-columns.tsx';
import { moneyLine, OrderCourse } from './order-course.tsx';

const columns = entryColumns(null);

interface OrderSheetProps {
  readonly found: OrderWithEntries | undefined;
  readonly customer: (order: Order) => ReactNode;
  readonly first?: readonly Fact[];
  readonly below?: ReactNode;
}

export function OrderSheet({ found, customer, first = [], below = null }: OrderSheetProps) {
  const order = found?.order;
  const value = <Value,>(read: (order: Order) => Value) => (order === undefined ? undefined : read(order));
  const facts: readonly Fact[] = [
    ...first,
    { name: t`Customer`, value: value(customer) },
    { name: t`Package`, value: value((known) => <PackageAndPeriod order={known} />) },
    { name: t`Price`, value: value((known) => <RuledPrice of={known} />) },
    { name: t`Ordered`, value: value(({ created_at: at }) => <Time at={at} />) },
    { name: t`New plan end`, value: value((known) => <OrderedEnd order={known} />) },
    {
      name: t`Idempotency key`,
      value: value(({ idempotency_key: key }) => <Copied text={key} label={t`Copy idempotency key`} />),
    },
  ];
  return (
    <div className="flex flex-col gap-5">
      <div className="grid gap-5 lg:grid-cols-[1fr_20rem]">
        <Card>
          <p className="figures mb-3 text-base font-semibold">
            {order === undefined ? <Skeleton className="my-1 w-40" /> : moneyLine(order)}
          </p>
          <Facts facts={facts} />
        </Card>
        <Card title={t`Timeline`}>
          <OrderCourse found={found} />
        </Card>
      </div>
      {below}
      <Card title={t`Ledger entries`} description={t`Charges and refunds for this order.`} lined>
        <DataTable
          caption={t`Ledger entries for this order`}
          columns={columns}
          rows={found?.entries}
          rowKey={({ id }) => id}
          empty={<EmptyState icon={ShoppingBag} title={t`No charge`} />}
        />
      </Card>
    </div>
  );
}
