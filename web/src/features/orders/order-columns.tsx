import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Order, PanelOrder } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { orderKindWord, orderStatusWord, periodWord, referenceBeside } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, TwoLines } from '../../ui/data-table.tsx';
import { Money } from '../../ui/money.tsx';
import { DrawerLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';

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
        <span className="block truncate">
          <span className="figures">{id}</span>
          {referenceBeside(customer) === '' ? null : (
            <span className="max-sm:hidden">
              {' · '}
              <bdi>{referenceBeside(customer)}</bdi>
            </span>
          )}
          <span className="lg:hidden">
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
      from: 'lg',
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
      cell: ({ price, refund, currency, failure }) => {
        const back = failure === undefined ? refund : failure.refunded;
        const amount = formatMoney(back, currency);
        return (
          <div className="leading-snug">
            <Money amount={price} currency={currency} />
            {back === '0.00' ? null : (
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

function PackageAndPeriod({ order: { package: sold, months } }: { readonly order: Order }) {
  return (
    <span className="inline-flex max-w-56 gap-1.5 whitespace-nowrap">
      <bdi className="truncate">{sold.name}</bdi>
      <span className="text-soft">{periodWord(months)}</span>
    </span>
  );
}

/** The type has no color, so that states stand out. */
export function OrderKindBadge({ kind }: { readonly kind: string }) {
  return <Badge>{orderKindWord(kind)}</Badge>;
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
