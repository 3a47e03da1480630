import { t } from '@lingui/core/macro';
import { Columns3 } from 'lucide-react';
import { type ToggleEvent, useId, useState } from 'react';
import { keep, readKept } from '../api/browser-storage.ts';
import { IconButton } from './button.tsx';

export interface TableLayout {
  readonly visibility: Record<string, boolean>;
  readonly show: (id: string, isShown: boolean) => void;
  readonly showAll: (visibility: Readonly<Record<string, boolean>>) => void;
}

export function useTableLayout(name: string): TableLayout {
  const storageName = `sellthrough-columns-${name}`;
  const [visibility, setVisibility] = useState<Record<string, boolean>>(() => readVisibility(storageName));
  const showAll = (changed: Readonly<Record<string, boolean>>) => {
    setVisibility(changed);
    // If the browser refuses storage, the choice lasts until the page is left.
    keep(storageName, JSON.stringify(changed));
  };
  return { visibility, show: (id, isShown) => showAll({ ...visibility, [id]: isShown }), showAll };
}

export const popoverClasses =
  'inset-auto m-0 min-w-44 rounded-card border border-line bg-card p-2 text-ink shadow-high';

interface ChosenColumn {
  readonly id?: string;
  readonly title: string;
  readonly isExtra?: boolean;
}

export function ColumnChoice({
  layout,
  columns,
}: {
  readonly layout: TableLayout;
  readonly columns: readonly ChosenColumn[];
}) {
  const menu = useId();
  return (
    <>
      <IconButton
        icon={Columns3}
        label={t`Columns`}
        look="plain"
        className="max-sm:hidden"
        popoverTarget={menu}
      />
      <fieldset id={menu} popover="auto" onToggle={placeBelowButton} className={popoverClasses}>
        <legend className="sr-only">{t`Columns`}</legend>
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
      </fieldset>
    </>
  );
}

const gapPixels = 6;

/** Native popovers close by themselves, but the page has to position them. */
export function placeBelowButton({ currentTarget: menu }: ToggleEvent<HTMLElement>): void {
  const button = document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`);
  if (button === null) return;
  const { bottom, right } = button.getBoundingClientRect();
  menu.style.top = `${bottom + gapPixels}px`;
  menu.style.right = `${document.documentElement.clientWidth - right}px`;
}

function readVisibility(storageName: string): Record<string, boolean> {
  try {
    const kept: unknown = JSON.parse(readKept(storageName) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return Object.fromEntries(
      Object.entries(kept).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
    );
  } catch {
    return {};
  }
}
