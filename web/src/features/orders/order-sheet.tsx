import { t } from '@lingui/core/macro';
import { ShoppingBag } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { OrderWithEntries } from '../../api/shapes.ts';
import { Card } from '../../ui/card.tsx';
import { Copied } from '../../ui/copied.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { priceRuleWords } from '../../ui/ruled-price.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EntryLink, NamedCustomer } from '../../ui/source-links.tsx';
import { entryColumns } from '../ledger/entry-columns.tsx';
import { moneyLine, OrderCourse } from './order-course.tsx';
import { OrderedEnd, SoldPackage } from './order-facts.tsx';

interface OrderSheetProps {
  readonly found: OrderWithEntries | undefined;
  /** null means the signed-in account. */
  readonly accountId: number | null;
  readonly first?: readonly Fact[];
  readonly below?: ReactNode;
}

export function OrderSheet({ found, accountId, first = [], below = null }: OrderSheetProps) {
  const columns = useMemo(
    () =>
      entryColumns({
        Link: ({ entry, children }) => (
          <EntryLink entry={entry} row accountId={accountId}>
            {children}
          </EntryLink>
        ),
        isOfOrder: true,
      }),
    [accountId],
  );
  const order = found?.order;
  const isOperator = accountId !== null;
  const rule = order === undefined ? null : priceRuleWords(order);
  const facts: readonly Fact[] = [
    ...first,
    {
      name: t`Customer`,
      value: order && <NamedCustomer customer={order.customer} isOperator={isOperator} />,
    },
    { name: t`Package`, value: order && <SoldPackage order={order} isOperator={isOperator} /> },
    ...(rule === null ? [] : [{ name: t`Price`, value: rule }]),
    { name: t`New plan end`, value: order && <OrderedEnd order={order} /> },
    {
      name: t`Idempotency key`,
      value: order && <Copied text={order.idempotency_key} label={t`Copy idempotency key`} />,
    },
  ];
  return (
    <div className="flex flex-col gap-5">
      <div className="grid items-start gap-5 lg:grid-cols-[1fr_20rem]">
        <Card>
          <p className="figures mb-3 text-base font-semibold">
            {order === undefined ? <Skeleton className="my-1 w-40" /> : moneyLine(order)}
          </p>
          {/* The last row has a margin of its own. */}
          <div className="-mb-2">
            <Facts facts={facts} />
          </div>
        </Card>
        <Card title={t`Timeline`}>
          <OrderCourse found={found} accountId={accountId} />
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
