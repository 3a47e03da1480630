// Shows a row's details beside its list, whose rows stay usable. The open row is in the URL (`open`).

import { Dialog as Base } from '@base-ui/react/dialog';
import { t } from '@lingui/core/macro';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { IconButton } from './button.tsx';
import type { OpenRow } from './open-row.ts';

interface DrawerProps {
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** Closes the drawer, or moves to the row above or below. */
  readonly opened: Pick<OpenRow<unknown>, 'close' | 'onNewer' | 'onOlder'>;
  readonly children: ReactNode;
}

export function Drawer({ title, description, actions, opened, children }: DrawerProps) {
  const { close, onNewer, onOlder } = opened;
  const [popup, setPopup] = useState<HTMLElement | null>(null);
  const row = useOpenRowLink();
  return (
    <Base.Root
      open
      modal={false}
      disablePointerDismissal
      onOpenChange={(open) => {
        if (open) return;
        // Restore the focus even if it has left the drawer; Base UI does not.
        const { activeElement } = document;
        const isElsewhere = popup?.contains(activeElement) === false && activeElement !== document.body;
        if (isElsewhere) row.current?.focus();
        close();
      }}
    >
      <Base.Portal>
        <Base.Popup
          ref={setPopup}
          data-drawer
          finalFocus={() => row.current ?? true}
          onKeyDown={(event) => leaveAtTheEnds(event, popup, row.current)}
          className="fixed inset-y-0 right-0 z-30 flex w-full flex-col border-l border-line bg-card shadow-high transition-[translate] duration-150 data-starting-style:translate-x-8 sm:w-md"
        >
          <div className="flex items-start gap-1 border-b border-line px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1 pt-1">
              <Base.Title className="text-base font-semibold wrap-anywhere">{title}</Base.Title>
              {description === undefined ? null : (
                <Base.Description className="mt-0.5 text-soft" render={<div />}>
                  {description}
                </Base.Description>
              )}
            </div>
            <IconButton
              icon={ChevronUp}
              label={t`Newer`}
              disabled={onNewer === undefined}
              onClick={onNewer}
            />
            <IconButton
              icon={ChevronDown}
              label={t`Older`}
              disabled={onOlder === undefined}
              onClick={onOlder}
            />
            <Base.Close render={<IconButton icon={X} label={t`Close`} className="-mr-2" />} />
          </div>
          <div className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-5">{children}</div>
          {actions === undefined ? null : (
            <div className="button-row justify-end border-t border-line px-5 py-3.5">{actions}</div>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function useOpenRowLink() {
  const link = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const found = document.querySelector<HTMLElement>('tr[aria-current="true"] a[data-row-link]');
    if (found !== null) link.current = found;
  });
  return link;
}

/** The drawer is at the end of the document. Tab past its first or last control continues at the row. */
function leaveAtTheEnds(event: KeyboardEvent, popup: HTMLElement | null, row: HTMLElement | null): void {
  if (event.key !== 'Tab' || popup === null || row?.isConnected !== true) return;
  const controls = [
    ...popup.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [tabindex="0"]',
    ),
  ].filter((control) => !control.matches(':disabled') && control.checkVisibility());
  const end = event.shiftKey ? controls[0] : controls.at(-1);
  if (event.target !== end) return;
  event.preventDefault();
  row.focus();
}
