import { t } from '@lingui/core/macro';
import type { Topup } from '../../api/shapes.ts';
import { formatMoney, toCents } from '../../text/amounts.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, TwoLines } from '../../ui/data-table.tsx';
import { Money } from '../../ui/money.tsx';
import { RowLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { topupMethodWord, topupStatusWord, topupTone } from './topup-words.ts';

export function TopupStatusBadge({ topup: { status } }: { readonly topup: Pick<Topup, 'status'> }) {
  return <Badge tone={topupTone(status)}>{topupStatusWord(status)}</Badge>;
}

/** Such as "$5.00 refunded", or "" if nothing went back. */
function wentBackWords({ refunded, disputed, currency }: Topup): string {
  return [
    ...(toCents(refunded) > 0n ? [t`${formatMoney(refunded, currency)} refunded`] : []),
    ...(toCents(disputed) > 0n ? [t`${formatMoney(disputed, currency)} disputed`] : []),
  ].join(', ');
}

export function TopupAmount({ topup }: { readonly topup: Topup }) {
  return (
    <>
      <Money amount={topup.amount} currency={topup.currency} className="font-medium" />
      <div className="text-xs whitespace-nowrap text-soft empty:hidden">{wentBackWords(topup)}</div>
    </>
  );
}

export const topupColumns: readonly Column<Topup>[] = [
  {
    title: t`Payment method`,
    grows: true,
    cell: (topup) => (
      <TwoLines
        first={
          <RowLink to="/top-ups/$topupId" params={{ topupId: String(topup.id) }}>
            {topupMethodWord(topup.method)}
          </RowLink>
        }
        second={topup.reference === null ? '' : <bdi className="max-sm:hidden">{topup.reference}</bdi>}
      />
    ),
  },
  { title: t`Status`, from: 'sm', cell: (topup) => <TopupStatusBadge topup={topup} /> },
  { id: 'created', title: t`Requested`, from: 'sm', cell: ({ created_at: at }) => <Time at={at} /> },
  {
    id: 'credited',
    title: t`Credited`,
    from: 'lg',
    cell: ({ credited_at: at }) => (at === null ? '–' : <Time at={at} />),
  },
  {
    title: t`Amount`,
    align: 'end',
    cell: (topup) => <TopupAmount topup={topup} />,
  },
];

export function topupOnPhone(topup: Topup) {
  return (
    <>
      <TopupStatusBadge topup={topup} /> <Time at={topup.created_at} style="day" />
    </>
  );
}
