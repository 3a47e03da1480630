// The table of every list, with skeleton, empty and error states. Narrow screens hide columns (`from`), so
// their content must be in `phone` or the row's drawer.

import { t } from '@lingui/core/macro';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { classNames } from './class-names.ts';
import { ErrorNotice } from './error-notice.tsx';
import type { RowSelection } from './row-selection.ts';
import { SelectBox } from './select-box.tsx';
import { Skeleton } from './skeleton.tsx';
import type { TableLayout } from './table-layout.tsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** With an id, people can hide the column; without one it is always shown. */
  readonly id?: string;
  /** The column is hidden until someone chooses it. */
  readonly isExtra?: boolean;
  readonly align?: 'end';
  readonly from?: 'sm' | 'md' | 'lg' | 'xl';
  /** The column takes the remaining width and truncates its text. */
  readonly grows?: boolean;
  /** Only screen readers get the title. */
  readonly untitled?: boolean;
  readonly sort?: ColumnSort;
}

interface ColumnSort {
  readonly by: string;
  readonly direction: 'ascending' | 'descending';
  /** The reverse order, used by a second click. */
  readonly backwards?: string;
}

/** `by` is undefined for the service's default order. */
export interface TableSort {
  readonly by: string | undefined;
  /** The value of `by` that means the same as the default order. */
  readonly otherwise?: string;
  readonly onSort: (by: string | undefined) => void;
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string | number;
  readonly empty: ReactNode;
  readonly error?: Error | null;
  readonly onRetry?: () => void;
  /** True while the rows are still those of the previous filter. */
  readonly outdated?: boolean;
  readonly footer?: ReactNode;
  readonly layout?: TableLayout;
  readonly sort?: TableSort;
  readonly selection?: RowSelection<Row>;
  /** The second line on phones, which replaces hidden columns. */
  readonly phone?: (row: Row) => ReactNode;
  readonly openKey?: string | undefined;
  /** For tables of many figures: titles may take two lines, and columns stand closer. */
  readonly isDense?: boolean;
}

const shownFrom = {
  sm: 'hidden sm:table-cell',
  md: 'hidden md:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
} as const;

const skeletonRows = [0, 1, 2, 3, 4, 5];

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { rows, error, onRetry, empty, footer } = props;
  if (error && rows === undefined) {
    return (
      <div className="p-5">
        <ErrorNotice error={error} {...(onRetry !== undefined && { onRetry })} />
      </div>
    );
  }
  return (
    <>
      {rows?.length === 0 ? empty : <FilledTable {...props} />}
      {footer}
    </>
  );
}

function FilledTable<Row extends object>({
  caption,
  columns,
  rows,
  rowKey,
  outdated = false,
  layout,
  sort,
  selection,
  phone,
  openKey,
  isDense = false,
}: DataTableProps<Row>) {
  const shown = columns.filter(
    ({ id, isExtra }) => id === undefined || (layout?.visibility[id] ?? isExtra !== true),
  );
  const isSelected = (row: Row) => selection?.state[String(rowKey(row))] === true;
  const selectable = selection === undefined ? [] : (rows ?? []).filter(selection.isSelectable);
  const selected = selectable.filter(isSelected).length;
  const select = (changed: readonly Row[], isChosen: boolean) => {
    if (selection === undefined) return;
    const ids = { ...selection.state };
    for (const row of changed) {
      if (isChosen) ids[String(rowKey(row))] = true;
      else delete ids[String(rowKey(row))];
    }
    selection.choose(ids, rows ?? []);
  };
  return (
    <ScrollRegion label={caption}>
      <table
        aria-busy={rows === undefined || outdated}
        className={classNames(
          'w-full border-collapse transition-opacity duration-150',
          outdated && 'opacity-60',
          isDense && 'dense',
        )}
      >
        <caption className="sr-only">{caption}</caption>
        <thead className="sticky top-(--list-top) z-10 bg-card">
          <tr className="border-b border-line bg-fill/60 text-left text-xs text-soft">
            {selection === undefined ? null : (
              <th scope="col" className="w-10 py-1 pl-4 md:pl-5">
                <SelectBox
                  label={t`Select all on this page`}
                  checked={selected > 0 && selected === selectable.length}
                  indeterminate={selected > 0 && selected < selectable.length}
                  disabled={rows === undefined}
                  onChange={(checked) => select(selectable, checked)}
                />
              </th>
            )}
            {shown.map((column) => (
              <th
                key={column.id ?? column.title}
                scope="col"
                aria-sort={ariaSort(column, sort)}
                className={classNames('py-2 font-medium whitespace-nowrap', cellClasses(column))}
              >
                <HeadTitle column={column} sort={sort} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows === undefined
            ? skeletonRows.map((row) => (
                <tr key={`loading ${row}`} className="h-11 border-b border-line last:border-b-0">
                  {selection === undefined ? null : <td />}
                  {shown.map((column) => (
                    <td key={column.id ?? column.title} className={cellClasses(column)}>
                      <Skeleton
                        className={classNames('max-w-full', column.grows ? 'w-40' : 'w-16', align(column))}
                      />
                    </td>
                  ))}
                </tr>
              ))
            : rows.map((row) => (
                <tr
                  key={rowKey(row)}
                  onClick={followRow}
                  aria-current={String(rowKey(row)) === openKey ? 'true' : undefined}
                  className={classNames(
                    'h-11 has-data-row-link:cursor-pointer border-b border-line last:border-b-0 hover:bg-fill/50',
                    'aria-[current]:bg-accent-fill forced-colors:aria-[current]:outline-2 forced-colors:aria-[current]:-outline-offset-2',
                    isSelected(row) &&
                      'bg-accent-fill/60 forced-colors:outline-2 forced-colors:-outline-offset-2',
                  )}
                >
                  {selection === undefined ? null : (
                    <td className="w-10 pl-4 md:pl-5">
                      <SelectBox
                        label={selection.nameOf(row)}
                        checked={isSelected(row)}
                        disabled={!selection.isSelectable(row)}
                        onChange={(checked) => select([row], checked)}
                      />
                    </td>
                  )}
                  {shown.map((column, place) => (
                    <td key={column.id ?? column.title} className={classNames('py-1.5', cellClasses(column))}>
                      {column.cell(row)}
                      {place === 0 && phone !== undefined ? (
                        <div className="line-clamp-2 text-xs wrap-anywhere text-soft sm:hidden">
                          {phone(row)}
                        </div>
                      ) : null}
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function cellClasses<Row>(column: Column<Row>): string {
  const { from, grows } = column;
  return classNames(
    'px-4 md:px-3 md:first:pl-5',
    column.align === 'end' && 'text-right',
    from !== undefined && shownFrom[from],
    // Without a least width the other columns would leave it no room.
    grows && 'w-full max-w-0 sm:min-w-36',
  );
}

function HeadTitle<Row>({
  column: { title, untitled, sort: order },
  sort,
}: {
  readonly column: Column<Row>;
  readonly sort: TableSort | undefined;
}) {
  if (untitled) return <span className="sr-only">{title}</span>;
  if (order === undefined || sort === undefined) return title;
  const direction = directionOf(order, sort);
  const Icon = { none: ArrowUpDown, ascending: ArrowUp, descending: ArrowDown }[direction];
  return (
    <button
      type="button"
      className="-mx-1.5 inline-flex min-h-7 items-center gap-1 rounded px-1.5 hover:bg-fill hover:text-ink"
      onClick={() => sort.onSort(nextSort(order, sort))}
    >
      {title}
      <Icon aria-hidden="true" className="size-3.5" />
    </button>
  );
}

function nextSort({ by, backwards }: ColumnSort, sort: TableSort): string | undefined {
  if (by === sort.otherwise) return undefined;
  return sort.by === by ? backwards : sort.by === backwards && backwards !== undefined ? undefined : by;
}

function ariaSort<Row>({ sort: order }: Column<Row>, sort: TableSort | undefined) {
  return order === undefined || sort === undefined ? undefined : directionOf(order, sort);
}

function directionOf({ by, direction, backwards }: ColumnSort, sort: TableSort) {
  const present = sort.by ?? sort.otherwise;
  if (present === by) return direction;
  if (present === undefined || present !== backwards) return 'none';
  return direction === 'ascending' ? 'descending' : 'ascending';
}

/** Scrolls sideways if the table is too wide, and can then be focused. */
function ScrollRegion({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const region = useRef<HTMLElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const { current: element } = region;
    if (element === null) return;
    const observer = new ResizeObserver(() => setScrolls(element.scrollWidth > element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <section
      ref={region}
      aria-label={label}
      tabIndex={scrolls ? 0 : undefined}
      // Set only if needed, because sideways scrolling disables the sticky header.
      className={classNames('-outline-offset-2', scrolls && 'scroll-sides overflow-x-auto')}
    >
      {children}
    </section>
  );
}

function align<Row>(column: Column<Row>): string | false {
  return column.align === 'end' && 'ml-auto';
}

/** The row's link is an inline block, so that long text is truncated within its column. */
export const rowLinkClasses =
  'inline-block max-w-full truncate align-bottom font-medium text-ink hover:text-accent';

/** A click on a row follows its link, unless it hits a control or ends a text selection. */
function followRow(event: MouseEvent<HTMLTableRowElement>): void {
  const { target, currentTarget, ctrlKey, metaKey } = event;
  if (!(target instanceof Element) || target.closest('a, button, input, select') !== null) return;
  if (window.getSelection()?.toString() !== '') return;
  const link = currentTarget.querySelector('a[data-row-link]');
  if (!(link instanceof HTMLAnchorElement)) return;
  if (ctrlKey || metaKey) window.open(link.href, '_blank', 'noopener');
  else link.click();
}

export function TwoLines({ first, second }: { readonly first: ReactNode; readonly second: ReactNode }) {
  return (
    <div className="min-w-0 py-0.5 leading-snug">
      <div className="truncate">{first}</div>
      <div className="truncate text-xs text-soft">{second}</div>
    </div>
  );
}
