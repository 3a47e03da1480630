// The table of every list: columns as data, skeleton rows while it is fetched, its own empty state and error.
// On narrow screens columns step back (`from`); what they hold must then be on the detail page or in the
// first column's second line.

import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { classNames } from './class-names.ts';
import { ErrorNotice } from './error-notice.tsx';
import { Skeleton } from './skeleton.tsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'end';
  /** Shown from this width on. */
  readonly from?: 'sm' | 'md' | 'lg' | 'xl';
  /** Takes the room that is left and shortens its text. */
  readonly grows?: boolean;
  /** The title is read out and not shown: for a column of buttons. */
  readonly untitled?: boolean;
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** undefined: still being fetched. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string | number;
  readonly empty: ReactNode;
  readonly error?: Error | null;
  readonly onRetry?: () => void;
  /** What is shown is of the filter before. */
  readonly outdated?: boolean;
  readonly footer?: ReactNode;
}

const shownFrom = {
  sm: 'hidden sm:table-cell',
  md: 'hidden md:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
} as const;

const skeletonRows = [0, 1, 2, 3, 4, 5];

export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  empty,
  error,
  onRetry,
  outdated = false,
  footer,
}: DataTableProps<Row>) {
  if (error && rows === undefined) {
    return (
      <div className="p-5">
        <ErrorNotice error={error} {...(onRetry !== undefined && { onRetry })} />
      </div>
    );
  }
  if (rows?.length === 0) {
    return (
      <>
        {empty}
        {footer}
      </>
    );
  }
  const cellClasses = ({ align, from, grows }: Column<Row>) =>
    classNames(
      'px-4 md:px-3 md:first:pl-5 md:last:pr-5',
      align === 'end' && 'text-right',
      from !== undefined && shownFrom[from],
      grows && 'w-full max-w-0',
    );
  return (
    <>
      <ScrollRegion label={caption}>
        <table
          aria-busy={rows === undefined || outdated}
          className={classNames(
            'w-full border-collapse transition-opacity duration-150',
            outdated && 'opacity-60',
          )}
        >
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr className="border-b border-line bg-fill/60 text-left text-xs text-soft">
              {columns.map((column) => (
                <th
                  key={column.title}
                  scope="col"
                  className={classNames('py-2 font-medium whitespace-nowrap', cellClasses(column))}
                >
                  {column.untitled ? <span className="sr-only">{column.title}</span> : column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows === undefined
              ? skeletonRows.map((row) => (
                  <tr key={row} className="h-11 border-b border-line last:border-b-0">
                    {columns.map((column) => (
                      <td key={column.title} className={cellClasses(column)}>
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
                    className="h-11 has-data-row-link:cursor-pointer border-b border-line last:border-b-0 hover:bg-fill/50"
                  >
                    {columns.map((column) => (
                      <td key={column.title} className={classNames('py-1.5', cellClasses(column))}>
                        {column.cell(row)}
                      </td>
                    ))}
                  </tr>
                ))}
          </tbody>
        </table>
      </ScrollRegion>
      {footer}
    </>
  );
}

/** Scrolls sideways where the table is too wide; then it can also be reached by keyboard. */
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
      className="overflow-x-auto -outline-offset-2"
    >
      {children}
    </section>
  );
}

function align<Row>(column: Column<Row>): string | false {
  return column.align === 'end' && 'ml-auto';
}

/** The link that its whole row follows. */
export const rowLinkClasses = 'font-medium text-ink hover:text-accent';

/** A click beside the link counts for it, unless it is on something of its own or selects text. */
function followRow(event: MouseEvent<HTMLTableRowElement>): void {
  const { target, currentTarget, ctrlKey, metaKey } = event;
  if (!(target instanceof Element) || target.closest('a, button, input, select') !== null) return;
  if (window.getSelection()?.toString() !== '') return;
  const link = currentTarget.querySelector('a[data-row-link]');
  if (!(link instanceof HTMLAnchorElement)) return;
  if (ctrlKey || metaKey) window.open(link.href, '_blank', 'noopener');
  else link.click();
}

/** A first column of two lines: what it is, and what tells it apart. */
export function TwoLines({ first, second }: { readonly first: ReactNode; readonly second: ReactNode }) {
  return (
    <div className="min-w-0 py-0.5 leading-snug">
      <div className="truncate">{first}</div>
      <div className="truncate text-xs text-soft">{second}</div>
    </div>
  );
}
