import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Order } from '../../api/shapes.ts';
import { orderKindWord, orderStatusWord, periodWord } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, TwoLines } from '../../ui/data-table.tsx';
import { Money } from '../../ui/money.tsx';
import { DrawerLink, RowLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import type { OrderPageAddress } from '../ledger/order-page-address.ts';
import { FailedRefund } from './order-failure.tsx';

/** `orderPage` is where a row leads; "drawer" opens the drawer beside the list. */
export function orderColumns({
  orderPage = '/orders/$orderId',
  withCustomer = true,
}: {
  readonly orderPage?: OrderPageAddress | 'drawer';
  readonly withCustomer?: boolean;
} = {}): readonly Column<Order>[] {
  const main = (order: Order) => (withCustomer ? order.customer.reference : order.package.name);
  const customer: Column<Order> = {
    title: withCustomer ? t`Customer` : t`Package`,
    grows: true,
    cell: (order) => (
      <TwoLines
        first={
          orderPage === 'drawer' ? (
            <DrawerLink id={order.id}>
              <bdi>{main(order)}</bdi>
            </DrawerLink>
          ) : (
            <RowLink to={orderPage} params={{ orderId: String(order.id) }}>
              <bdi>{main(order)}</bdi>
            </RowLink>
          )
        }
        second={
          <span className="figures">
            {order.id}
            {withCustomer ? (
              <span className="md:hidden">
                {' · '}
                <bdi>{order.package.name}</bdi>
              </span>
            ) : null}
          </span>
        }
      />
    ),
  };
  const product: Column<Order> = {
    title: t`Package`,
    id: 'package',
    from: 'md',
    cell: (order) => <PackageAndPeriod order={order} />,
  };
  const period: Column<Order> = { title: t`Period`, from: 'md', cell: ({ months }) => periodWord(months) };
  return [
    customer,
    withCustomer ? product : period,
    {
      title: t`Type`,
      id: 'kind',
      from: 'sm',
      cell: ({ kind, status }) => (
        <span className="inline-flex flex-wrap gap-1">
          <OrderKindBadge kind={kind} />
          <UnsettledBadge status={status} />
        </span>
      ),
    },
    {
      title: t`Plan ends`,
      id: 'ends',
      from: 'lg',
      cell: ({ status, expires_at: at }) =>
        status === 'completed' ? <Time at={at} style="day" /> : <span className="text-soft">–</span>,
    },
    {
      title: t`Status`,
      id: 'status',
      from: 'lg',
      isExtra: true,
      cell: ({ status }) => orderStatusWord(status),
    },
    { title: t`Ordered`, id: 'placed', from: 'sm', cell: ({ created_at: at }) => <Time at={at} /> },
    {
      title: t`Price`,
      align: 'end',
      cell: (order) => {
        const { price, refund, currency, failure } = order;
        return (
          <div className="leading-snug">
            <Money amount={price} currency={currency} />
            <FailedRefund order={order} />
            {refund === '0.00' || failure !== undefined ? null : (
              <div className="text-xs">
                <Money amount={refund} currency={currency} signed />
                <span className="sr-only"> {t`refund`}</span>
              </div>
            )}
          </div>
        );
      },
    },
  ];
}

export function PackageAndPeriod({ order: { package: sold, months } }: { readonly order: Order }) {
  return (
    <span className="inline-flex max-w-56 gap-1.5 whitespace-nowrap">
      <bdi className="truncate">{sold.name}</bdi>
      <span className="text-soft">{periodWord(months)}</span>
    </span>
  );
}

/** The type has no color, so that states stand out. */
function OrderKindBadge({ kind }: { readonly kind: string }) {
  return <Badge>{orderKindWord(kind)}</Badge>;
}

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

/** Renders nothing for completed orders, the normal case. */
export function UnsettledBadge({ status }: { readonly status: string }) {
  if (status === 'completed') return null;
  return <Badge tone={status === 'failed' ? 'bad' : 'warn'}>{orderStatusWord(status)}</Badge>;
}

export function orderOnPhone({ kind, status, created_at: at }: Order) {
  return (
    <>
      {orderKindWord(kind)}
      {status === 'completed' ? '' : ` · ${orderStatusWord(status)}`}
      {' · '}
      <Time at={at} />
    </>
  );
}
