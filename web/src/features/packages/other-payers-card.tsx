import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AdminPackage, OtherPayer } from '../../api/shapes.ts';
import { otherPayersQuery } from '../../api/support-queries.ts';
import { tableState } from '../../api/table-state.ts';
import { groupWord } from '../../text/words.ts';
import { Card, LineCard } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { RowLink } from '../../ui/text-link.tsx';
import { ComparedPrices } from './compared-prices.tsx';

export function OtherPayersCard({ one }: { readonly one: AdminPackage }) {
  const query = useQuery(otherPayersQuery(one.id));
  const rows = useMemo(() => query.data && soldPrices(query.data.data, one), [query.data, one]);
  if (rows?.length === 0) {
    return <LineCard title={t`Custom prices`}>{t`No account has custom prices.`}</LineCard>;
  }
  const columns: readonly Column<OtherPayer>[] = [
    {
      title: t`Account`,
      grows: true,
      cell: ({ account: { id, username, display_name: name, group } }) => (
        <TwoLines
          first={
            <RowLink
              to="/admin/accounts/$accountId"
              params={{ accountId: String(id) }}
              search={{ tab: 'prices' }}
            >
              <bdi>{username}</bdi>
            </RowLink>
          }
          second={
            <>
              {name === username ? null : (
                <>
                  <bdi>{name}</bdi> ·{' '}
                </>
              )}
              {groupWord(group)}
            </>
          }
        />
      ),
    },
    {
      title: t`Own price and group price`,
      align: 'end',
      from: 'sm',
      cell: ({ prices }) => <ComparedPrices prices={prices} currency={one.currency} />,
    },
  ];
  return (
    <Card
      title={t`Custom prices`}
      description={t`Accounts whose own price for this package differs from their group’s, now.`}
      lined
    >
      <DataTable
        caption={t`Accounts with other prices`}
        columns={columns}
        {...tableState(query)}
        rows={rows}
        phone={({ prices }) => <ComparedPrices prices={prices} currency={one.currency} />}
        rowKey={({ account: { id } }) => id}
        empty={null}
      />
    </Card>
  );
}

function soldPrices(payers: readonly OtherPayer[], { periods }: AdminPackage): readonly OtherPayer[] {
  return payers
    .map((payer) => ({ ...payer, prices: payer.prices.filter(({ period }) => periods.includes(period)) }))
    .filter(({ prices }) => prices.length > 0);
}
