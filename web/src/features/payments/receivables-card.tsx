// Accounts that owe money, because a payment went back that they had spent.

import { plural, t } from '@lingui/core/macro';
import { BanknoteX } from 'lucide-react';
import { useMay } from '../../api/person.ts';
import type { Page, Receivable } from '../../api/shapes.ts';
import { RowActions } from '../../ui/actions.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/money.tsx';
import { AccountLink } from '../../ui/page-links.tsx';
import { Time } from '../../ui/time.tsx';
import { WriteOffDialog } from './write-off-dialog.tsx';

export function ReceivablesCard({ list }: { readonly list: Page<Receivable> }) {
  const mayWriteOff = useMay()('admin:credit');
  const columns: readonly Column<Receivable>[] = [
    {
      title: t`Account`,
      grows: true,
      cell: ({ account }) => (
        <TwoLines
          first={
            <AccountLink id={account.id} row>
              {account.username}
            </AccountLink>
          }
          second={<bdi>{account.display_name}</bdi>}
        />
      ),
    },
    { title: t`Since`, from: 'sm', cell: ({ since }) => <Time at={since} style="day" /> },
    {
      title: t`Balance`,
      align: 'end',
      from: 'sm',
      cell: ({ balance, currency }) => <Money amount={balance} currency={currency} />,
    },
    {
      title: t`Owes`,
      align: 'end',
      cell: ({ receivable, currency }) => (
        <Money amount={receivable} currency={currency} className="font-medium" />
      ),
    },
    ...(mayWriteOff
      ? [
          {
            title: t`Actions`,
            untitled: true,
            align: 'end' as const,
            cell: (receivable: Receivable) => (
              <RowActions
                actions={[
                  {
                    id: 'write-off',
                    title: t`Write off what ${receivable.account.username} owes`,
                    icon: BanknoteX,
                    look: 'danger',
                    dialog: (onClose) => <WriteOffDialog receivable={receivable} onClose={onClose} />,
                  },
                ]}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <Card
      title={t`Accounts that owe money`}
      description={`${plural(list.total, { one: '# account', other: '# accounts' })}. ${t`The next credits settle what is owed.`}`}
      lined
    >
      <DataTable
        caption={t`Receivables`}
        columns={columns}
        rows={list.data}
        rowKey={({ account }) => account.id}
        phone={({ since }) => <Time at={since} style="day" />}
        empty={<EmptyState icon={BanknoteX} title={t`No account owes money`} />}
      />
    </Card>
  );
}
