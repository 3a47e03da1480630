// Accounts by MRR, or those whose balance runs out within 90 days.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { listedAccountsQuery } from '../../api/business-queries.ts';
import type { ListedAccounts } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { formatCount } from '../../text/language.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { classNames } from '../../ui/class-names.ts';
import { CsvButton } from '../../ui/csv-button.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/money.tsx';
import { AccountLink } from '../../ui/page-links.tsx';
import { Definition } from './definition.tsx';
import { isSoon } from './soon.ts';

type AccountRow = ListedAccounts['accounts'][number];

export type AccountSort = 'mrr' | 'runs_out_on';

interface BusinessAccountsCardProps {
  readonly sort: AccountSort;
  readonly onSort: (sort: AccountSort) => void;
  readonly currency: string;
}

export function BusinessAccountsCard({ sort, onSort, currency }: BusinessAccountsCardProps) {
  const { data, error, isPlaceholderData } = useQuery(listedAccountsQuery(sort));
  const money = (amount: string) => <Money amount={amount} currency={currency} />;
  const dayOf = (row: AccountRow) =>
    row.runs_out_on === null ? t`Covered` : formatSeriesDate(row.runs_out_on, 'long');
  const columns: readonly Column<AccountRow>[] = [
    {
      title: t`Account`,
      grows: true,
      cell: ({ account: { id, username, display_name: name }, blocked }) => (
        <TwoLines
          first={
            <span className="inline-flex max-w-full items-center gap-2">
              <AccountLink id={id} row>
                {username}
              </AccountLink>
              {blocked ? <Badge tone="bad">{t`Blocked`}</Badge> : null}
            </span>
          }
          second={<bdi>{name === username ? '' : name}</bdi>}
        />
      ),
    },
    { title: t`MRR`, align: 'end', cell: ({ mrr }) => money(mrr) },
    {
      title: t`Active plans`,
      align: 'end',
      from: 'lg',
      cell: ({ active_plans: plans }) => <span className="figures">{formatCount(plans)}</span>,
    },
    { title: t`Balance`, align: 'end', from: 'sm', cell: ({ balance }) => money(balance) },
    { title: t`Renewals, 90 days`, align: 'end', from: 'md', cell: ({ due }) => money(due) },
    {
      title: t`Runs out`,
      align: 'end',
      from: 'sm',
      cell: (row) => (
        <span className={classNames('whitespace-nowrap', isSoon(row.runs_out_on) && 'font-medium text-warn')}>
          {dayOf(row)}
        </span>
      ),
    },
  ];
  return (
    <Card
      title={t`Accounts and their balance`}
      description={
        <>
          {t`What each brings a month, and the day on which its balance no longer covers renewals.`}
          {'\u00a0'}
          <Definition figure="runs-out" />
        </>
      }
      action={
        <div className="flex flex-wrap items-center gap-2">
          <Choice
            label={t`Show`}
            value={sort}
            options={[
              { value: 'runs_out_on', title: t`Running out` },
              { value: 'mrr', title: t`By MRR` },
            ]}
            onChoose={onSort}
          />
          <CsvButton
            path="/admin/v1/business/accounts"
            query={{ sort }}
            name="business-accounts"
            label={t`Export accounts as CSV`}
          />
        </div>
      }
      lined
    >
      <DataTable
        caption={sort === 'mrr' ? t`Accounts by MRR` : t`Accounts whose balance runs out`}
        columns={columns}
        rows={data?.accounts}
        rowKey={({ account }) => account.id}
        error={error}
        outdated={isPlaceholderData}
        phone={(row) => t`Balance ${formatMoney(row.balance, currency)}. Runs out: ${dayOf(row)}`}
        empty={
          <EmptyState icon={CircleCheck} title={t`Every balance covers the next 90 days`}>
            {t`Accounts appear here when their renewals cost more than their balance.`}
          </EmptyState>
        }
      />
    </Card>
  );
}
