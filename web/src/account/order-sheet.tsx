// What an order was, and what it did to the balance: the account's own order page and the console's show this.

import { ShoppingBag } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Order, OrderWithEntries } from '../api/shapes.ts';
import { orderStatusWord, periodWord } from '../text/words.ts';
import { Card } from '../ui/card.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { type Fact, Facts } from '../ui/facts.tsx';
import { Money } from '../ui/money.tsx';
import { Time } from '../ui/time.tsx';
import { entryColumns } from './entry-columns.tsx';
import { OrderKindBadge } from './order-columns.tsx';

const columns = entryColumns(null);

interface OrderSheetProps {
  /** undefined: still being fetched. */
  readonly found: OrderWithEntries | undefined;
  readonly customer: (order: Order) => ReactNode;
  /** Facts that stand before the order's own. */
  readonly first?: readonly Fact[];
}

export function OrderSheet({ found, customer, first = [] }: OrderSheetProps) {
  const order = found?.order;
  const value = <Value,>(read: (order: Order) => Value) => (order === undefined ? undefined : read(order));
  const facts: readonly Fact[] = [
    ...first,
    { name: 'Customer', value: value(customer) },
    { name: 'Package', value: value(({ package: { name } }) => <bdi>{name}</bdi>) },
    { name: 'Period', value: value(({ months }) => periodWord(months)) },
    { name: 'Kind', value: value(({ kind }) => <OrderKindBadge kind={kind} />) },
    { name: 'Price', value: value(({ price, currency }) => <Money amount={price} currency={currency} />) },
    { name: 'Refund', value: value(({ refund, currency }) => <Money amount={refund} currency={currency} />) },
    { name: 'Placed', value: value(({ created_at: at }) => <Time at={at} />) },
    { name: 'Plan then ends', value: value(({ expires_at: at }) => <Time at={at} />) },
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
    <div className="flex flex-col gap-5">
      <Card>
        <Facts columns={2} facts={facts} />
      </Card>
      <Card title="In the ledger" description="What this order moved." flush>
        <div className="border-t border-line">
          <DataTable
            caption="Ledger entries of this order"
            columns={columns}
            rows={found?.entries}
            rowKey={({ id }) => id}
            empty={<EmptyState icon={ShoppingBag} title="This order moved nothing" />}
          />
        </div>
      </Card>
    </div>
  );
}
