// Which rows of a list are selected, over all of its pages: the rows themselves are kept, so that what is done with them
// needs no second look. Another filter begins anew (`key`).

import { useState } from 'react';

/** As TanStack Table has it: ids of rows. */
type SelectedIds = Readonly<Record<string, true>>;

export interface RowSelection<Row> {
  readonly state: Record<string, true>;
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
  readonly isSelectable: (row: Row) => boolean;
  /** These are selected now; `known` are the rows of the page. */
  readonly choose: (ids: SelectedIds, known: readonly Row[]) => void;
  /** All of these, such as every one that fits the filter. */
  readonly chooseAll: (rows: readonly Row[]) => void;
  readonly clear: () => void;
}

interface RowSelectionOptions<Row> {
  readonly rowKey: (row: Row) => string | number;
  /** What the tick box of a row is called: "Select Ada Lovelace". */
  readonly nameOf: (row: Row) => string;
  readonly isSelectable?: (row: Row) => boolean;
  /** What the list is filtered by: with another one nothing is selected. */
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
