import type { ReactNode } from 'react';
import { FormDialog } from './form-dialog.tsx';
import { useOwnPassword } from './own-password-field.tsx';

interface PasswordDialogProps {
  readonly title: string;
  readonly description: ReactNode;
  readonly action: string;
  readonly danger?: boolean;
  /** Asks even if the password was confirmed recently. */
  readonly isAskedAlways?: boolean;
  /** The password is undefined if it was confirmed recently. */
  readonly command: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly mutate: (password: string | undefined) => void;
  };
  readonly onClose: () => void;
}

export function PasswordDialog({ command, isAskedAlways = false, onClose, ...dialog }: PasswordDialogProps) {
  const own = useOwnPassword({ isAskedAlways });
  const { isPending, error, mutate } = command;
  return <FormDialog {...dialog} form={{ isPending, error, own, onSend: () => mutate(own.sent), onClose }} />;
}
