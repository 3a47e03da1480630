// Which columns of a list somebody wants to see: a menu above the list, kept in this browser.

import { Popover } from '@base-ui/react/popover';
import { t } from '@lingui/core/macro';
import { Columns3 } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from './button.tsx';
import type { Column } from './data-table.tsx';

export interface TableLayout {
  /** Columns that were shown or hidden by choice. */
  readonly visibility: Record<string, boolean>;
  readonly show: (id: string, isShown: boolean) => void;
}

/** `name`: of the list, as its choice is kept by. */
export function useTableLayout(name: string): TableLayout {
  const storageName = `sellthrough-columns-${name}`;
  const [visibility, setVisibility] = useState(() => readKept(storageName));
  return {
    visibility,
    show: (id, isShown) => {
      const changed = { ...visibility, [id]: isShown };
      setVisibility(changed);
      try {
        window.localStorage.setItem(storageName, JSON.stringify(changed));
      } catch {
        // Until the page is left, then.
      }
    },
  };
}

/** The menu: one tick for each column that can be hidden. */
export function ColumnChoice<Row>({
  layout,
  columns,
}: {
  readonly layout: TableLayout;
  readonly columns: readonly Column<Row>[];
}) {
  return (
    <Popover.Root>
      <Popover.Trigger
        render={
          <IconButton label={t`Columns`} look="plain" className="max-sm:hidden">
            <Columns3 aria-hidden="true" className="size-4" />
          </IconButton>
        }
      />
      <Popover.Portal>
        <Popover.Positioner align="end" sideOffset={6} className="z-30">
          <Popover.Popup
            aria-label={t`Columns`}
            className="min-w-44 rounded-card border border-line bg-card p-2 shadow-high"
          >
            {columns.map(({ id, title, isExtra = false }) =>
              id === undefined ? null : (
                <label
                  key={id}
                  className="flex min-h-8 cursor-pointer items-center gap-2 rounded-control px-2 hover:bg-fill pointer-coarse:min-h-11"
                >
                  <input
                    type="checkbox"
                    className="size-4 accent-accent"
                    checked={layout.visibility[id] ?? !isExtra}
                    onChange={(event) => layout.show(id, event.target.checked)}
                  />
                  {title}
                </label>
              ),
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function readKept(storageName: string): Record<string, boolean> {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(storageName) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return Object.fromEntries(
      Object.entries(kept).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
    );
  } catch {
    return {};
  }
}
