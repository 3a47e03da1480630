import { t } from '@lingui/core/macro';
import { ShoppingBag } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Order, OrderWithEntries } from '../../api/shapes.ts';
import { orderStatusWord, periodWord } from '../../text/words.ts';
import { Card } from '../../ui/card.tsx';
import { Copied } from '../../ui/copied.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Money } from '../../ui/money.tsx';
import { RuledPrice } from '../../ui/ruled-price.tsx';
import { Time } from '../../ui/time.tsx';
import { entryColumns } from '../ledger/entry-columns.tsx';
import { OrderedEnd, OrderKindBadge, UnsettledBadge } from './order-columns.tsx';
import { failureFacts } from './order-failure.tsx';

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
    { name: t`Package`, value: value(({ package: { name } }) => <bdi>{name}</bdi>) },
    { name: t`Period`, value: value(({ months }) => periodWord(months)) },
    {
      name: t`Type`,
      value: value(({ kind, status }) => (
        <span className="inline-flex gap-1">
          <OrderKindBadge kind={kind} />
          <UnsettledBadge status={status} />
        </span>
      )),
    },
    { name: t`Price`, value: value((known) => <RuledPrice of={known} />) },
    ...(order?.failure === undefined
      ? [
          {
            name: t`Refund`,
            value: value(({ refund, currency }) => <Money amount={refund} currency={currency} />),
          },
        ]
      : []),
    { name: t`Ordered`, value: value(({ created_at: at }) => <Time at={at} />) },
    { name: t`New plan end`, value: value((known) => <OrderedEnd order={known} />) },
    {
      name: t`Idempotency key`,
      value: value(({ idempotency_key: key }) => <Copied text={key} label={t`Copy idempotency key`} />),
    },
    { name: t`Status`, value: value(({ status }) => orderStatusWord(status)) },
    ...failureFacts(order),
  ];
  return (
    <div className="flex flex-col gap-5">
      <Card>
        <Facts columns={2} facts={facts} />
      </Card>
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
