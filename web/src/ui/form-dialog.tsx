// A dialog with fields, summary, error and one action; without fields, a confirmation. Behavior: dialog-form.ts.

import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogActions, DialogBody, DialogProblem } from './dialog.tsx';
import type { DialogForm } from './dialog-form.ts';
import { LostAnswer } from './lost-answer.tsx';
import { OwnPasswordField } from './own-password-field.tsx';

interface FormDialogProps {
  readonly form: DialogForm;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  readonly action: string;
  readonly cancel?: string;
  readonly summary?: ReactNode;
  readonly danger?: boolean;
  readonly ready?: boolean;
  /** True if closing would lose a choice. Typed input is detected without it. */
  readonly isChanged?: boolean;
  /** Shown instead of the command's error. */
  readonly error?: Error | null;
  readonly errorHelp?: ReactNode;
  readonly startsAtPassword?: boolean;
  readonly width?: 'narrow' | 'wide';
}

export function FormDialog({
  form,
  title,
  description,
  children,
  action,
  cancel,
  summary,
  danger = false,
  ready = true,
  isChanged = false,
  error = form.error,
  errorHelp,
  startsAtPassword = children === undefined,
  width = 'narrow',
}: FormDialogProps) {
  const { own = null, isSentOnce = false, isPending, onSend, onClose } = form;
  const canSend = ready && (own === null || own.isReady);
  return (
    <Dialog title={title} description={description} onClose={onClose} isChanged={isChanged} width={width}>
      <form
        className="flex min-h-0 flex-col short:shrink-0"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending && canSend) onSend();
        }}
      >
        {children === undefined && own === null && !isSentOnce ? null : (
          <DialogBody>
            {isSentOnce ? (
              <fieldset disabled={form.isClosed} className="flex min-w-0 flex-col gap-4 empty:hidden">
                {children}
              </fieldset>
            ) : (
              children
            )}
            {own === null ? null : <OwnPasswordField own={own} autoFocus={startsAtPassword} />}
            {isSentOnce ? <LostAnswer error={form.error} /> : null}
          </DialogBody>
        )}
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
          <Button type="submit" look={danger ? 'danger' : 'primary'} busy={isPending} disabled={!canSend}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
