import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { FileText, ReceiptText } from 'lucide-react';
import { useMe } from '../../api/me.ts';
import { statementsQuery } from '../../api/queries.ts';
import type { Statement } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { language } from '../../text/language.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { CsvButton } from '../../ui/csv-button.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { DownloadButton } from '../../ui/download-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/money.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { ColumnChoice, useTableLayout } from '../../ui/table-layout.tsx';
import { RowLink } from '../../ui/text-link.tsx';
import { movement } from './statement-card.tsx';

export function StatementsPage() {
  const { currency } = useMe().account;
  const query = useQuery(statementsQuery);
  const layout = useTableLayout('statements');
  const plain = (amount: string) => <Money amount={amount} currency={currency} />;
  const signed = (amount: string, sign: '' | '-') => (
    <Money amount={movement(amount, sign)} currency={currency} signed />
  );
  const columns: readonly Column<Statement>[] = [
    {
      title: t`Month`,
      grows: true,
      cell: ({ month, entry_count: entries }) => (
        <TwoLines
          first={
            <RowLink to="/ledger" search={{ month }}>
              {formatSeriesDate(month, 'long')}
            </RowLink>
          }
          second={plural(entries, { one: '# entry', other: '# entries' })}
        />
      ),
    },
    { title: t`Opening`, id: 'opening', align: 'end', from: 'md', cell: ({ opening }) => plain(opening) },
    {
      title: t`Credits`,
      id: 'credits',
      align: 'end',
      from: 'sm',
      cell: ({ credits }) => signed(credits, ''),
    },
    { title: t`Debits`, id: 'debits', align: 'end', from: 'lg', cell: ({ debits }) => signed(debits, '-') },
    {
      title: t`Charges`,
      id: 'charges',
      align: 'end',
      from: 'sm',
      cell: ({ charges }) => signed(charges, '-'),
    },
    {
      title: t`Refunds`,
      id: 'refunds',
      align: 'end',
      from: 'lg',
      cell: ({ refunds }) => signed(refunds, ''),
    },
    {
      title: t`Closing`,
      align: 'end',
      cell: ({ closing }) => <span className="font-semibold">{plain(closing)}</span>,
    },
    {
      title: t`Files`,
      untitled: true,
      align: 'end',
      cell: ({ month }) => (
        <span className="inline-flex">
          {/* Phones have no room for this button; the month's page has the file too. */}
          <span className="max-sm:hidden">
            <CsvButton
              look="quiet"
              path="/ledger.csv"
              query={{ month }}
              name={`ledger-${month}`}
              label={t`Export ${formatSeriesDate(month, 'long')} as CSV`}
            />
          </span>
          <DownloadButton
            icon={FileText}
            look="quiet"
            path={`/v1/statements/${month}`}
            query={{ format: 'pdf', language }}
            file={`statement-${month}.pdf`}
            label={t`Statement for ${formatSeriesDate(month, 'long')} as PDF`}
          />
        </span>
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title={t`Statements`}
        description={t`Monthly statements (UTC). Select a month to see its entries.`}
        actions={
          <>
            <ColumnChoice layout={layout} columns={columns} />
            <ButtonLink to="/ledger">{t`Ledger`}</ButtonLink>
          </>
        }
      />
      <Card flush>
        <DataTable
          caption={t`Statements`}
          columns={columns}
          {...tableState(query)}
          rowKey={({ month }) => month}
          layout={layout}
          empty={
            <EmptyState icon={ReceiptText} title={t`No statements yet`}>
              {t`Your first statement starts with your first transaction.`}
            </EmptyState>
          }
        />
      </Card>
    </>
  );
}
