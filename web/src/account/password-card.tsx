// A new password. It ends the other sessions.

import { useState } from 'react';
import { changePassword } from '../api/commands.ts';
import { useMe } from '../api/me.ts';
import { useCommand } from '../api/use-command.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { TextField } from '../ui/field.tsx';
import { say } from '../ui/toasts.tsx';

const lengthMin = 12;

export function PasswordCard() {
  const { username } = useMe().account;
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const command = useCommand(changePassword, {
    onDone: () => {
      setCurrent('');
      setNext('');
      setAgain('');
      say('The password is changed; other sessions have ended.');
    },
  });
  const isShort = next !== '' && next.length < lengthMin;
  const isOther = again !== '' && again !== next;
  const isReady = current !== '' && next.length >= lengthMin && again === next;
  return (
    <Card title="Password" description="Changing it signs out every other browser.">
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !command.isPending)
            command.mutate({ current_password: current, new_password: next });
        }}
      >
        {/* For password managers: whose password this is. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <div className="grid gap-4 md:grid-cols-3">
          <TextField
            label="Current password"
            type="password"
            autoComplete="current-password"
            maxLength={200}
            value={current}
            onText={setCurrent}
          />
          <TextField
            label="New password"
            type="password"
            autoComplete="new-password"
            hint={`At least ${lengthMin} characters.`}
            problem={isShort ? `At least ${lengthMin} characters.` : null}
            maxLength={200}
            value={next}
            onText={setNext}
          />
          <TextField
            label="New password again"
            type="password"
            autoComplete="new-password"
            problem={isOther ? 'The two are not the same.' : null}
            maxLength={200}
            value={again}
            onText={setAgain}
          />
        </div>
        {command.error === null ? null : <ErrorNotice error={command.error} />}
        <div>
          <Button type="submit" look="primary" busy={command.isPending} disabled={!isReady}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
}
