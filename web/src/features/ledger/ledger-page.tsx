import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMe } from '../../api/me.ts';
import { statementsQuery } from '../../api/queries.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Money } from '../../ui/money.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { EntryList } from './entry-list.tsx';
import { StatementCard } from './statement-card.tsx';

const route = getRouteApi('/panel/ledger');

export function LedgerPage() {
  const { account } = useMe();
  const { month } = route.useSearch();
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
        actions={<ButtonLink to="/statements">{t`Statements`}</ButtonLink>}
      />
      <div className="page-stack gap-5">
        {statement === undefined ? null : <StatementCard statement={statement} currency={account.currency} />}
        <EntryList accountId={null} currency={account.currency} />
      </div>
    </>
  );
}
