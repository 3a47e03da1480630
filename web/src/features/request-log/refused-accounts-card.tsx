// The accounts that were refused with a given code, each linked to those requests.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { UsersRound } from 'lucide-react';
import { refusedAccountsQuery } from '../../api/console-queries.ts';
import type { RefusedAccount } from '../../api/shapes.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { figures } from '../../ui/figures.tsx';
import { RowLink } from '../../ui/text-link.tsx';

interface RefusedAccountsCardProps {
  readonly code: string;
  /** UTC days, both inclusive. */
  readonly span: { readonly from: string; readonly to: string };
  readonly onClose: () => void;
}

export function RefusedAccountsCard({ code, span, onClose }: RefusedAccountsCardProps) {
  const { data, error } = useQuery(refusedAccountsQuery(code, span));
  const columns: readonly Column<RefusedAccount>[] = [
    {
      title: t`Account`,
      grows: true,
      cell: ({ account: { id, username } }) => (
        <RowLink
          to="/admin/accounts/$accountId"
          params={{ accountId: String(id) }}
          search={{ tab: 'requests', code }}
        >
          <bdi>{username}</bdi>
        </RowLink>
      ),
    },
    { title: t`Last date`, cell: (row) => formatSeriesDate(row.last_day, 'long'), from: 'sm' },
    { title: t`Requests`, align: 'end', cell: ({ count }) => figures(count) },
  ];
  return (
    <Card
      title={t`Refused with ${code}`}
      description={
        data &&
        plural(data.count_of_accounts, {
          one: '# account. Requests with unknown keys aren’t linked to an account.',
          other: '# accounts, most refusals first. Requests with unknown keys aren’t linked to an account.',
        })
      }
      action={<Button onClick={onClose}>{t`Close`}</Button>}
      lined
    >
      <DataTable
        caption={t`Accounts refused with ${code}`}
        columns={columns}
        rows={data?.data}
        rowKey={({ account }) => account.id}
        error={error}
        empty={<EmptyState icon={UsersRound} title={t`No accounts. Only unknown keys got this error.`} />}
      />
    </Card>
  );
}
