// Customers of every account; suspending one, and lifting the suspension.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SearchX, Users } from 'lucide-react';
import { useCallback, useState } from 'react';
import { customerColumns } from '../account/customer-columns.tsx';
import { changeCustomerStatus } from '../api/commands.ts';
import { useMay } from '../api/person.ts';
import { allCustomersQuery } from '../api/queries.ts';
import { changedParams } from '../api/search-params.ts';
import type { AccountCustomer } from '../api/shapes.ts';
import { tableState } from '../api/table-state.ts';
import { useCommand } from '../api/use-command.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { CursorPager } from '../ui/pager.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { TextLink } from '../ui/text-link.tsx';
import { say } from '../ui/toasts.tsx';

const route = getRouteApi('/panel/admin/customers');
const [nameColumn, ...otherColumns] = customerColumns<AccountCustomer>({
  links: 'console',
  second: ({ account }) => t`of ${account.username}`,
});

export function AllCustomersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(allCustomersQuery(search));
  const [asked, setAsked] = useState<AccountCustomer | null>(null);
  const onSearch = useCallback(
    (q: string) => void navigate({ search: (now) => changedParams(now, { q }), replace: true }),
    [navigate],
  );
  const canSuspend = useMay()('admin:accounts');
  const columns: readonly Column<AccountCustomer>[] = [
    ...(nameColumn === undefined ? [] : [nameColumn]),
    {
      title: t`Account`,
      from: 'md',
      cell: ({ account }) => (
        <TextLink to="/admin/accounts/$accountId" params={{ accountId: String(account.id) }}>
          <bdi className="whitespace-nowrap">{account.username}</bdi>
        </TextLink>
      ),
    },
    ...otherColumns.filter(({ title }) => title !== 'Since'),
    ...(canSuspend ? [change()] : []),
  ];
  return (
    <>
      <PageHeader title={t`All customers`} description={t`Of every account.`} />
      <Card flush>
        <FilterBar clear={search.q === undefined ? undefined : () => void navigate({ search: {} })}>
          <SearchField label={t`Name, e-mail or username`} value={search.q ?? ''} onSearch={onSearch} />
        </FilterBar>
        <DataTable
          caption={t`Customers of every account`}
          columns={columns}
          {...tableState(query)}
          rowKey={({ id }) => id}
          empty={
            search.q === undefined && search.before === undefined ? (
              <EmptyState icon={Users} title={t`No customers yet`}>
                <Trans>They come with the accounts’ first orders.</Trans>
              </EmptyState>
            ) : (
              <EmptyState
                icon={SearchX}
                title={query.data?.next_before ? t`Nobody found so far` : t`Nobody found`}
                action={
                  <ButtonLink to="/admin/customers" search={{}}>
                    <Trans>Show all customers</Trans>
                  </ButtonLink>
                }
              />
            )
          }
          footer={<CursorPager list={query.data} before={search.before} />}
        />
      </Card>
      {asked === null ? null : <SuspendDialog customer={asked} onClose={() => setAsked(null)} />}
    </>
  );

  function change(): Column<AccountCustomer> {
    return {
      title: t`Change`,
      untitled: true,
      align: 'end',
      cell: (customer) => (
        <Button onClick={() => setAsked(customer)}>{isSuspended(customer) ? t`Lift` : t`Suspend`}</Button>
      ),
    };
  }
}

function isSuspended({ status }: AccountCustomer): boolean {
  return status === 'suspended';
}

export function SuspendDialog({
  customer,
  onClose,
}: {
  readonly customer: AccountCustomer;
  readonly onClose: () => void;
}) {
  const suspended = isSuspended(customer);
  const command = useCommand(() => changeCustomerStatus(customer.id, suspended ? 'active' : 'suspended'), {
    onDone: () => {
      say(suspended ? t`${customer.name} can log in again.` : t`${customer.name} is suspended.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={suspended ? t`Lift the suspension?` : t`Suspend this customer?`}
      description={
        <>
          <Trans>
            <bdi className="text-ink">{customer.name}</bdi> of{' '}
            <bdi className="text-ink">{customer.account.username}</bdi>
          </Trans>
          {': '}
          {suspended
            ? t`can log in again.`
            : t`can no longer log in. The plan runs on, and orders still work.`}
        </>
      }
      action={suspended ? t`Lift it` : t`Suspend`}
      danger={!suspended}
      busy={command.isPending}
      error={command.error}
      onSubmit={() => command.mutate(undefined)}
      onClose={onClose}
    />
  );
}
