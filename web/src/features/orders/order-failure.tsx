// Says why an order failed and what was refunded, for drawers, pages and rows.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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

export function FailedRefund({ order }: { readonly order: Order }) {
  if (order.failure === undefined || order.failure.refunded === '0.00') return null;
  const amount = formatMoney(order.failure.refunded, order.currency);
  return (
    <div className="text-xs whitespace-nowrap text-soft">
      <Trans>{amount} refunded</Trans>
    </div>
  );
}
