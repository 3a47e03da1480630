import { t } from '@lingui/core/macro';
import { changePassword } from '../../api/commands.ts';
import { useCommand } from '../../api/use-command.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { PasswordField } from '../../ui/field.tsx';
import { useText } from '../../ui/use-text.ts';

const lengthMin = 12;

export function PasswordForm({
  username,
  currentLabel,
  typedCurrent = null,
  action,
  onDone,
}: {
  readonly username: string;
  readonly currentLabel: string;
  /** Known from the sign-in: the form does not ask for it. */
  readonly typedCurrent?: string | null;
  readonly action: string;
  readonly onDone: () => void;
}) {
  const [current, currentField, setCurrent] = useText(typedCurrent ?? '');
  const [next, nextField, setNext] = useText();
  const [again, againField, setAgain] = useText();
  const command = useCommand(changePassword, {
    onDone: () => {
      setCurrent('');
      setNext('');
      setAgain('');
      onDone();
    },
  });
  const isShort = next !== '' && next.length < lengthMin;
  const isOther = again !== '' && again !== next;
  const isReady = current !== '' && next.length >= lengthMin && again === next;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !command.isPending) command.mutate({ current_password: current, new_password: next });
      }}
    >
      {/* Password managers need a username field. */}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <div className="grid gap-4">
        {typedCurrent === null ? (
          <PasswordField label={currentLabel} autoComplete="current-password" autoFocus {...currentField} />
        ) : null}
        <PasswordField
          label={t`New password`}
          autoComplete="new-password"
          autoFocus={typedCurrent !== null}
          hint={next === '' ? t`Use at least ${lengthMin} characters.` : strengthWords(next)}
          problem={isShort ? t`Use at least ${lengthMin} characters.` : null}
          {...nextField}
        />
        <PasswordField
          label={t`Confirm new password`}
          autoComplete="new-password"
          problem={isOther ? t`Passwords don’t match.` : null}
          {...againField}
        />
      </div>
      {command.error === null ? null : <ErrorNotice error={command.error} />}
      <div className="grid">
        <Button type="submit" look="primary" busy={command.isPending} disabled={!isReady}>
          {action}
        </Button>
      </div>
    </form>
  );
}

const [longLength, differentMin] = [16, 8];

/** A rough guide: long passwords of different characters are hard to guess. */
function strengthWords(password: string): string {
  const different = new Set(password).size;
  if (different < differentMin) return t`Easy to guess: use more different characters.`;
  return password.length < longLength ? t`Good. Longer is stronger.` : t`Strong.`;
}
