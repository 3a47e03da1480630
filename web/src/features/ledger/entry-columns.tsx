import { t } from '@lingui/core/macro';
import type { ComponentType, ReactNode } from 'react';
import type { LedgerEntry, PanelLedgerEntry } from '../../api/shapes.ts';
import { entryKindWord } from '../../text/words.ts';
import { type Column, TwoLines } from '../../ui/data-table.tsx';
import { Money } from '../../ui/money.tsx';
import { Time } from '../../ui/time.tsx';

/** In the panel, entries include the order's customer. */
type Entry = LedgerEntry & Partial<Pick<PanelLedgerEntry, 'customer' | 'customer_name'>>;

interface EntryColumns {
  readonly Link: ComponentType<{ readonly entry: Entry; readonly children: ReactNode }>;
  readonly Icon?: ComponentType<{ readonly kind: string }>;
  /** On the order's own page the order is not named. */
  readonly isOfOrder?: boolean;
}

export function entryColumns({ Link, Icon, isOfOrder = false }: EntryColumns): readonly Column<Entry>[] {
  return [
    { title: t`No.`, from: 'md', cell: ({ number }) => <span className="figures text-soft">{number}</span> },
    {
      title: t`Reason`,
      grows: true,
      cell: (entry) => (
        <div className="flex min-w-0 items-center gap-3">
          {Icon && <Icon kind={entry.kind} />}
          <TwoLines
            first={
              <Link entry={entry}>{isOfOrder ? entryKindWord(entry.kind) : <Reason entry={entry} />}</Link>
            }
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

/** Narrow screens show only the customer. */
function Reason({ entry }: { readonly entry: Entry }) {
  const { order_id: orderId, customer, customer_name: name } = entry;
  const kind = entryKindWord(entry.kind);
  if (orderId === null) return kind;
  return (
    <>
      <span className="whitespace-normal max-sm:hidden">{t`${kind} for order ${orderId}`}</span>
      <span className="sm:hidden">
        {kind} · <bdi>{name || (customer ?? orderId)}</bdi>
      </span>
    </>
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
