// A form command for which the service may require the password. If so, a dialog asks for it and repeats the command.

import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { ApiError } from '../api/client.ts';
import { useCommand } from '../api/use-command.ts';
import { PasswordDialog } from './password-dialog.tsx';

interface Sent<Input> {
  readonly input: Input;
  readonly password: string | undefined;
}

export function useConfirmedCommand<Input, Answer>(
  run: (input: Input, password: string | undefined) => Promise<Answer>,
  { action, onDone }: { readonly action: string; readonly onDone: (answer: Answer) => void },
) {
  const [waiting, setWaiting] = useState<{ readonly input: Input } | null>(null);
  const command = useCommand(({ input, password }: Sent<Input>) => run(input, password), {
    onDone: (answer) => {
      setWaiting(null);
      onDone(answer);
    },
  });
  const send = (input: Input, password?: string) =>
    command.mutate(
      { input, password },
      {
        onRefused: (error) => {
          if (isPasswordMissing(error)) setWaiting({ input });
          else if (!isAboutPassword(error)) setWaiting(null);
        },
      },
    );
  return {
    isPending: command.isPending,
    // The dialog shows errors about the password itself.
    error: waiting === null && !isPasswordMissing(command.error) ? command.error : null,
    mutate: (input: Input) => send(input),
    dialog:
      waiting === null ? null : (
        <PasswordDialog
          title={t`Confirm with your password`}
          description={t`This affects what others are charged, shown or sent.`}
          action={action}
          isAskedAlways
          command={{
            isPending: command.isPending,
            error: isPasswordMissing(command.error) ? null : command.error,
            mutate: (password) => send(waiting.input, password),
          }}
          onClose={() => {
            command.reset();
            setWaiting(null);
          }}
        />
      ),
  };
}

/** True if the service did nothing because the password was missing. */
export function isPasswordMissing(error: Error | null): boolean {
  return error instanceof ApiError && error.detail('field') === 'current_password';
}

function isAboutPassword(error: Error): boolean {
  return error instanceof ApiError && (error.code === 'wrong_password' || error.code === 'rate_limited');
}
