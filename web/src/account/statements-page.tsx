// A statement for each month: opening balance, what came and went, closing balance.

import { useQuery } from '@tanstack/react-query';
import { Download, ReceiptText } from 'lucide-react';
import { useMe } from '../api/me.ts';
import { statementsQuery } from '../api/queries.ts';
import type { Statement } from '../api/shapes.ts';
import { formatSeriesDate } from '../text/times.ts';
import { counted } from '../text/words.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Money } from '../ui/money.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { RowLink } from '../ui/text-link.tsx';
import { ExportButton } from './export-button.tsx';
import { movement } from './statement-card.tsx';

export function StatementsPage() {
  const { currency } = useMe().account;
  const { data, error, refetch } = useQuery(statementsQuery);
  const plain = (amount: string) => <Money amount={amount} currency={currency} />;
  const signed = (amount: string, sign: '' | '-') => (
    <Money amount={movement(amount, sign)} currency={currency} signed />
  );
  const columns: readonly Column<Statement>[] = [
    {
      title: 'Month',
      grows: true,
      cell: ({ month, entries }) => (
        <TwoLines
          first={
            <RowLink to="/ledger" search={{ month }}>
              {formatSeriesDate(month, 'long')}
            </RowLink>
          }
          second={counted(entries, 'entry', 'entries')}
        />
      ),
    },
    { title: 'Opening', align: 'end', from: 'md', cell: ({ opening }) => plain(opening) },
    { title: 'Credits', align: 'end', from: 'sm', cell: ({ credits }) => signed(credits, '') },
    { title: 'Debits', align: 'end', from: 'lg', cell: ({ debits }) => signed(debits, '-') },
    { title: 'Charges', align: 'end', from: 'sm', cell: ({ charges }) => signed(charges, '-') },
    { title: 'Refunds', align: 'end', from: 'lg', cell: ({ refunds }) => signed(refunds, '') },
    {
      title: 'Closing',
      align: 'end',
      cell: ({ closing }) => <span className="font-semibold">{plain(closing)}</span>,
    },
    {
      title: 'Export',
      untitled: true,
      align: 'end',
      cell: ({ month }) => (
        <ExportButton look="quiet" month={month} label={`Export ${formatSeriesDate(month, 'long')} as CSV`}>
          <Download aria-hidden="true" className="size-4" />
        </ExportButton>
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Statements"
        description="One for each month in UTC; a line opens its entries."
        actions={<ButtonLink to="/ledger">Ledger</ButtonLink>}
      />
      <Card flush>
        <DataTable
          caption="Statements"
          columns={columns}
          rows={data?.data}
          rowKey={({ month }) => month}
          error={error}
          onRetry={() => void refetch()}
          empty={
            <EmptyState icon={ReceiptText} title="No statement yet">
              The first one begins when your balance first moves.
            </EmptyState>
          }
        />
      </Card>
    </>
  );
}
