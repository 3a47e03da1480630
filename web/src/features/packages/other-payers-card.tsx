// Accounts that pay another price for a package than their group.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Tags } from 'lucide-react';
import { useMemo } from 'react';
import { otherPayersQuery } from '../../api/price-queries.ts';
import type { AdminPackage, OtherPayer } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { toCents } from '../../text/amounts.ts';
import { groupWord, periodWord } from '../../text/words.ts';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { RowLink } from '../../ui/text-link.tsx';
import { PriceStep } from './price-change-list.tsx';

export function OtherPayersCard({ one }: { readonly one: AdminPackage }) {
  const query = useQuery(otherPayersQuery(one.id));
  const rows = useMemo(() => query.data && soldPrices(query.data.data, one), [query.data, one]);
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
      title: t`Group’s price and own price`,
      align: 'end',
      cell: ({ prices }) => (
        <ul>
          {prices.map(({ months, price, group_price: ofGroup }) => (
            <li key={months} className="flex flex-wrap items-baseline justify-end gap-x-1.5">
              <span className="text-soft">{periodWord(months)}</span>
              <PriceStep
                change={{ before: toCents(ofGroup), after: toCents(price) }}
                words={[t`Group`, t`Own price`]}
                currency={one.currency}
              />
            </li>
          ))}
        </ul>
      ),
    },
  ];
  return (
    <Card
      title={t`Who pays something else`}
      description={t`Accounts whose own price for this package differs from their group’s, now.`}
      lined
    >
      <DataTable
        caption={t`Accounts with other prices`}
        columns={columns}
        {...tableState(query)}
        rows={rows}
        rowKey={({ account: { id } }) => id}
        empty={<EmptyState icon={Tags} title={t`Every account pays the price of its group`} />}
      />
    </Card>
  );
}

function soldPrices(payers: readonly OtherPayer[], { periods }: AdminPackage): readonly OtherPayer[] {
  return payers
    .map((payer) => ({ ...payer, prices: payer.prices.filter(({ period }) => periods.includes(period)) }))
    .filter(({ prices }) => prices.length > 0);
}
