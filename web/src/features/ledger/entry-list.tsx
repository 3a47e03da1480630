// An account's ledger, newest first, with filters, totals and drawers. The route must accept ledgerParams.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Wallet } from 'lucide-react';
import { Suspense } from 'react';
import { type ListSearch, ledgerParams } from '../../api/list-params.ts';
import { ledgerQuery } from '../../api/log-queries.ts';
import { listOf } from '../../api/queries.ts';
import { spanEnd, spanStart, timesOfUtc } from '../../text/days.ts';
import { withTexts } from '../../text/texts.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { entryKindWord } from '../../text/words.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListCard, ListSearchField, ListSelect, ListSpan, OnlyOne } from '../../ui/list-card.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { lazyEarly } from '../../ui/preload.ts';
import { DrawerLink } from '../../ui/text-link.tsx';
import { useList } from '../../ui/use-list.ts';
import { entryColumns } from './entry-columns.tsx';
import { EntryIcon } from './entry-icon.tsx';
import { LedgerTotalsLine } from './ledger-totals.tsx';

type LedgerSearch = ListSearch<typeof ledgerParams>;

const EntryDrawer = lazyEarly(withTexts(() => import('./entry-drawer.tsx')));

const columns = entryColumns({
  Link: ({ entry, children }) => <DrawerLink id={entry.id}>{children}</DrawerLink>,
  Icon: EntryIcon,
});
const kinds = [
  { value: '', title: t`All types` },
  ...['credit', 'debit', 'charge', 'refund', 'reversal', 'settlement', 'reinstatement'].map((kind) => ({
    value: kind,
    title: entryKindWord(kind),
  })),
];

interface EntryListProps {
  /** null means the signed-in account. */
  readonly accountId: number | null;
  readonly currency: string;
}

function entriesWanted(search: LedgerSearch) {
  const { q, month, kind, order_id, from, to } = search;
  const span = month === undefined ? { from, to } : timesOfUtc(month);
  return { words: q, kind, order_id, created_from: spanStart(span.from), created_to: spanEnd(span.to) };
}

export function EntryList({ accountId, currency }: EntryListProps) {
  const list = useList(ledgerParams);
  const { month, order_id, cursor } = list.search;
  const filter = entriesWanted(list.search);
  const query = useQuery(ledgerQuery({ ...filter, cursor }, accountId));
  const open = useOpenRow(query.data?.data, ({ id }) => id);
  return (
    <>
      <ListCard
        list={list}
        query={query}
        name="ledger"
        csv={{ path: listOf(accountId, 'ledger'), query: filter, name: `ledger-${month ?? 'all'}` }}
        caption={t`Ledger entries`}
        columns={columns}
        rowKey={({ id }) => id}
        openKey={open.key}
        above={
          query.error !== null && query.data === undefined ? undefined : (
            <LedgerTotalsLine totals={query.data?.totals} currency={currency} />
          )
        }
        none={
          <EmptyState
            icon={Wallet}
            title={list.isFiltered ? t`No matching entries` : t`No transactions yet`}
            action={
              list.isFiltered ? (
                <ButtonLink to="." search={list.all}>
                  {t`Show all time`}
                </ButtonLink>
              ) : undefined
            }
          >
            {t`Credits, charges and refunds appear here, each with the balance after it.`}
          </EmptyState>
        }
      >
        <ListSearchField list={list} name="q" label={t`Customer, order or entry number`} />
        <ListSelect list={list} name="kind" label={t`Type`} options={kinds} />
        {month === undefined ? (
          <ListSpan list={list} what={t`Posted`} />
        ) : (
          <OnlyOne
            label={t`Remove date filter: ${formatSeriesDate(month, 'long')}`}
            onClear={() => list.change({ month: '' })}
          >
            <span className="font-normal">{t`${formatSeriesDate(month, 'long')} (UTC)`}</span>
          </OnlyOne>
        )}
        {order_id === undefined ? null : (
          <OnlyOne label={t`Remove filter: order ${order_id}`} onClear={() => list.change({ order_id: '' })}>
            <span className="figures font-normal">
              <Trans>Order {order_id}</Trans>
            </span>
          </OnlyOne>
        )}
      </ListCard>
      {open.key === undefined ? null : (
        <Suspense>
          <EntryDrawer open={open} accountId={accountId} />
        </Suspense>
      )}
    </>
  );
}
