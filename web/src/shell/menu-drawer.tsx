import { Dialog } from '@base-ui/react/dialog';
import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { useBackCloses } from '../ui/back-closes.ts';
import { backdropClasses } from '../ui/dialog.tsx';
import { useDialogOpener } from '../ui/dialog-opener.ts';

export default function MenuDrawer({
  onClose,
  children,
}: {
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const finalFocus = useDialogOpener();
  useBackCloses(onClose);
  // Escape closes an open menu of the drawer first.
  const close = () => (document.querySelector(':popover-open') === null ? onClose() : undefined);
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : close())}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClasses} />
        <Dialog.Popup
          data-dialog
          finalFocus={finalFocus}
          aria-label={t`Menu`}
          className="fixed inset-y-0 left-0 z-40 w-72 max-w-[85vw] overflow-y-auto border-r border-line bg-card shadow-high transition-[translate] duration-150 data-starting-style:-translate-x-8"
        >
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
