// Says why an order failed and what was refunded, for the drawer.

import { t } from '@lingui/core/macro';
import type { Order } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import type { Fact } from '../../ui/facts.tsx';
import { Time } from '../../ui/time.tsx';

export function failureFacts(order: Order | undefined): readonly Fact[] {
  if (order?.failure === undefined) return [];
  const { reason, at } = order.failure;
  return [
    { name: t`Failed`, value: <Time at={at} /> },
    {
      name: t`Reason`,
      value: reason === null ? t`None given` : <bdi className="wrap-anywhere">{reason}</bdi>,
    },
    { name: t`Refunded`, value: refundedText(order) },
  ];
}

function refundedText({ failure, currency }: Order): string {
  const amount = formatMoney(failure?.refunded ?? '0.00', currency);
  return t`Refunded ${amount} because the order failed`;
}
