// Asks for the password again before something that only its owner may do.

import { type ReactNode, useState } from 'react';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';

interface PasswordDialogProps {
  readonly title: string;
  readonly description: ReactNode;
  readonly action: string;
  readonly danger?: boolean;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onPassword: (password: string) => void;
  readonly onClose: () => void;
}

export function PasswordDialog({ onPassword, ...dialog }: PasswordDialogProps) {
  const [password, setPassword] = useState('');
  return (
    <FormDialog {...dialog} ready={password !== ''} onSubmit={() => onPassword(password)}>
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
