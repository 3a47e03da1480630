// What a dialog does once its one button is pressed: sends it, says what was done, closes. The same for every dialog: one
// idempotency key from when it is opened, the password of whoever is signed in where it is asked for, and, where the answer
// was lost, fields that are closed, so that only the very same can be sent again.

import { useState } from 'react';
import { mintIdempotencyKey } from '../api/random-text.ts';
import { useCommand } from '../api/use-command.ts';
import { isUncertain } from './lost-answer.tsx';
import { type OwnPassword, useOwnPassword } from './own-password-field.tsx';
import { say } from './toasts.tsx';

/** What form-dialog.tsx shows of it. A question that sends nothing has the first four. */
export interface DialogForm {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSend: () => void;
  readonly onClose: () => void;
  /** null: the password is not asked for. */
  readonly own?: OwnPassword | null;
  readonly isSentOnce?: boolean;
  /** Nothing can be changed any more: it is under way, or was, and may stand. */
  readonly isClosed?: boolean;
}

interface Sending {
  /** Made once for each dialog: whoever sends it again does nothing twice. */
  readonly key: string;
  /** Of whoever is signed in; undefined: not asked for, or given a moment ago. */
  readonly password: string | undefined;
}

interface DialogFormOptions<Answer> {
  readonly send: (sending: Sending) => Promise<Answer>;
  readonly onClose: () => void;
  /** What is said once it is done, and the dialog closed; absent: the dialog shows the answer itself. */
  readonly says?: (answer: Answer) => string;
  readonly onDone?: (answer: Answer) => void;
  readonly onRefused?: (error: Error) => void;
  /** "always": also a moment after it was given. */
  readonly password?: 'asked' | 'always' | false;
  /** A lost answer closes the fields: what was sent may stand. */
  readonly isSentOnce?: boolean;
  /** For a form that is filled with what it changes: opened again at once, it must not show what it was before. */
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
