// The account's customers: which plan each has and how long it still runs.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SearchX, Users } from 'lucide-react';
import { useCallback } from 'react';
import { useMay } from '../api/person.ts';
import { customersQuery } from '../api/queries.ts';
import { changedParams } from '../api/search-params.ts';
import { tableState } from '../api/table-state.ts';
import { useOpenOrder } from '../order/open-order.ts';
import { PlaceOrderButton } from '../shell/app-shell.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { CursorPager } from '../ui/pager.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { customerColumns } from './customer-columns.tsx';

const route = getRouteApi('/panel/customers');
const columns = customerColumns();

export function CustomersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const openOrder = useOpenOrder();
  const mayOrder = useMay()('orders:write');
  const query = useQuery(customersQuery(search));
  const onSearch = useCallback(
    (q: string) => void navigate({ search: (now) => changedParams(now, { q }), replace: true }),
    [navigate],
  );
  return (
    <>
      <PageHeader
        title={t`Customers`}
        actions={<PlaceOrderButton onClick={() => openOrder({ type: 'place' })} />}
      />
      <Card flush>
        <FilterBar clear={search.q === undefined ? undefined : () => void navigate({ search: {} })}>
          <SearchField label={t`Name, e-mail or username`} value={search.q ?? ''} onSearch={onSearch} />
        </FilterBar>
        <DataTable
          caption={t`Customers`}
          columns={columns}
          {...tableState(query)}
          rowKey={({ id }) => id}
          empty={
            search.q === undefined && search.before === undefined ? (
              <EmptyState
                icon={Users}
                title={t`No customers yet`}
                action={
                  mayOrder ? (
                    <Button look="primary" onClick={() => openOrder({ type: 'place' })}>
                      Place the first order
                    </Button>
                  ) : undefined
                }
              >
                <Trans>The first order for a new e-mail address or username creates the customer.</Trans>
              </EmptyState>
            ) : (
              <EmptyState
                icon={SearchX}
                title={query.data?.next_before ? t`Nobody found so far` : t`Nobody found`}
                action={
                  <ButtonLink to="/customers" search={{}}>
                    Show all customers
                  </ButtonLink>
                }
              >
                <Trans>The search looks at names, e-mail addresses and usernames.</Trans>
              </EmptyState>
            )
          }
          footer={<CursorPager list={query.data} before={search.before} />}
        />
      </Card>
    </>
  );
}
