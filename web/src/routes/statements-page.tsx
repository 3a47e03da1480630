// A statement for each month: opening balance, what came and went, closing balance.

import { useQuery } from '@tanstack/react-query';
import { Download, ReceiptText } from 'lucide-react';
import { apiBase, queryText } from '../api/client.ts';
import { statementsQuery } from '../api/queries.ts';
import type { Statement } from '../api/shapes.ts';
import { AnchorButton, ButtonLink } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { type Column, DataTable, TwoLines } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Money } from '../components/money.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { RowLink } from '../components/text-link.tsx';
import { useMe } from '../shell/me.ts';
import { formatSeriesDate } from '../times.ts';
import { counted } from '../words.ts';
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
        <AnchorButton
          look="quiet"
          href={`${apiBase}/ledger.csv${queryText({ month })}`}
          download
          aria-label={`Export ${formatSeriesDate(month, 'long')} as CSV`}
          title="Export as CSV"
        >
          <Download aria-hidden="true" className="size-4" />
        </AnchorButton>
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Statements"
        description="One for each month of UTC; a line opens its entries."
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
              The first one begins with the first movement of your balance.
            </EmptyState>
          }
        />
      </Card>
    </>
  );
}
