// Asks for the password again before something that only its owner may do.

import { type ReactNode, useState } from 'react';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';

interface PasswordDialogProps {
  readonly title: string;
  readonly description: ReactNode;
  readonly action: string;
  readonly danger?: boolean;
  /** What is done with the password. */
  readonly command: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly mutate: (password: string) => void;
  };
  readonly onClose: () => void;
}

export function PasswordDialog({ command, ...dialog }: PasswordDialogProps) {
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      {...dialog}
      busy={command.isPending}
      error={command.error}
      ready={password !== ''}
      onSubmit={() => command.mutate(password)}
    >
      <TextField
        label="Your password"
        type="password"
        name="password"
        autoComplete="current-password"
        autoFocus
        maxLength={200}
        value={password}
        onText={setPassword}
      />
    </FormDialog>
  );
}
