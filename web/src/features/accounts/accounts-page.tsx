import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Plus, UsersRound } from 'lucide-react';
import { useState } from 'react';
import { accountParams } from '../../api/list-params.ts';
import { useMay } from '../../api/person.ts';
import { foundAccountsPath, foundAccountsQuery } from '../../api/queries.ts';
import type { Account, FoundAccount } from '../../api/shapes.ts';
import { readAmount } from '../../text/amounts.ts';
import { shortenedKey } from '../../text/shortened-key.ts';
import { groupWord } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { figures } from '../../ui/figures.tsx';
import { ListCard, ListSearchField, ListSelect } from '../../ui/list-card.tsx';
import type { ListView } from '../../ui/list-views.ts';
import { Money } from '../../ui/money.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { AccountLink } from '../../ui/page-links.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { Nothing, RunsOut } from './account-outlook.tsx';
import { CreateAccountDialog } from './create-account-dialog.tsx';

const columns: readonly Column<FoundAccount>[] = [
  {
    title: t`Account`,
    sort: { by: 'name', direction: 'ascending' },
    grows: true,
    cell: (account) => (
      <TwoLines
        first={
          <AccountLink id={account.id} row>
            {account.username}
          </AccountLink>
        }
        second={
          <span className="inline-flex gap-2">
            {account.blocked || !account.api_enabled || account.halted ? (
              <span className="sm:hidden">
                <AccountBadges account={account} />
              </span>
            ) : null}
            <bdi className="truncate">
              {account.display_name === account.username ? '' : account.display_name}
            </bdi>
          </span>
        }
      />
    ),
  },
  { title: t`Group`, id: 'group', from: 'lg', cell: ({ group }) => groupWord(group) },
  { title: t`Status`, from: 'sm', cell: (account) => <AccountBadges account={account} /> },
  {
    title: t`Customers`,
    id: 'customers',
    from: 'lg',
    align: 'end',
    sort: { by: 'customers', direction: 'descending' },
    cell: ({ customer_count: count }) => figures(count),
  },
  {
    title: t`Orders`,
    id: 'orders',
    from: 'lg',
    align: 'end',
    isExtra: true,
    cell: ({ order_count: count }) => figures(count),
  },
  {
    title: t`Created`,
    id: 'created',
    from: 'lg',
    isExtra: true,
    sort: { by: 'newest', direction: 'descending' },
    cell: ({ created_at: at }) => <Time at={at} style="day" />,
  },
  {
    title: t`Last order`,
    id: 'last_order',
    from: 'md',
    sort: { by: 'last_order', direction: 'descending' },
    cell: ({ last_order_at: at }) => (at === null ? <Nothing /> : <Time at={at} style="relative" />),
  },
  {
    title: t`MRR`,
    id: 'mrr',
    from: 'md',
    align: 'end',
    sort: { by: 'mrr', direction: 'descending' },
    cell: ({ outlook, currency }) =>
      outlook === null ? <Nothing /> : <Money amount={outlook.mrr} currency={currency} />,
  },
  {
    title: t`Balance`,
    align: 'end',
    sort: { by: 'balance', direction: 'ascending' },
    cell: ({ balance, currency }) => <Money amount={balance} currency={currency} />,
  },
  {
    title: t`Runs out`,
    id: 'runs_out',
    from: 'xl',
    align: 'end',
    cell: ({ outlook }) => (outlook === null ? <Nothing /> : <RunsOut outlook={outlook} />),
  },
];

const groupOptions = [
  { value: '', title: t`All groups` },
  { value: 'reseller', title: t`Resellers` },
  { value: 'distributor', title: t`Distributors` },
];

const stateOptions = [
  { value: '', title: t`All statuses` },
  { value: 'active', title: t`Active` },
  { value: 'blocked', title: t`Blocked` },
  { value: 'api_off', title: t`API off` },
  { value: 'halted', title: t`Frozen` },
  { value: 'closed', title: t`Closed` },
];

const views: readonly ListView[] = [
  { title: t`Lowest balance first`, search: { state: 'active', sort: 'balance' } },
  { title: t`Blocked`, search: { state: 'blocked' } },
  { title: t`Distributors`, search: { group: 'distributor' } },
];

export function AccountsPage() {
  const list = useList(accountParams);
  const [creating, setCreating] = useState(false);
  const { search } = list;
  const { cursor, ...filter } = search;
  const wanted = { ...filter, balance_below: amountOf(search.balance_below) };
  const query = useQuery(foundAccountsQuery({ ...wanted, cursor }));
  const create = useMay()('admin:accounts') ? (
    <Button icon={Plus} look="primary" onClick={() => setCreating(true)}>
      {t`Create account`}
    </Button>
  ) : null;
  return (
    <>
      <PageHeader title={t`Accounts`} actions={create} />
      <ListCard
        list={list}
        query={query}
        name="accounts"
        views={views}
        csv={{ path: foundAccountsPath, query: wanted, name: 'accounts' }}
        order="newest"
        caption={t`Accounts`}
        columns={columns}
        rowKey={({ id }) => id}
        none={
          <EmptyState icon={UsersRound} title={t`No accounts yet`} action={create}>
            {t`Accounts place orders for their customers from the balance you give them.`}
          </EmptyState>
        }
        nothing={{ title: t`No matching accounts`, all: t`Show all accounts` }}
        says={(total) => plural(total, { one: '# account', other: '# accounts' })}
      >
        <SearchField
          label={t`Name, email or end of a key`}
          value={search.q ?? ''}
          onSearch={(q) => list.change({ q: shortenedKey(q) })}
        />
        <ListSelect list={list} name="group" label={t`Group`} options={groupOptions} />
        <ListSelect list={list} name="state" label={t`Status`} options={stateOptions} />
        <ListSearchField list={list} name="balance_below" label={t`Balance below`} isAmount />
      </ListCard>
      {creating ? <CreateAccountDialog onClose={() => setCreating(false)} /> : null}
    </>
  );
}

/** Returns invalid input unchanged, so that the service refuses it. */
function amountOf(typed: string | undefined): string | undefined {
  return typed === undefined ? undefined : (readAmount(typed) ?? typed);
}

export function AccountBadges({ account }: { readonly account: Account & { readonly halted?: boolean } }) {
  const isClosed = account.closed_at !== undefined;
  const isBlocked = account.blocked && !isClosed;
  const isOff = !account.api_enabled && !isClosed;
  return (
    <span className="inline-flex flex-wrap gap-1">
      {account.is_admin ? <Badge tone="accent">{t`Administrator`}</Badge> : null}
      {isClosed ? <Badge>{t`Closed`}</Badge> : null}
      {isBlocked ? <Badge tone="bad">{t`Blocked`}</Badge> : null}
      {isOff ? <Badge tone="warn">{t`API off`}</Badge> : null}
      {account.halted === true ? <Badge tone="bad">{t`Frozen`}</Badge> : null}
      {account.is_admin || isClosed || isBlocked || isOff || account.halted === true ? null : (
        <Badge tone="good">{t`Active`}</Badge>
      )}
    </span>
  );
}
