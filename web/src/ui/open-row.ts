// The row whose drawer is open (`open` in the URL). Only opening adds a history entry, so one Back closes the drawer.

import { useNavigate, useSearch } from '@tanstack/react-router';

export interface OpenRow<Row> {
  readonly key: string | undefined;
  readonly row: Row | undefined;
  readonly open: (key: string | number) => void;
  readonly close: () => void;
  readonly onNewer: (() => void) | undefined;
  readonly onOlder: (() => void) | undefined;
}

export function useOpenRow<Row>(
  rows: readonly Row[] | undefined,
  rowKey: (row: Row) => string | number,
): OpenRow<Row> {
  const navigate = useNavigate();
  const search: { readonly open?: unknown } = useSearch({ strict: false });
  const key = typeof search.open === 'string' ? search.open : undefined;
  const show = (open: string | undefined, replace: boolean) =>
    void navigate({
      to: '.',
      search: ({ open: _before, ...rest }) => (open === undefined ? rest : { ...rest, open }),
      replace,
      resetScroll: false,
    });
  const place = rows?.findIndex((row) => String(rowKey(row)) === key) ?? -1;
  const stepTo = (row: Row | undefined) =>
    row === undefined || place < 0 ? undefined : () => show(String(rowKey(row)), true);
  return {
    key,
    row: rows?.[place],
    open: (opened) => show(String(opened), key !== undefined),
    close: () => show(undefined, true),
    onNewer: stepTo(rows?.[place - 1]),
    onOlder: stepTo(rows?.[place + 1]),
  };
}
