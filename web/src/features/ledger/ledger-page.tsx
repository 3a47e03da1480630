import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { filtersOf, ledgerParams } from '../../api/list-params.ts';
import { useMe } from '../../api/me.ts';
import { listOf, statementsQuery } from '../../api/queries.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { CsvButton } from '../../ui/csv-button.tsx';
import { Money } from '../../ui/money.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { EntryList, entriesWanted } from './entry-list.tsx';
import { StatementCard } from './statement-card.tsx';

const route = getRouteApi('/panel/ledger');

export function LedgerPage() {
  const { account } = useMe();
  const search = route.useSearch();
  const { month } = search;
  const isFiltered = Object.keys(filtersOf(ledgerParams, search)).length > 0;
  const { data: statements } = useQuery(statementsQuery);
  const statement = statements?.data.find((one) => one.month === month);
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
            <ButtonLink to="/statements">{t`Statements`}</ButtonLink>
            <CsvButton
              icon={Download}
              path={listOf(null, 'ledger')}
              query={entriesWanted(search)}
              name={`ledger-${month ?? 'all'}`}
            >
              {isFiltered ? t`Export selection as CSV` : t`Export CSV`}
            </CsvButton>
          </>
        }
      />
      <div className="page-stack gap-5">
        {statement === undefined ? null : <StatementCard statement={statement} currency={account.currency} />}
        <EntryList accountId={null} currency={account.currency} />
      </div>
    </>
  );
}
