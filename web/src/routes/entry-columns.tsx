// Ledger entries as table rows: why the balance moved, by how much, and what it was then.

import type { LedgerEntry, PanelLedgerEntry } from '../api/shapes.ts';
import { type Column, TwoLines } from '../components/data-table.tsx';
import { Money } from '../components/money.tsx';
import { RowLink } from '../components/text-link.tsx';
import { Time } from '../components/time.tsx';
import { entryKindWord } from '../words.ts';

/** Of the panel's own ledger with the order's customer, of the administrator's without. */
type Entry = LedgerEntry & Partial<Pick<PanelLedgerEntry, 'customer'>>;

/** `linked`: rows of orders lead to the order, which only its own account can open. */
export function entryColumns({ linked }: { readonly linked: boolean }): readonly Column<Entry>[] {
  return [
    { title: 'No.', from: 'md', cell: ({ number }) => <span className="figures text-soft">{number}</span> },
    {
      title: 'Reason',
      grows: true,
      cell: (entry) => (
        <TwoLines
          first={<Reason entry={entry} linked={linked} />}
          second={
            <>
              <span className="sm:hidden">
                <Time at={entry.created_at} />
                {note(entry) === '' ? '' : ' · '}
              </span>
              <bdi>{note(entry)}</bdi>
            </>
          }
        />
      ),
    },
    { title: 'When', from: 'sm', cell: ({ created_at: at }) => <Time at={at} /> },
    {
      title: 'Amount',
      align: 'end',
      cell: ({ amount, currency }) => (
        <Money amount={amount} currency={currency} signed className="font-medium" />
      ),
    },
    {
      title: 'Balance after',
      align: 'end',
      from: 'sm',
      cell: ({ balance_after: after, currency }) => <Money amount={after} currency={currency} />,
    },
  ];
}

function Reason({ entry, linked }: { readonly entry: Entry; readonly linked: boolean }) {
  const { order_id: orderId } = entry;
  const kind = entryKindWord(entry.kind);
  if (orderId === null) return <span className="font-medium">{kind}</span>;
  const words = `${kind} for order ${orderId}`;
  return linked ? (
    <RowLink to="/orders/$orderId" params={{ orderId: String(orderId) }}>
      {words}
    </RowLink>
  ) : (
    <span className="font-medium">{words}</span>
  );
}

function note({ memo, actor, customer = null }: Entry): string {
  if (customer !== null) return customer;
  if (actor === null) return memo ?? '';
  return memo === null || memo === '' ? `by ${actor}` : `${memo} (by ${actor})`;
}
