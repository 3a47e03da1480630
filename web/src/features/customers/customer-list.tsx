// Customers of an account: which plan each has and how long it still runs. Filters and order are in the address, a drawer for
// each; whoever is selected is renewed together, in the own account. On the page "Customers", and for the operator on the
// account's page.
// The route needs these texts of the address: customerParams.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, SearchX, Users } from 'lucide-react';
import { type ReactNode, Suspense, useCallback } from 'react';
import { customerParams, filtersOf, type ListSearch, withoutList } from '../../api/list-params.ts';
import { useMay } from '../../api/person.ts';
import { customersQuery, ofAccount } from '../../api/queries.ts';
import { changedParams } from '../../api/search-params.ts';
import type { PanelCustomer } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CsvButton } from '../../ui/csv-button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { type OpenRow, useOpenRow } from '../../ui/open-row.ts';
import { CursorPager } from '../../ui/pager.tsx';
import { useRowSelection } from '../../ui/row-selection.ts';
import { ColumnChoice, useTableLayout } from '../../ui/table-layout.tsx';
import { Time } from '../../ui/time.tsx';
import { customerColumns } from './customer-columns.tsx';
import { CustomerFilters, customersWanted } from './customer-filters.tsx';
import { CustomerSelectionBar } from './customer-selection-bar.tsx';

type CustomerSearch = ListSearch<typeof customerParams>;

const columns = customerColumns<PanelCustomer>({ links: 'drawer' });
const rowKey = ({ id }: PanelCustomer) => id;

interface CustomerListProps {
  /** null: the own account. */
  readonly accountId: number | null;
  /** What leads to the first customer, while there is none. */
  readonly first?: ReactNode;
  readonly drawer: (id: string, opened: OpenRow<PanelCustomer>) => ReactNode;
}

export function CustomerList({ accountId, first, drawer }: CustomerListProps) {
  const search: CustomerSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  // An operator orders nothing for an account.
  const canSelect = useMay()('orders:write') && accountId === null;
  const { before, sort } = search;
  const wanted = customersWanted(search);
  const query = useQuery(customersQuery({ ...wanted, before }, accountId));
  const layout = useTableLayout('customers');
  const opened = useOpenRow(query.data?.data, rowKey);
  const filters = filtersOf(customerParams, search);
  const isFiltered = Object.keys(filters).length > 0;
  const selection = useRowSelection<PanelCustomer>({
    rowKey,
    nameOf: ({ name }) => t`Select ${name}`,
    key: JSON.stringify(filters),
  });
  const change = useCallback(
    (changed: CustomerSearch) =>
      void navigate({
        to: '.',
        search: (now: CustomerSearch) => changedParams(now, changed),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const onSearch = useCallback((q: string) => change({ q }), [change]);
  const total = query.data?.total ?? null;
  const all = (now: object) => withoutList(customerParams, now);
  return (
    <Card flush>
      <FilterBar
        clear={isFiltered ? () => void navigate({ to: '.', search: all }) : undefined}
        end={
          <>
            <CsvButton
              icon={Download}
              path={ofAccount(accountId, '/customers.csv')}
              query={wanted}
              name="customers"
              label={t`Export as CSV`}
            />
            <ColumnChoice layout={layout} columns={columns} />
          </>
        }
      >
        <CustomerFilters
          search={search}
          onChange={change}
          onSearch={onSearch}
          isOperator={accountId !== null}
        />
      </FilterBar>
      {canSelect ? (
        <CustomerSelectionBar
          selection={selection}
          wanted={wanted}
          total={total}
          hasMore={before !== undefined || (query.data?.next_before ?? null) !== null}
        />
      ) : null}
      <DataTable
        caption={t`Customers`}
        columns={columns}
        {...tableState(query)}
        rowKey={rowKey}
        layout={layout}
        sort={{
          by: sort,
          otherwise: 'newest',
          onSort: (by) => change({ sort: by ?? '' }),
        }}
        {...(canSelect && { selection })}
        phone={({ plan }) => (
          <Trans>
            Ends <Time at={plan.expires_at} style="day" />
          </Trans>
        )}
        openKey={opened.key}
        empty={
          !isFiltered && before === undefined ? (
            <EmptyState icon={Users} title={t`No customers yet`} action={first}>
              {t`The first order for a new e-mail address or username creates the customer.`}
            </EmptyState>
          ) : (
            <EmptyState
              icon={SearchX}
              title={query.data?.next_before ? t`Nobody found so far` : t`Nobody found`}
              action={
                <ButtonLink to="." search={all}>
                  {t`Show all customers`}
                </ButtonLink>
              }
            >
              {query.data?.next_before
                ? t`Older customers have not been searched yet.`
                : t`The search looks at names, e-mail addresses, usernames and ids, in any order of words.`}
            </EmptyState>
          )
        }
        footer={
          <CursorPager
            list={query.data}
            before={before}
            says={total === null ? '' : plural(total, { one: '# customer', other: '# customers' })}
          />
        }
      />
      {opened.key === undefined ? null : <Suspense>{drawer(opened.key, opened)}</Suspense>}
    </Card>
  );
}
