// Calls that ran out of attempts, with what their orders hold. Several orders can be accepted or failed at once.

import { plural, t } from '@lingui/core/macro';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { heldOrdersQuery } from '../../api/console-queries.ts';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import type { Listed, ProductCall } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { formatMoney, fromCents, toCents } from '../../text/amounts.ts';
import { formatCount } from '../../text/language.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useRowSelection } from '../../ui/row-selection.ts';
import { TotalsLine } from '../../ui/totals-line.tsx';
import { BulkSettleDialog } from './bulk-settle-dialog.tsx';
import { CallTable } from './call-table.tsx';

interface AttentionListProps {
  readonly query: UseQueryResult<Listed<ProductCall>>;
  readonly empty: ReactNode;
}

export function AttentionList({ query, empty }: AttentionListProps) {
  const { currency } = useMe().account;
  const maySettle = useMay()('admin:credit');
  const { data: held } = useQuery(heldOrdersQuery);
  const [asked, setAsked] = useState<'accept' | 'fail' | null>(null);
  const selection = useRowSelection<ProductCall>({
    rowKey: ({ id }) => id,
    nameOf: ({ customer }) => t`Select ${customer.reference}`,
    isSelectable: ({ order_id, decides_order }) => order_id !== null && decides_order,
    key: 'attention',
  });
  const amounts = new Map(held?.data.map(({ order_id, amount }) => [order_id, amount]));
  const rows = query.data?.data ?? [];
  // A call that was settled meanwhile has left the list.
  const chosen = selection.rows.filter(({ id }) => rows.some((row) => row.id === id));
  const orders = chosen.flatMap(({ order_id: orderId, customer }) =>
    orderId === null ? [] : [{ orderId, name: customer.reference, amount: amounts.get(orderId) ?? null }],
  );
  const total = fromCents(orders.reduce((sum, { amount }) => sum + toCents(amount ?? '0.00'), 0n));
  return (
    <Card flush>
      {rows.length === 0 ? null : (
        <TotalsLine
          totals={{
            held: {
              name: t`Held by pending orders`,
              value: held && `${formatMoney(held.total, currency)}${held.more ? '+' : ''}`,
            },
            orders: {
              name: t`Pending orders`,
              value: held && `${formatCount(held.count)}${held.more ? '+' : ''}`,
            },
          }}
        />
      )}
      {chosen.length === 0 || !maySettle ? null : (
        <section
          aria-label={t`Selected orders`}
          className="sticky top-(--list-top) z-20 flex flex-wrap items-center gap-2 border-b border-line bg-accent-fill px-4 py-2 md:px-5"
        >
          <p className="figures mr-auto max-sm:w-full">
            {plural(chosen.length, { one: '# selected', other: '# selected' })}
            {` · ${formatMoney(total, currency)}`}
          </p>
          <Button onClick={selection.clear}>{t`Select none`}</Button>
          <Button onClick={() => setAsked('accept')}>{t`Accept orders`}</Button>
          <Button look="danger" onClick={() => setAsked('fail')}>{t`Fail orders`}</Button>
        </section>
      )}
      <CallTable
        caption={t`Needs attention`}
        list="attention"
        amounts={amounts}
        state={{ ...tableState(query), ...(maySettle && rows.length > 0 && { selection }) }}
        empty={empty}
      />
      {asked === null ? null : (
        <BulkSettleDialog
          orders={orders}
          outcome={asked}
          total={total}
          currency={currency}
          onClose={(settled) => {
            setAsked(null);
            selection.chooseAll(chosen.filter(({ order_id: id }) => id !== null && !settled.has(id)));
          }}
        />
      )}
    </Card>
  );
}
