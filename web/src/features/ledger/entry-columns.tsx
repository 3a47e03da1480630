import { t } from '@lingui/core/macro';
import type { ComponentType } from 'react';
import type { LedgerEntry, PanelLedgerEntry } from '../../api/shapes.ts';
import { entryKindWord } from '../../text/words.ts';
import { type Column, TwoLines } from '../../ui/data-table.tsx';
import { Money } from '../../ui/money.tsx';
import { DrawerLink, RowLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import type { OrderPageAddress } from './order-page-address.ts';

/** In the panel, entries include the order's customer. */
type Entry = LedgerEntry & Partial<Pick<PanelLedgerEntry, 'customer' | 'customer_name'>>;

/** `orderPage` is where an order's row leads. "." opens the row's drawer; null means no link. */
export function entryColumns(
  orderPage: OrderPageAddress | '.' | null,
  Icon?: ComponentType<{ readonly kind: string }>,
): readonly Column<Entry>[] {
  return [
    { title: t`No.`, from: 'md', cell: ({ number }) => <span className="figures text-soft">{number}</span> },
    {
      title: t`Reason`,
      grows: true,
      cell: (entry) => (
        <div className="flex min-w-0 items-center gap-3">
          {Icon && <Icon kind={entry.kind} />}
          <TwoLines
            first={<Reason entry={entry} orderPage={orderPage} />}
            second={
              <>
                <span className="sm:hidden">
                  <Time at={entry.created_at} />
                  {note(entry) === '' || isOfCustomer(entry) ? '' : ' · '}
                </span>
                <bdi className={isOfCustomer(entry) ? 'max-sm:hidden' : undefined}>{note(entry)}</bdi>
              </>
            }
          />
        </div>
      ),
    },
    { id: 'when', title: t`When`, from: 'sm', cell: ({ created_at: at }) => <Time at={at} /> },
    {
      title: t`Amount`,
      align: 'end',
      cell: ({ amount, currency }) => (
        <Money amount={amount} currency={currency} signed className="font-medium" />
      ),
    },
    {
      id: 'balance_after',
      title: t`Balance after`,
      align: 'end',
      from: 'sm',
      cell: ({ balance_after: after, currency }) => <Money amount={after} currency={currency} />,
    },
  ];
}

interface ReasonProps {
  readonly entry: Entry;
  readonly orderPage: OrderPageAddress | '.' | null;
}

function Reason({ entry, orderPage }: ReasonProps) {
  const { order_id: orderId } = entry;
  const kind = entryKindWord(entry.kind);
  if (orderPage === '.') {
    return (
      <DrawerLink id={entry.id}>
        <span className="max-sm:hidden">{orderId === null ? kind : t`${kind} for order ${orderId}`}</span>
        <span className="sm:hidden">
          {kind}
          {orderId === null ? null : (
            <>
              {' '}
              · <bdi>{entry.customer_name || (entry.customer ?? orderId)}</bdi>
            </>
          )}
        </span>
      </DrawerLink>
    );
  }
  if (orderId === null) return <span className="font-medium">{kind}</span>;
  // Narrow screens show only the customer.
  const words = (
    <>
      <span className="max-sm:hidden">{t`${kind} for order ${orderId}`}</span>
      <span className="sm:hidden">
        {kind} · <bdi>{entry.customer ?? orderId}</bdi>
      </span>
    </>
  );
  return orderPage === null ? (
    <span className="font-medium">{words}</span>
  ) : (
    <RowLink to={orderPage} params={{ orderId: String(orderId) }}>
      {words}
    </RowLink>
  );
}

function isOfCustomer({ customer = null }: Entry): boolean {
  return customer !== null;
}

function note({ memo, actor, customer = null, customer_name: name }: Entry): string {
  if (customer !== null) return name === customer || !name ? customer : `${name} · ${customer}`;
  if (actor === null) return memo ?? '';
  return memo === null || memo === '' ? t`by ${actor}` : `${memo} (by ${actor})`;
}
