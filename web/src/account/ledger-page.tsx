// Every movement of the balance, newest first; of one month together with its statement.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download, Wallet, X } from 'lucide-react';
import { useMe } from '../api/me.ts';
import { ledgerQuery, statementsQuery } from '../api/queries.ts';
import { changedParams } from '../api/search-params.ts';
import { tableState } from '../api/table-state.ts';
import { spanEnd, spanStart } from '../text/days.ts';
import { formatSeriesDate } from '../text/times.ts';
import { entryKindWord } from '../text/words.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CsvButton } from '../ui/csv-button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { SelectField } from '../ui/field.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { Money } from '../ui/money.tsx';
import { useOpenRow } from '../ui/open-row.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { CursorPager } from '../ui/pager.tsx';
import { SpanFilter } from '../ui/span-filter.tsx';
import { ColumnChoice, useTableLayout } from '../ui/table-layout.tsx';
import { entryColumns } from './entry-columns.tsx';
import { EntryDrawer } from './entry-drawer.tsx';
import { LedgerTotalsLine } from './ledger-totals.tsx';
import { StatementCard } from './statement-card.tsx';

const route = getRouteApi('/panel/ledger');
const columns = entryColumns('.');
const kinds = [
  { value: '', title: t`All kinds` },
  ...['credit', 'debit', 'charge', 'refund'].map((kind) => ({ value: kind, title: entryKindWord(kind) })),
];

export function LedgerPage() {
  const { account } = useMe();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { month, kind, order_id, from, to, before } = search;
  const filter = { month, kind, order_id, from: spanStart(from), to: spanEnd(to) };
  const query = useQuery(ledgerQuery({ ...filter, before }));
  const open = useOpenRow(query.data?.data, ({ id }) => id);
  const layout = useTableLayout('ledger');
  const change = (changes: Partial<typeof search>) =>
    void navigate({ search: changedParams(search, changes), replace: true });
  const isFiltered = [month, kind, order_id, from, to].some((value) => value !== undefined);
  const { data: statements } = useQuery(statementsQuery);
  const statement = statements?.data.find((one) => one.month === month);
  const months = [
    { value: '', title: t`All time` },
    ...(statements?.data ?? []).map((one) => ({
      value: one.month,
      title: formatSeriesDate(one.month, 'long'),
    })),
  ];
  return (
    <>
      <PageHeader
        title={t`Ledger`}
        description={
          <Trans>
            Balance:{' '}
            <Money amount={account.balance} currency={account.currency} className="font-medium text-ink" />
          </Trans>
        }
        actions={
          <>
            <ButtonLink to="/statements">
              <Trans>Statements</Trans>
            </ButtonLink>
            <CsvButton path="/ledger.csv" query={filter} name={`ledger-${month ?? 'all'}`}>
              <Download aria-hidden="true" className="size-4" />
              {isFiltered ? t`Export these as CSV` : t`Export CSV`}
            </CsvButton>
          </>
        }
      />
      <div className="flex flex-col gap-5">
        {statement === undefined ? null : <StatementCard statement={statement} currency={account.currency} />}
        <Card flush>
          <FilterBar
            clear={
              isFiltered ? () => change({ month: '', kind: '', order_id: '', from: '', to: '' }) : undefined
            }
            end={<ColumnChoice layout={layout} columns={columns} />}
          >
            <SelectField
              label={t`Month (UTC)`}
              unlabelled
              className="w-48"
              value={month ?? ''}
              options={months}
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
            <SpanFilter
              from={from}
              to={to}
              what={t`Entered`}
              onSpan={(span) => change({ month: '', ...span })}
            />
            {order_id === undefined ? null : (
              <Button
                aria-label={t`Take away the order ${order_id}`}
                onClick={() => change({ order_id: '' })}
              >
                <span className="figures font-normal">
                  <Trans>Order {order_id}</Trans>
                </span>
                <X aria-hidden="true" className="size-4" />
              </Button>
            )}
          </FilterBar>
          {query.data === undefined ? null : (
            <LedgerTotalsLine totals={query.data.totals} currency={account.currency} />
          )}
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
                    <ButtonLink to="/ledger" search={{}}>
                      <Trans>Show all time</Trans>
                    </ButtonLink>
                  ) : undefined
                }
              >
                <Trans>Credits, charges and refunds appear here, each with the balance after it.</Trans>
              </EmptyState>
            }
            footer={<CursorPager list={query.data} before={before} />}
          />
          <EntryDrawer open={open} />
        </Card>
      </div>
    </>
  );
}
