// Bank statements: a file is dropped or chosen, and lines that no account was found for are decided here.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Landmark } from 'lucide-react';
import { paymentParams } from '../../api/list-params.ts';
import { bankLinesQuery } from '../../api/payment-queries.ts';
import { useMay } from '../../api/person.ts';
import type { BankLine } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { ListSelect } from '../../ui/list-card.tsx';
import { Money } from '../../ui/money.tsx';
import { AccountLink } from '../../ui/page-links.tsx';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { BankImportCard } from './bank-import-card.tsx';
import { BankLineActions, SuggestedAccounts } from './bank-line-actions.tsx';
import { lineReasonWord, lineStatusChoices, lineStatusWord } from './bank-line-words.ts';

const tones: Readonly<Record<BankLine['status'], Tone>> = {
  waiting: 'warn',
  credited: 'good',
  returned: 'neutral',
  unmatched: 'warn',
  ignored: 'neutral',
};

const columnsOf = (mayDecide: boolean): readonly Column<BankLine>[] => [
  {
    title: t`Payer`,
    grows: true,
    cell: (line) => (
      <>
        <div className="truncate font-medium">
          {line.account === null ? (
            <bdi>{line.payer.name ?? t`Unknown`}</bdi>
          ) : (
            <AccountLink id={line.account.id}>{line.account.username}</AccountLink>
          )}
        </div>
        <bdi className="block text-xs wrap-anywhere text-soft">{line.text}</bdi>
        {mayDecide ? <SuggestedAccounts line={line} /> : null}
      </>
    ),
  },
  {
    title: t`Status`,
    from: 'sm',
    cell: ({ status, reason }) => (
      <>
        <Badge tone={tones[status]}>{lineStatusWord(status)}</Badge>
        {reason === null ? null : (
          <div className="max-w-44 min-w-36 text-xs text-soft">{lineReasonWord(reason)}</div>
        )}
      </>
    ),
  },
  {
    title: t`Day`,
    from: 'md',
    cell: ({ booked_on: day }) => <Time at={`${day}T12:00:00Z`} style="day" />,
  },
  {
    title: t`Amount`,
    align: 'end',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} signed />,
  },
  ...(mayDecide
    ? [
        {
          title: t`Decide`,
          untitled: true,
          align: 'end' as const,
          cell: (line: BankLine) => <BankLineActions line={line} />,
        },
      ]
    : []),
];

export function BankTab() {
  const list = useList(paymentParams);
  // This list has page numbers in place of cursors.
  const { status = 'unmatched', cursor: sent } = list.search;
  const page = Math.max(1, Number(sent ?? 1) || 1);
  const query = useQuery(bankLinesQuery(status === 'all' ? undefined : status, page));
  const may = useMay()('admin:credit');
  const total = query.data?.total ?? 0;
  const isLast = query.data === undefined || page * query.data.per_page >= total;
  return (
    <>
      {may ? <BankImportCard /> : null}
      <Card flush>
        <FilterBar>
          <ListSelect
            list={{
              search: { ...list.search, status },
              change: ({ status: chosen }) =>
                list.change({ status: chosen === 'unmatched' ? '' : (chosen ?? ''), cursor: '' }),
            }}
            name="status"
            label={t`Status`}
            options={lineStatusChoices}
          />
          <span className="text-soft">{plural(total, { one: '# line', other: '# lines' })}</span>
        </FilterBar>
        <DataTable
          caption={t`Lines of bank statements`}
          columns={columnsOf(may)}
          {...tableState(query)}
          rowKey={({ id }) => id}
          phone={(line) => (
            <>
              <Badge tone={tones[line.status]}>{lineStatusWord(line.status)}</Badge>{' '}
              <Time at={`${line.booked_on}T12:00:00Z`} style="day" />
            </>
          )}
          empty={
            <EmptyState
              icon={Landmark}
              title={status === 'unmatched' ? t`No line waits for a decision` : t`No such lines`}
            >
              {t`Transfers with an account’s reference are credited when their statement is imported.`}
            </EmptyState>
          }
          footer={
            page === 1 && isLast ? null : (
              <div className="flex gap-2 border-t border-line p-3">
                {page === 1 ? null : (
                  <ButtonLink to="." search={(now) => ({ ...now, cursor: String(page - 1) })}>
                    {t`Newer`}
                  </ButtonLink>
                )}
                {isLast ? null : (
                  <ButtonLink to="." search={(now) => ({ ...now, cursor: String(page + 1) })}>
                    {t`Older`}
                  </ButtonLink>
                )}
              </div>
            )
          }
        />
      </Card>
    </>
  );
}
