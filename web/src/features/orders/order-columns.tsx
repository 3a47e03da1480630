import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Order, PanelOrder } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { orderKindWord, orderStatusWord, periodWord, referenceBeside } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, TwoLines } from '../../ui/data-table.tsx';
import { Money } from '../../ui/money.tsx';
import { DrawerLink, TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { FailedRefund } from './order-failure.tsx';

const customerColumn: Column<PanelOrder> = {
  title: t`Customer`,
  grows: true,
  cell: ({ id, customer, package: sold }) => (
    <TwoLines
      first={
        <DrawerLink id={id}>
          <bdi>{customer.name}</bdi>
        </DrawerLink>
      }
      second={
        <span className="flex">
          {referenceBeside(customer) === '' ? null : (
            <>
              <bdi className="truncate max-sm:hidden">{referenceBeside(customer)}</bdi>
              <span className="whitespace-pre max-sm:hidden">{' · '}</span>
            </>
          )}
          <span className="figures">{id}</span>
          <span className="truncate whitespace-pre md:hidden">
            {' · '}
            <bdi>{sold.name}</bdi>
          </span>
        </span>
      }
    />
  ),
};

/** `second` follows the customer. */
export function orderColumns<Row extends PanelOrder = PanelOrder>(
  second: readonly Column<Row>[] = [],
): readonly Column<Row>[] {
  return [
    customerColumn,
    ...second,
    {
      title: t`Package`,
      id: 'package',
      from: 'md',
      cell: (order) => <PackageAndPeriod order={order} />,
    },
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
        const amount = formatMoney(refund, currency);
        return (
          <div className="leading-snug">
            <Money amount={price} currency={currency} />
            <FailedRefund order={order} />
            {refund === '0.00' || failure !== undefined ? null : (
              <div className="text-xs whitespace-nowrap text-soft">
                <Trans>{amount} refunded</Trans>
              </div>
            )}
          </div>
        );
      },
    },
  ];
}

interface PackageAndPeriodProps {
  readonly order: Order;
  /** The operator's package page is linked. */
  readonly isOperator?: boolean;
}

export function PackageAndPeriod({ order: { package: sold, months }, isOperator }: PackageAndPeriodProps) {
  const name = <bdi className="truncate">{sold.name}</bdi>;
  return (
    <span className="inline-flex max-w-56 gap-1.5 whitespace-nowrap">
      {isOperator ? (
        <TextLink to="/admin/packages/$packageId" params={{ packageId: String(sold.id) }}>
          {name}
        </TextLink>
      ) : (
        name
      )}
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
