// The behavior of every dialog that sends something: one idempotency key per opening, the password if required, a toast.

import { useState } from 'react';
import { mintIdempotencyKey } from '../api/random-text.ts';
import { useCommand } from '../api/use-command.ts';
import { isUncertain } from './lost-answer.tsx';
import { type OwnPassword, useOwnPassword } from './own-password-field.tsx';
import { say } from './toasts.tsx';

/** Passed to form-dialog.tsx. Dialogs that send nothing set only the first four. */
export interface DialogForm {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSend: () => void;
  readonly onClose: () => void;
  /** null if the dialog needs no password. */
  readonly own?: OwnPassword | null;
  readonly isSentOnce?: boolean;
  /** True while pending, and after sending if the action may have been done. The fields are then locked. */
  readonly isClosed?: boolean;
}

interface Sending {
  /** Each dialog has one key, so that repeating the request does nothing twice. */
  readonly key: string;
  /** undefined if no password is required, or it was confirmed recently. */
  readonly password: string | undefined;
}

interface DialogFormOptions<Answer> {
  readonly send: (sending: Sending) => Promise<Answer>;
  readonly onClose: () => void;
  /** Text of the toast shown after closing. If absent, the dialog stays open and shows the answer. */
  readonly says?: (answer: Answer) => string;
  readonly onDone?: (answer: Answer) => void;
  readonly onRefused?: (error: Error) => void;
  /** "always" asks even if the password was confirmed recently. */
  readonly password?: 'asked' | 'always' | false;
  /** Locks the fields after a lost answer. */
  readonly isSentOnce?: boolean;
  /** Closes only after the refetch, so that an edit form does not show old values when reopened at once. */
  readonly isDoneOnceRead?: boolean;
}

export function useDialogForm<Answer>(options: DialogFormOptions<Answer>) {
  const {
    send,
    onClose,
    says,
    onDone,
    onRefused,
    password = false,
    isSentOnce = false,
    isDoneOnceRead,
  } = options;
  const [key] = useState(mintIdempotencyKey);
  const own = useOwnPassword({ isAskedAlways: password === 'always' });
  const command = useCommand(() => send({ key, password: own.sent }), {
    ...(isDoneOnceRead !== undefined && { isDoneOnceRead }),
    onDone: (answer) => {
      if (says !== undefined) {
        say(says(answer));
        onClose();
      }
      onDone?.(answer);
    },
  });
  return {
    own: password === false ? null : own,
    error: command.error,
    isPending: command.isPending,
    isSentOnce,
    isUncertain: isUncertain(command.error),
    isClosed: isSentOnce && (command.isPending || isUncertain(command.error)),
    answer: command.data,
    onSend: () => command.mutate(undefined, { ...(onRefused !== undefined && { onRefused }) }),
    onClose,
    reset: command.reset,
  };
}
