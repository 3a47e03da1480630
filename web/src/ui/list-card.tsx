import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { SearchX, X } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import type { Query } from '../api/client.ts';
import type { CursorPage } from '../api/shapes.ts';
import { tableState } from '../api/table-state.ts';
import { Button } from './button.tsx';
import { ButtonLink } from './button-link.tsx';
import { Card } from './card.tsx';
import { CsvButton } from './csv-button.tsx';
import { DataTable } from './data-table.tsx';
import { EmptyState } from './empty-state.tsx';
import { SelectField } from './field.tsx';
import { FilterBar } from './filter-bar.tsx';
import type { ListView } from './list-views.ts';
import { CursorPager } from './pager.tsx';
import { SearchField } from './search-field.tsx';
import { SpanFilter } from './span-filter.tsx';
import { ColumnChoice, useTableLayout } from './table-layout.tsx';
import type { List } from './use-list.ts';
import { ViewsButton } from './views-button.tsx';

interface ListCardProps<Row extends object>
  extends Omit<ComponentProps<typeof DataTable<Row>>, 'empty' | 'layout' | 'sort' | 'footer' | 'rows'> {
  readonly list: List<'cursor' | 'sort'>;
  readonly query: UseQueryResult<CursorPage<Row>>;
  readonly children: ReactNode;
  /** The name under which the column choice is stored. If absent, columns cannot be chosen. */
  readonly name?: string;
  /** Built-in views, before those that the person saves. */
  readonly views?: readonly ListView[];
  readonly csv?: { readonly path: string; readonly query: Query; readonly name: string };
  /** The default order. If absent, the list cannot be sorted. */
  readonly order?: string;
  readonly above?: ReactNode;
  readonly none: ReactNode;
  /** Shown if no row matches the filters. By default the list looks empty. */
  readonly nothing?: Nothing;
  /** How many rows match, if the page of rows does not say so. */
  readonly total?: number | null;
  readonly says?: (total: number) => string;
}

interface Nothing {
  readonly title: string;
  readonly hint?: string | undefined;
  readonly all: string;
  /** Shown while older rows have not been searched yet. */
  readonly soFar?: string;
  readonly soFarHint?: string;
}

export function ListCard<Row extends object>({
  list,
  query,
  children,
  name,
  views = [],
  csv,
  order,
  above,
  none,
  nothing,
  total,
  says,
  ...table
}: ListCardProps<Row>) {
  const { search, isFiltered, all } = list;
  const navigate = useNavigate();
  const layout = useTableLayout(name ?? '');
  const file = csv && <CsvButton {...csv} />;
  const { cursor } = search;
  const hasMore = (query.data?.next_cursor ?? null) !== null;
  // A list on one page has been counted by reading it.
  const onePage = cursor === undefined && !hasMore ? query.data?.data.length : undefined;
  const rows = total ?? query.data?.total ?? onePage ?? 0;
  return (
    <Card flush>
      <FilterBar
        clear={isFiltered ? () => void navigate({ to: '.', search: all }) : undefined}
        end={
          name === undefined ? (
            file
          ) : (
            <>
              <ViewsButton
                list={name}
                builtIn={views}
                shown={{ search: viewOf(search), columns: layout.visibility }}
                onShow={(view) => {
                  if (view.columns !== undefined) layout.showAll(view.columns);
                  void navigate({ to: '.', search: (now: object) => ({ ...all(now), ...view.search }) });
                }}
              />
              {file}
              <ColumnChoice layout={layout} columns={table.columns} />
            </>
          )
        }
      >
        {children}
      </FilterBar>
      {above}
      <DataTable
        {...table}
        {...tableState(query)}
        {...(name !== undefined && { layout })}
        {...(order !== undefined && {
          sort: { by: search.sort, otherwise: order, onSort: (by) => list.change({ sort: by ?? '' }) },
        })}
        empty={
          nothing === undefined || (!isFiltered && cursor === undefined) ? (
            none
          ) : (
            <EmptyState
              icon={SearchX}
              title={hasMore ? (nothing.soFar ?? nothing.title) : nothing.title}
              action={
                <ButtonLink to="." search={all}>
                  {nothing.all}
                </ButtonLink>
              }
            >
              {hasMore ? nothing.soFarHint : nothing.hint}
            </EmptyState>
          )
        }
        footer={
          <CursorPager
            list={query.data}
            cursor={cursor}
            says={rows === 0 || says === undefined ? '' : says(rows)}
          />
        }
      />
    </Card>
  );
}

/** The filters and the order, without the place in the list. */
function viewOf(search: object): Record<string, string> {
  const { cursor: _cursor, open: _open, ...view } = { cursor: undefined, open: undefined, ...search };
  return Object.fromEntries(
    Object.entries(view).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

interface ListFilterProps<Name extends string> {
  readonly list: Pick<List<Name>, 'search' | 'change'>;
  readonly name: NoInfer<Name>;
  readonly label: string;
}

interface ListSelectProps<Name extends string> extends ListFilterProps<Name> {
  readonly options: readonly { readonly value: string; readonly title: string }[];
  readonly className?: string;
}

export function ListSelect<Name extends string>({ list, name, ...rest }: ListSelectProps<Name>) {
  return (
    <SelectField
      unlabeled
      value={list.search[name] ?? ''}
      onValue={(value) => list.change(only(name, value))}
      {...rest}
    />
  );
}

function only<Name extends string>(name: Name, value: string): { readonly [One in Name]?: string } {
  return Object.fromEntries([[name, value]]) as { [One in Name]?: string };
}

interface ListSearchProps<Name extends string> extends ListFilterProps<Name> {
  readonly hint?: string | undefined;
  readonly isAmount?: boolean;
}

export function ListSearchField<Name extends string>({ list, name, ...rest }: ListSearchProps<Name>) {
  return (
    <SearchField
      value={list.search[name] ?? ''}
      onSearch={(text) => list.change(only(name, text))}
      {...rest}
    />
  );
}

interface ListSpanProps {
  readonly list: Pick<List<'from' | 'to'>, 'search' | 'change'>;
  readonly what: string;
}

export function ListSpan({ list: { search, change }, what }: ListSpanProps) {
  return <SpanFilter from={search.from} to={search.to} what={what} onSpan={change} />;
}

interface OnlyOneProps {
  readonly label: string;
  readonly onClear: () => void;
  readonly children: ReactNode;
}

/** Shows a filter that another page set, and removes it on a click. */
export function OnlyOne({ label, onClear, children }: OnlyOneProps) {
  return (
    <Button aria-label={label} onClick={onClear}>
      {children}
      <X aria-hidden="true" className="size-4" />
    </Button>
  );
}
