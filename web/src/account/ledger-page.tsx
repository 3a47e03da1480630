// Every movement of the balance, newest first; of one month together with its statement.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download, Wallet } from 'lucide-react';
import { useMe } from '../api/me.ts';
import { ledgerQuery, statementsQuery } from '../api/queries.ts';
import { changedParams } from '../api/search-params.ts';
import { tableState } from '../api/table-state.ts';
import { formatSeriesDate } from '../text/times.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CsvButton } from '../ui/csv-button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { SelectField } from '../ui/field.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { Money } from '../ui/money.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { CursorPager } from '../ui/pager.tsx';
import { entryColumns } from './entry-columns.tsx';
import { StatementCard } from './statement-card.tsx';

const route = getRouteApi('/panel/ledger');
const columns = entryColumns('/orders/$orderId');

export function LedgerPage() {
  const { account } = useMe();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(ledgerQuery(search));
  const { data: statements } = useQuery(statementsQuery);
  const { month } = search;
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
            <CsvButton path="/ledger.csv" query={{ month: month }} name={`ledger-${month ?? 'all'}`}>
              <Download aria-hidden="true" className="size-4" />
              {month === undefined ? t`Export CSV` : t`Export month`}
            </CsvButton>
          </>
        }
      />
      <div className="flex flex-col gap-5">
        {statement === undefined ? null : <StatementCard statement={statement} currency={account.currency} />}
        <Card flush>
          <FilterBar>
            <SelectField
              label={t`Month (UTC)`}
              unlabelled
              className="w-48"
              value={month ?? ''}
              options={months}
              onValue={(value) =>
                void navigate({ search: changedParams(search, { month: value }), replace: true })
              }
            />
          </FilterBar>
          <DataTable
            caption={t`Ledger entries`}
            columns={columns}
            {...tableState(query)}
            rowKey={({ id }) => id}
            empty={
              <EmptyState
                icon={Wallet}
                title={month === undefined ? t`Nothing has moved yet` : t`Nothing moved in this month`}
                action={month === undefined ? undefined : <ButtonLink to="/ledger">Show all time</ButtonLink>}
              >
                <Trans>Credits, charges and refunds appear here, each with the balance after it.</Trans>
              </EmptyState>
            }
            footer={<CursorPager list={query.data} before={search.before} />}
          />
        </Card>
      </div>
    </>
  );
}
