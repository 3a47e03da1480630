// Every account: search, and the way to create one.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus, SearchX, UsersRound } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useMay } from '../../api/person.ts';
import { foundAccountsQuery } from '../../api/queries.ts';
import { changedParams } from '../../api/search-params.ts';
import type { Account, FoundAccount } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { readAmount } from '../../text/amounts.ts';
import { formatCount } from '../../text/language.ts';
import { shortenedKey } from '../../text/shortened-key.ts';
import { groupWord } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { Money } from '../../ui/money.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { AccountLink } from '../../ui/page-links.tsx';
import { CursorPager } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Time } from '../../ui/time.tsx';
import { CreateAccountDialog } from './create-account-dialog.tsx';

const route = getRouteApi('/panel/admin/accounts');

const figures = (value: number) => <span className="figures">{formatCount(value)}</span>;

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
  { title: t`State`, from: 'sm', cell: (account) => <AccountBadges account={account} /> },
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
  { value: '', title: t`All states` },
  { value: 'active', title: t`Active` },
  { value: 'blocked', title: t`Blocked` },
  { value: 'api_off', title: t`API off` },
  { value: 'halted', title: t`Halted` },
];

export function AccountsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [creating, setCreating] = useState(false);
  const query = useQuery(foundAccountsQuery({ ...search, balance_below: amountOf(search.balance_below) }));
  const change = useCallback(
    (changed: typeof search) =>
      void navigate({ search: (now) => changedParams(now, changed), replace: true }),
    [navigate],
  );
  const onSearch = useCallback((q: string) => change({ q: shortenedKey(q) }), [change]);
  const onBalance = useCallback((below: string) => change({ balance_below: below }), [change]);
  const { before, sort, ...filtering } = search;
  const isFiltered = Object.keys(filtering).length > 0;
  const create = useMay()('admin:accounts') ? (
    <Button icon={Plus} look="primary" onClick={() => setCreating(true)}>
      {t`Create an account`}
    </Button>
  ) : null;
  return (
    <>
      <PageHeader title={t`Accounts`} actions={create} />
      <Card flush>
        <FilterBar clear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
          <SearchField label={t`Name, e-mail or end of a key`} value={search.q ?? ''} onSearch={onSearch} />
          <SelectField
            label={t`Group`}
            unlabelled
            value={search.group ?? ''}
            options={groupOptions}
            onValue={(group) => change({ group })}
          />
          <SelectField
            label={t`State`}
            unlabelled
            value={search.state ?? ''}
            options={stateOptions}
            onValue={(state) => change({ state })}
          />
          <SearchField
            label={t`Balance below`}
            value={search.balance_below ?? ''}
            onSearch={onBalance}
            isAmount
          />
        </FilterBar>
        <DataTable
          caption={t`Accounts`}
          columns={columns}
          {...tableState(query)}
          rowKey={({ id }) => id}
          sort={{ by: sort, otherwise: 'newest', onSort: (by) => change({ sort: by ?? '' }) }}
          empty={
            isFiltered || before !== undefined ? (
              <EmptyState
                icon={SearchX}
                title={t`No matching accounts`}
                action={
                  <ButtonLink to="/admin/accounts" search={{}}>
                    {t`Show all accounts`}
                  </ButtonLink>
                }
              />
            ) : (
              <EmptyState icon={UsersRound} title={t`No accounts yet`} action={create}>
                {t`An account orders for its customers from the balance you give it.`}
              </EmptyState>
            )
          }
          footer={<CursorPager list={query.data} before={before} />}
        />
      </Card>
      {creating ? <CreateAccountDialog onClose={() => setCreating(false)} /> : null}
    </>
  );
}

/** What was typed, as the service reads amounts. What is none is sent as it is: the service says so. */
function amountOf(typed: string | undefined): string | undefined {
  return typed === undefined ? undefined : (readAmount(typed) ?? typed);
}

export function AccountBadges({ account }: { readonly account: Account & { readonly halted?: boolean } }) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      {account.is_admin ? <Badge tone="accent">{t`Administrator`}</Badge> : null}
      {account.blocked ? <Badge tone="bad">{t`Blocked`}</Badge> : null}
      {account.api_enabled ? null : <Badge tone="warn">{t`API off`}</Badge>}
      {account.halted === true ? <Badge tone="bad">{t`Halted`}</Badge> : null}
      {account.is_admin || account.blocked || !account.api_enabled || account.halted === true ? null : (
        <Badge tone="good">{t`Active`}</Badge>
      )}
    </span>
  );
}
