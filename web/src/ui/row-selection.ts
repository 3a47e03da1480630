// The selected rows across pages. The rows themselves are kept, so that actions on them need no refetch.

import { useState } from 'react';

type SelectedIds = Readonly<Record<string, true>>;

export interface RowSelection<Row> {
  readonly state: Record<string, true>;
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
  readonly isSelectable: (row: Row) => boolean;
  readonly choose: (ids: SelectedIds, known: readonly Row[]) => void;
  readonly chooseAll: (rows: readonly Row[]) => void;
  readonly clear: () => void;
}

interface RowSelectionOptions<Row> {
  readonly rowKey: (row: Row) => string | number;
  readonly nameOf: (row: Row) => string;
  readonly isSelectable?: (row: Row) => boolean;
  /** Identifies the filter; a changed key clears the selection. */
  readonly key: string;
}

export function useRowSelection<Row>({
  rowKey,
  nameOf,
  isSelectable = () => true,
  key,
}: RowSelectionOptions<Row>): RowSelection<Row> {
  const [kept, setKept] = useState<{ readonly key: string; readonly rows: ReadonlyMap<string, Row> }>({
    key,
    rows: new Map(),
  });
  const rows: ReadonlyMap<string, Row> = kept.key === key ? kept.rows : new Map();
  const keep = (selected: readonly Row[]) =>
    setKept({ key, rows: new Map(selected.map((row) => [String(rowKey(row)), row])) });
  return {
    state: Object.fromEntries([...rows.keys()].map((id) => [id, true])),
    rows: [...rows.values()],
    nameOf,
    isSelectable,
    choose: (ids, known) => {
      const all = new Map([...rows, ...known.map((row) => [String(rowKey(row)), row] as const)]);
      keep([...all].filter(([id]) => ids[id] === true).map(([, row]) => row));
    },
    chooseAll: (all) => keep(all.filter(isSelectable)),
    clear: () => keep([]),
  };
}
