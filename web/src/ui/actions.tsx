import type { LucideIcon } from 'lucide-react';
import { type ComponentType, type ReactNode, useState } from 'react';
import { useAskedAction } from './asked-action.ts';
import { Button, type ButtonLook, IconButton } from './button.tsx';

export interface Action {
  readonly id: string;
  readonly title: string;
  readonly icon: LucideIcon;
  readonly look?: ButtonLook;
  /** false hides the button. If its dialog is open, the dialog stays. */
  readonly isOffered?: boolean;
  /** Why it cannot be chosen now. Shown in menus. */
  readonly refusal?: string;
  /** The name under which the palette begins it. */
  readonly asked?: string;
  readonly dialog?: (onClose: () => void) => ReactNode;
  /** Runs in place of a dialog. */
  readonly run?: () => void;
}

interface ActionsProps {
  readonly actions: readonly Action[];
}

function useActions(actions: readonly Action[]) {
  const [asked, setAsked] = useState<string | null>(null);
  const begun = actions.find((action) => action.asked !== undefined && action.isOffered !== false);
  useAskedAction(begun?.asked, () => setAsked(begun?.id ?? null));
  return {
    offered: actions.filter(({ isOffered = true }) => isOffered),
    dialog: actions.find(({ id }) => id === asked)?.dialog?.(() => setAsked(null)),
    ask: (id: string) => {
      const run = actions.find((action) => action.id === id)?.run;
      if (run === undefined) setAsked(id);
      else run();
    },
  };
}

export function Actions({ actions }: ActionsProps) {
  const { offered, dialog, ask } = useActions(actions);
  return (
    <>
      {offered.map(({ id, title, icon, look = 'plain' }) => (
        <Button key={id} icon={icon} look={look} onClick={() => ask(id)}>
          {title}
        </Button>
      ))}
      {dialog}
    </>
  );
}

/** A row of actions below facts; takes no space without actions. `children` come after them. */
export function ActionBar({ actions, children }: ActionsProps & { readonly children?: ReactNode }) {
  return (
    <div className="button-row mt-4 empty:hidden">
      <Actions actions={actions} />
      {children}
    </div>
  );
}

interface MoreActionsProps extends ActionsProps {
  /** Shows the actions. It is given here so that few pages load it. */
  readonly menu: ComponentType<{
    readonly actions: readonly Action[];
    readonly onChoose: (id: string) => void;
  }>;
}

/** The less common actions, in a menu. */
export function MoreActions({ actions, menu: Menu }: MoreActionsProps) {
  const { offered, dialog, ask } = useActions(actions);
  return (
    <>
      <Menu actions={offered} onChoose={ask} />
      {dialog}
    </>
  );
}

interface MenuBarProps extends MoreActionsProps {
  readonly more: readonly Action[];
}

/** A row of actions below facts, with others in a menu. */
export function MenuBar({ actions, more, menu }: MenuBarProps) {
  return (
    <div className="button-row mt-4 empty:hidden">
      <Actions actions={actions} />
      <MoreActions actions={more} menu={menu} />
    </div>
  );
}

export function RowActions({ actions }: ActionsProps) {
  const { offered, dialog, ask } = useActions(actions);
  return (
    <span className="inline-flex">
      {offered.map(({ id, title, icon: Icon, look }) => (
        <IconButton key={id} label={title} onClick={() => ask(id)}>
          <Icon aria-hidden="true" className={look === 'danger' ? 'size-4 text-bad' : 'size-4'} />
        </IconButton>
      ))}
      {dialog}
    </span>
  );
}
