import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/person.ts';
import { allPackagesQuery } from '../../api/queries.ts';
import type { Account, AccountPriceList, AccountPrices } from '../../api/shapes.ts';
import { deleteAccountPrices } from '../../api/support-commands.ts';
import { tableState } from '../../api/table-state.ts';
import { formatMoney } from '../../text/amounts.ts';
import { formatStated } from '../../text/times.ts';
import { periods } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { formatPercent } from '../../ui/ruled-price.tsx';
import { Time } from '../../ui/time.tsx';

/** `lists` are latest first. Returns null if the account pays its group's prices. */
export function listInForce(lists: readonly AccountPriceList[]): AccountPriceList | null {
  const latest = lists.find(({ begun }) => begun);
  if (latest === undefined) return null;
  return latest.until !== null && Date.parse(latest.until) <= Date.now() ? null : latest;
}

interface PriceListsCardProps {
  readonly account: Account;
  readonly query: UseQueryResult<AccountPrices>;
}

export function PriceListsCard({ account, query }: PriceListsCardProps) {
  const mayChange = useMay()('admin:packages');
  const [removed, setRemoved] = useState<AccountPriceList | null>(null);
  const { data: packages } = useQuery(allPackagesQuery);
  const names = new Map(packages?.data.map(({ id, name }) => [id, name]));
  const present = listInForce(query.data?.data ?? [])?.id;
  const deletion = (list: AccountPriceList) =>
    list.begun || !mayChange ? null : (
      <Button
        aria-label={t`Delete the prices from ${formatStated(list.from)}`}
        onClick={() => setRemoved(list)}
      >
        {t`Delete`}
      </Button>
    );
  const columns: readonly Column<AccountPriceList>[] = [
    {
      title: t`From`,
      cell: (list) => (
        <>
          <span className="flex flex-wrap items-center gap-x-2">
            <Time at={list.from} />
            <StateOf list={list} isPresent={list.id === present} />
          </span>
          {list.until === null ? null : (
            <span className="block text-xs text-soft sm:whitespace-nowrap">
              <Trans>
                Until <Time at={list.until} />
              </Trans>
            </span>
          )}
          <div className="mt-1 empty:hidden sm:hidden">{deletion(list)}</div>
        </>
      ),
    },
    {
      title: t`Prices`,
      grows: true,
      cell: (list) => <ContentOf list={list} names={names} currency={account.currency} />,
    },
    { title: t`Delete`, untitled: true, align: 'end', cell: deletion, from: 'sm' },
  ];
  return (
    <>
      <Card
        title={t`Price lists`}
        description={t`Each list replaces the one before it. Lists that have begun stay in the history.`}
        lined
      >
        <DataTable
          caption={t`Price lists, to come and past`}
          columns={columns}
          {...tableState(query)}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon={CalendarClock} title={t`No price lists`}>
              {t`The account pays the prices of its group.`}
            </EmptyState>
          }
        />
      </Card>
      {removed === null ? null : (
        <DeleteDialog account={account} list={removed} onClose={() => setRemoved(null)} />
      )}
    </>
  );
}

function StateOf({ list, isPresent }: { readonly list: AccountPriceList; readonly isPresent: boolean }) {
  if (!list.begun) return <Badge tone="accent">{t`Upcoming`}</Badge>;
  return isPresent ? <Badge tone="good">{t`In effect`}</Badge> : <Badge>{t`Past`}</Badge>;
}

interface ContentOfProps {
  readonly list: AccountPriceList;
  readonly names: ReadonlyMap<number, string>;
  readonly currency: string;
}

const packagesShownMax = 5;

function ContentOf({ list, names, currency }: ContentOfProps) {
  const { percent_off: off, prices, memo } = list;
  const named = prices.map((one) => (
    <li key={one.package_id}>
      <bdi className="font-medium">{names.get(one.package_id) ?? t`No. ${one.package_id}`}</bdi>:{' '}
      {periods
        .flatMap(({ period, title }) => {
          const price = one[period];
          return price === undefined ? [] : [`${title.toLowerCase()} ${formatMoney(price, currency)}`];
        })
        .join(', ')}
    </li>
  ));
  return (
    <div className="py-0.5 wrap-anywhere">
      {prices.length === 0 && off === null ? t`Group prices` : null}
      {named.length <= packagesShownMax ? (
        <ul>{named}</ul>
      ) : (
        <details>
          <summary>{plural(named.length, { one: '# package', other: '# packages' })}</summary>
          <ul>{named}</ul>
        </details>
      )}
      {off === null ? null : (
        <p>
          {prices.length === 0
            ? t`${formatPercent(off)} off all prices`
            : t`${formatPercent(off)} off all other prices`}
        </p>
      )}
      {memo === null ? null : <bdi className="block text-xs text-soft">{memo}</bdi>}
    </div>
  );
}

interface DeleteDialogProps {
  readonly account: Account;
  readonly list: AccountPriceList;
  readonly onClose: () => void;
}

function DeleteDialog({ account, list, onClose }: DeleteDialogProps) {
  const form = useDialogForm({
    onClose,
    password: 'asked',
    send: ({ password }) => deleteAccountPrices(account.id, list.id, { current_password: password }),
    says: () => t`Scheduled prices deleted.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Delete these prices?`}
      description={t`The prices for ${account.username} from ${formatStated(list.from)} won’t take effect. The current prices continue.`}
      action={t`Delete prices`}
      danger
    />
  );
}
