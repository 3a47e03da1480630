// Shows a secret once. Only its button closes the dialog.

import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogActions, DialogBody } from './dialog.tsx';

interface ShownOnceDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Replaces "Done" as the primary action. */
  readonly primary?: ReactNode;
  readonly action?: ReactNode;
  readonly onClose: () => void;
  readonly width?: 'narrow' | 'wide';
}

export function ShownOnceDialog({
  title,
  children,
  primary,
  action,
  onClose,
  width = 'narrow',
}: ShownOnceDialogProps) {
  return (
    <Dialog title={title} width={width} dismissible={false} onClose={onClose}>
      <DialogBody>{children}</DialogBody>
      <DialogActions>
        {action}
        <Button look={primary === undefined ? 'primary' : 'plain'} onClick={onClose}>
          {t`Done`}
        </Button>
        {primary}
      </DialogActions>
    </Dialog>
  );
}
