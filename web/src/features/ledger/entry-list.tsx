// Every movement of an account's balance, newest first: filters in the address, totals of the time they leave, and a drawer for
// each entry. On the page "Ledger", and for the operator on the account's page.
// The route needs these texts of the address: ledgerParams.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, Wallet, X } from 'lucide-react';
import { filtersOf, type ListSearch, ledgerParams, withoutList } from '../../api/list-params.ts';
import { ledgerQuery, ofAccount } from '../../api/queries.ts';
import { changedParams } from '../../api/search-params.ts';
import { tableState } from '../../api/table-state.ts';
import { spanEnd, spanStart } from '../../text/days.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { entryKindWord } from '../../text/words.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CsvButton } from '../../ui/csv-button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { CursorPager } from '../../ui/pager.tsx';
import { SpanFilter } from '../../ui/span-filter.tsx';
import { ColumnChoice, useTableLayout } from '../../ui/table-layout.tsx';
import { entryColumns } from './entry-columns.tsx';
import { EntryDrawer } from './entry-drawer.tsx';
import { LedgerTotalsLine } from './ledger-totals.tsx';

type LedgerSearch = ListSearch<typeof ledgerParams>;

const columns = entryColumns('.');
const kinds = [
  { value: '', title: t`All kinds` },
  ...['credit', 'debit', 'charge', 'refund'].map((kind) => ({ value: kind, title: entryKindWord(kind) })),
];

interface EntryListProps {
  /** null: the own account. */
  readonly accountId: number | null;
  readonly currency: string;
  /** That can be chosen: 2026-11, the newest first. */
  readonly months: readonly string[];
}

/** What the service is asked for by what the address says. */
export function entriesWanted(search: LedgerSearch) {
  const { from, to } = search;
  return { ...filtersOf(ledgerParams, search), from: spanStart(from), to: spanEnd(to) };
}

export function EntryList({ accountId, currency, months }: EntryListProps) {
  const search: LedgerSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const { month, kind, order_id, from, to, before } = search;
  const filter = entriesWanted(search);
  const query = useQuery(ledgerQuery({ ...filter, before }, accountId));
  const open = useOpenRow(query.data?.data, ({ id }) => id);
  const layout = useTableLayout('ledger');
  const change = (changes: LedgerSearch) =>
    void navigate({
      to: '.',
      search: (now: LedgerSearch) => changedParams(now, changes),
      replace: true,
      resetScroll: false,
    });
  const isFiltered = Object.keys(filtersOf(ledgerParams, search)).length > 0;
  const all = (now: object) => withoutList(ledgerParams, now);
  const monthOptions = [
    { value: '', title: t`All time` },
    ...months.map((one) => ({ value: one, title: formatSeriesDate(one, 'long') })),
  ];
  return (
    <Card flush>
      <FilterBar
        clear={isFiltered ? () => void navigate({ to: '.', search: all, replace: true }) : undefined}
        end={
          <>
            {accountId === null ? null : (
              <CsvButton
                icon={Download}
                path={ofAccount(accountId, '/ledger.csv')}
                query={filter}
                name="ledger"
                label={t`Export as CSV`}
              />
            )}
            <ColumnChoice layout={layout} columns={columns} />
          </>
        }
      >
        <SelectField
          label={t`Month (UTC)`}
          unlabelled
          className="w-48"
          value={month ?? ''}
          options={monthOptions}
          onValue={(value) => change({ month: value, from: '', to: '' })}
        />
        <SelectField
          label={t`Kind`}
          unlabelled
          className="w-36"
          value={kind ?? ''}
          options={kinds}
          onValue={(value) => change({ kind: value })}
        />
        <SpanFilter from={from} to={to} what={t`Entered`} onSpan={(span) => change({ month: '', ...span })} />
        {order_id === undefined ? null : (
          <Button aria-label={t`Take away the order ${order_id}`} onClick={() => change({ order_id: '' })}>
            <span className="figures font-normal">
              <Trans>Order {order_id}</Trans>
            </span>
            <X aria-hidden="true" className="size-4" />
          </Button>
        )}
      </FilterBar>
      {query.data === undefined ? null : <LedgerTotalsLine totals={query.data.totals} currency={currency} />}
      <DataTable
        caption={t`Ledger entries`}
        columns={columns}
        {...tableState(query)}
        rowKey={({ id }) => id}
        layout={layout}
        openKey={open.key}
        empty={
          <EmptyState
            icon={Wallet}
            title={isFiltered ? t`No such entry` : t`Nothing has moved yet`}
            action={
              isFiltered ? (
                <ButtonLink to="." search={all}>
                  {t`Show all time`}
                </ButtonLink>
              ) : undefined
            }
          >
            {t`Credits, charges and refunds appear here, each with the balance after it.`}
          </EmptyState>
        }
        footer={<CursorPager list={query.data} before={before} />}
      />
      <EntryDrawer open={open} accountId={accountId} />
    </Card>
  );
}
