import { Menu } from '@base-ui/react/menu';
import { t } from '@lingui/core/macro';
import { ChevronDown } from 'lucide-react';
import { useRef } from 'react';
import type { Action } from './actions.tsx';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';

interface ActionMenuProps {
  readonly actions: readonly Action[];
  readonly onChoose: (id: string) => void;
}

/** A button “More” with the less common actions. Those that do harm stand last, in red. */
export function ActionMenu({ actions, onChoose }: ActionMenuProps) {
  const chosen = useRef<string | null>(null);
  if (actions.length === 0) return null;
  return (
    <Menu.Root
      // The dialog opens once the focus is back on the button, which gets it again when the dialog closes.
      onOpenChangeComplete={(isOpen) => {
        if (isOpen || chosen.current === null) return;
        onChoose(chosen.current);
        chosen.current = null;
      }}
    >
      <Menu.Trigger render={<Button />}>
        {t`More`}
        <ChevronDown aria-hidden="true" className="size-4" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="start" sideOffset={6} className="z-40">
          <Menu.Popup className="min-w-52 rounded-card border border-line bg-card p-1 shadow-high outline-none">
            {actions.map(({ id, title, icon: Icon, look, refusal }) => (
              <Menu.Item
                key={id}
                disabled={refusal !== undefined}
                onClick={() => {
                  chosen.current = id;
                }}
                className={classNames(
                  'flex min-h-9 cursor-default items-center gap-2.5 rounded-control px-3 py-1.5 select-none pointer-coarse:min-h-11',
                  'data-highlighted:bg-fill data-disabled:text-soft forced-colors:data-highlighted:outline',
                  look === 'danger' ? 'text-bad' : 'text-ink',
                )}
              >
                <Icon aria-hidden="true" className="size-4" />
                <span>
                  {title}
                  {refusal === undefined ? null : <span className="block text-xs text-soft">{refusal}</span>}
                </span>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
