// What an order's drawer and page show of it besides the list's columns, which load without this.

import { Trans } from '@lingui/react/macro';
import type { Order } from '../../api/shapes.ts';
import { orderStatusWord, periodWord } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { OrderKindBadge, UnsettledBadge } from './order-columns.tsx';

/** Type and status of one order. */
export function OrderBadges({ order: { kind, status } }: { readonly order: Order }) {
  return (
    <span className="inline-flex gap-1">
      <OrderKindBadge kind={kind} />
      {status === 'completed' ? (
        <Badge tone="good">{orderStatusWord(status)}</Badge>
      ) : (
        <UnsettledBadge status={status} />
      )}
    </span>
  );
}

/** An unconfirmed order has an end only after the product confirms it. */
export function OrderedEnd({ order: { status, expires_at: at } }: { readonly order: Order }) {
  if (status === 'failed') return '–';
  if (status === 'completed') return <Time at={at} />;
  return (
    <Trans>
      <Time at={at} />, once confirmed
    </Trans>
  );
}

interface SoldPackageProps {
  readonly order: Order;
  /** Only the operator has a page of the package. */
  readonly isOperator: boolean;
}

export function SoldPackage({ order: { package: sold, months }, isOperator }: SoldPackageProps) {
  return (
    <>
      {isOperator ? (
        <TextLink to="/admin/packages/$packageId" params={{ packageId: String(sold.id) }}>
          <bdi>{sold.name}</bdi>
        </TextLink>
      ) : (
        <bdi>{sold.name}</bdi>
      )}{' '}
      <span className="text-soft">{periodWord(months)}</span>
    </>
  );
}
