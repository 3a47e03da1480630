import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { FileText, ReceiptText } from 'lucide-react';
import { useMe } from '../../api/me.ts';
import { statementsQuery } from '../../api/queries.ts';
import type { Statement } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { sumAmounts } from '../../text/amounts.ts';
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

/** A year's total is a row of its own, whose month is the year. */
const isYear = ({ month }: Statement) => month.length === 4;

function withYears(statements: readonly Statement[]): readonly Statement[] {
  const years = Map.groupBy(statements, ({ month }) => month.slice(0, 4));
  return [...years].flatMap(([year, months]) => {
    const [last, first] = [months[0], months.at(-1)];
    if (last === undefined || first === undefined || months.length === 1) return months;
    const sum = (name: 'credits' | 'debits' | 'charges' | 'refunds') =>
      sumAmounts(months.map((one) => one[name]));
    const total = {
      ...last,
      month: year,
      opening: first.opening,
      credits: sum('credits'),
      debits: sum('debits'),
      charges: sum('charges'),
      refunds: sum('refunds'),
      entry_count: months.reduce((all, one) => all + one.entry_count, 0),
    };
    return [...months, total];
  });
}

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
      cell: (row) => (
        <TwoLines
          first={
            isYear(row) ? (
              <span className="font-semibold">{t`Total of ${row.month}`}</span>
            ) : (
              <RowLink to="/ledger" search={{ month: row.month }}>
                {formatSeriesDate(row.month, 'long')}
              </RowLink>
            )
          }
          second={plural(row.entry_count, { one: '# entry', other: '# entries' })}
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
      cell: (row) =>
        isYear(row) ? null : (
          <span className="inline-flex">
            {/* Phones have no room for this button; the month's page has the file too. */}
            <span className="max-sm:hidden">
              <CsvButton
                look="quiet"
                path="/ledger.csv"
                query={{ month: row.month }}
                name={`ledger-${row.month}`}
                label={t`Export ${formatSeriesDate(row.month, 'long')} as CSV`}
              >
                <span className="max-lg:sr-only">CSV</span>
              </CsvButton>
            </span>
            <DownloadButton
              icon={FileText}
              look="quiet"
              path={`/v1/statements/${row.month}`}
              query={{ format: 'pdf', language }}
              file={`statement-${row.month}.pdf`}
              label={t`Statement for ${formatSeriesDate(row.month, 'long')} as PDF`}
            >
              <span className="max-lg:sr-only">PDF</span>
            </DownloadButton>
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
          rows={query.data && withYears(query.data.data)}
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
