// The person's security e-mail. It receives password reset links, so changing it requires the current password.

import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { setEmail } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { useMay, usePerson } from '../../api/person.ts';
import { useCommand } from '../../api/use-command.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { PasswordDialog } from '../../ui/password-dialog.tsx';
import { say } from '../../ui/toasts.tsx';
import { useUnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useText } from '../../ui/use-text.ts';

export function EmailCard() {
  const { account, mail } = useMe();
  const { person } = usePerson();
  const may = useMay();
  // The account's own login uses the account's address.
  const isFixed = person.id === account.id && !may('people:write');
  const saved = person.email ?? '';
  const [email, emailField] = useText(saved);
  const [isAsking, setIsAsking] = useState(false);
  const command = useCommand((password: string | undefined) => setEmail({ email: email.trim(), password }), {
    onDone: () => {
      setIsAsking(false);
      say(email.trim() === '' ? t`Address removed.` : t`Address saved.`);
    },
  });
  const guard = useUnsavedGuard(email.trim() !== saved);
  const isReady = email.trim() !== saved && (email.trim() === '' || /^\S+@\S+\.\S+$/.test(email.trim()));
  return (
    <Card
      title={t`Email address`}
      description={
        mail
          ? t`Used to reset your password and to alert you to sign-ins from new addresses.`
          : t`Email isn’t set up on this service. Once it is, emails about your sign-in go to this address.`
      }
    >
      {guard}
      <form
        noValidate
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) setIsAsking(true);
        }}
      >
        <TextField
          label={t`Address`}
          type="email"
          autoComplete="email"
          spellCheck={false}
          autoCapitalize="none"
          maxLength={254}
          disabled={isFixed}
          className="w-full max-w-sm"
          {...emailField}
        />
        <Button type="submit" disabled={!isReady}>
          {t`Save address`}
        </Button>
      </form>
      {isAsking ? (
        <PasswordDialog
          title={email.trim() === '' ? t`Remove address?` : t`Save address?`}
          description={t`Anyone with access to this mailbox can reset your password.`}
          isAskedAlways
          action={email.trim() === '' ? t`Remove address` : t`Save address`}
          command={command}
          onClose={() => {
            command.reset();
            setIsAsking(false);
          }}
        />
      ) : null}
    </Card>
  );
}
