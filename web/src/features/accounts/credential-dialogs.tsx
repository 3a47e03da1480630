// An administrator resets an account's credentials: new key or password (shown once), codes off, sessions ended. Actions
// that could take over the account ask for the administrator's password.

import { plural, t } from '@lingui/core/macro';
import { useState } from 'react';
import {
  changeAccount,
  disableAccountTotp,
  endAccountSessions,
  resetAccountApiKey,
} from '../../api/commands.ts';
import { mintText } from '../../api/random-text.ts';
import type { Account } from '../../api/shapes.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SecretText } from '../../ui/secret-text.tsx';
import { ShownOnceDialog } from '../../ui/shown-once-dialog.tsx';

interface CredentialDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

export function ResetKeyDialog({ account, onClose }: CredentialDialogProps) {
  const form = useDialogForm({
    onClose,
    password: 'asked',
    send: ({ password }) => resetAccountApiKey(account.id, { current_password: password }),
  });
  if (form.answer !== undefined) {
    return (
      <ShownOnceDialog title={t`The key was replaced`} onClose={onClose}>
        <Notice tone="warn">
          {t`The old key is refused from now on. The account also sees the new one in its panel.`}
        </Notice>
        <SecretText label={t`API key`} text={form.answer.api_key} />
      </ShownOnceDialog>
    );
  }
  return (
    <FormDialog
      form={form}
      title={t`Replace the key of ${account.username}?`}
      description={t`The key it uses now stops working at once: its shop cannot order until it has the new one. This cannot be undone.`}
      action={t`Replace key now`}
      danger
    />
  );
}

const passwordLetters = 20;

export function NewPasswordDialog({ account, onClose }: CredentialDialogProps) {
  const [password] = useState(() => mintText(passwordLetters));
  const form = useDialogForm({
    onClose,
    password: 'always',
    send: ({ password: own }) => changeAccount(account.id, { password, current_password: own }),
  });
  if (form.answer !== undefined) {
    return (
      <ShownOnceDialog title={t`The password was replaced`} onClose={onClose}>
        <Notice tone="warn">
          {t`Hand it over now: it is shown only here, and is good for choosing another one. Every session of the account has ended.`}
        </Notice>
        <SecretText label={t`Password`} text={password} />
      </ShownOnceDialog>
    );
  }
  return (
    <FormDialog
      form={form}
      title={t`New password for ${account.username}?`}
      description={t`A password is generated and shown once. The old one stops working, and every session of the account ends.`}
      action={t`Generate password`}
      danger
    />
  );
}

export function EmailDialog({ account, onClose }: CredentialDialogProps) {
  const saved = account.email ?? '';
  const [email, setEmail] = useState(saved);
  const wanted = email.trim();
  const form = useDialogForm({
    onClose,
    password: 'always',
    send: ({ password }) => changeAccount(account.id, { email: wanted, current_password: password }),
    says: () => (wanted === '' ? t`The address is removed.` : t`The address is saved.`),
  });
  const isMailable = wanted === '' || /^\S+@\S+\.\S+$/.test(wanted);
  return (
    <FormDialog
      form={form}
      title={t`E-mail address of ${account.username}`}
      description={t`Whoever reads its mail can set a new password for the account. Empty: nowhere.`}
      action={t`Save address`}
      ready={wanted !== saved && isMailable}
    >
      <TextField label={t`Address`} kind="email" autoFocus value={email} onText={setEmail} />
    </FormDialog>
  );
}

/** For people who lost their app and recovery codes. */
export function DisableTotpDialog({ account, onClose }: CredentialDialogProps) {
  const form = useDialogForm({
    onClose,
    password: 'always',
    send: ({ password }) => disableAccountTotp(account.id, { current_password: password }),
    says: () => t`${account.username} signs in with the password alone.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Switch off the codes of ${account.username}?`}
      description={t`For an owner who has lost the authenticator app and the recovery codes. Make sure it is the owner who asks: the password alone will let them in.`}
      action={t`Switch off codes`}
      danger
    />
  );
}

export function EndSessionsDialog({ account, onClose }: CredentialDialogProps) {
  const form = useDialogForm({
    onClose,
    send: () => endAccountSessions(account.id),
    says: ({ ended }) =>
      t`${plural(ended, { one: '# session', other: '# sessions' })} of ${account.username} ended.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`End the sessions of ${account.username}?`}
      description={t`Whoever is signed in to its panel has to sign in again, in every browser. Its password and its key stay.`}
      action={t`End sessions`}
      danger
    />
  );
}
