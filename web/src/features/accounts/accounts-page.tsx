import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Plus, UsersRound } from 'lucide-react';
import { useState } from 'react';
import { accountParams } from '../../api/list-params.ts';
import { useMay } from '../../api/person.ts';
import { foundAccountsQuery } from '../../api/queries.ts';
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
import { Money } from '../../ui/money.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { AccountLink } from '../../ui/page-links.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
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
  { title: t`Group`, from: 'sm', cell: ({ group }) => groupWord(group) },
  { title: t`Status`, from: 'sm', cell: (account) => <AccountBadges account={account} /> },
  { title: t`Orders`, from: 'md', align: 'end', cell: ({ order_count: count }) => figures(count) },
  { title: t`Customers`, from: 'lg', align: 'end', cell: ({ customer_count: count }) => figures(count) },
  {
    title: t`Created`,
    from: 'lg',
    sort: { by: 'newest', direction: 'descending' },
    cell: ({ created_at: at }) => <Time at={at} style="day" />,
  },
  {
    title: t`Balance`,
    align: 'end',
    cell: ({ balance, currency }) => <Money amount={balance} currency={currency} />,
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

export function AccountsPage() {
  const list = useList(accountParams);
  const [creating, setCreating] = useState(false);
  const { search } = list;
  const query = useQuery(foundAccountsQuery({ ...search, balance_below: amountOf(search.balance_below) }));
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
