// The behavior of every dialog: send, announce, close. One idempotency key per opening, the password if required and, after
// a lost answer, locked fields, so that only an identical request can be repeated.

import { useState } from 'react';
import { mintIdempotencyKey } from '../api/random-text.ts';
import { useCommand } from '../api/use-command.ts';
import { isUncertain } from './lost-answer.tsx';
import { type OwnPassword, useOwnPassword } from './own-password-field.tsx';
import { say } from './toasts.tsx';

/** For form-dialog.tsx. Dialogs that send nothing use the first four. */
export interface DialogForm {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSend: () => void;
  readonly onClose: () => void;
  /** null: no password. */
  readonly own?: OwnPassword | null;
  readonly isSentOnce?: boolean;
  /** Locked: pending, or sent and possibly done. */
  readonly isClosed?: boolean;
}

interface Sending {
  /** One per dialog, so that repeating does nothing twice. */
  readonly key: string;
  /** undefined: not required, or confirmed recently. */
  readonly password: string | undefined;
}

interface DialogFormOptions<Answer> {
  readonly send: (sending: Sending) => Promise<Answer>;
  readonly onClose: () => void;
  /** Toast after closing; absent: the dialog shows the answer. */
  readonly says?: (answer: Answer) => string;
  readonly onDone?: (answer: Answer) => void;
  readonly onRefused?: (error: Error) => void;
  /** "always": even if confirmed recently. */
  readonly password?: 'asked' | 'always' | false;
  /** A lost answer locks the fields. */
  readonly isSentOnce?: boolean;
  /** For forms that edit: reopened at once, they must not show old values. */
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
