// A dialog that asks and acts: fields, what the action does, why it was refused, Cancel and one button. Confirmations are this
// without fields.

import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogActions, DialogBody, DialogProblem } from './dialog.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  readonly action: string;
  /** In place of "Cancel". */
  readonly cancel?: string;
  /** Above the buttons, however far the rest is scrolled: what the action does. */
  readonly summary?: ReactNode;
  readonly danger?: boolean;
  readonly busy: boolean;
  readonly ready?: boolean;
  /** Something was chosen that closing would lose; what was typed is known without it. */
  readonly isChanged?: boolean;
  readonly error: Error | null;
  /** Below the error: what can be done about it. */
  readonly errorHelp?: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly width?: 'narrow' | 'wide';
}

export function FormDialog({
  title,
  description,
  children,
  action,
  cancel,
  summary,
  danger = false,
  busy,
  ready = true,
  isChanged = false,
  error,
  errorHelp,
  onSubmit,
  onClose,
  width,
}: FormDialogProps) {
  return (
    <Dialog
      title={title}
      description={description}
      onClose={onClose}
      isChanged={isChanged}
      {...(width !== undefined && { width })}
    >
      <form
        className="flex min-h-0 flex-col short:shrink-0"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && ready) onSubmit();
        }}
      >
        {children === undefined ? null : <DialogBody>{children}</DialogBody>}
        {summary === undefined ? null : (
          <div
            aria-live="polite"
            className="shrink-0 border-t border-line bg-fill/60 px-5 py-2.5 font-medium wrap-anywhere"
          >
            {summary}
          </div>
        )}
        <DialogProblem error={error}>{errorHelp}</DialogProblem>
        <DialogActions>
          <Button onClick={onClose}>{cancel ?? t`Cancel`}</Button>
          <Button type="submit" look={danger ? 'danger' : 'primary'} busy={busy} disabled={!ready}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
