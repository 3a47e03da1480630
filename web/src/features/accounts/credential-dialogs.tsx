// Dialogs that reset an account's credentials. Those that could take over the account ask for the own password.

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
      <ShownOnceDialog title={t`Key replaced`} onClose={onClose}>
        <Notice tone="warn">
          {t`The old key no longer works. The account can also see the new one in its panel.`}
        </Notice>
        <SecretText label={t`API key`} text={form.answer.api_key} />
      </ShownOnceDialog>
    );
  }
  return (
    <FormDialog
      form={form}
      title={t`Replace ${account.username}’s key?`}
      description={t`Its current key stops working immediately. Its shop can’t place orders until it has the new one. This can’t be undone.`}
      action={t`Replace key`}
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
      <ShownOnceDialog title={t`Password replaced`} onClose={onClose}>
        <Notice tone="warn">
          {t`Share it now. It won’t be shown again, and has to be replaced at the next sign-in. All sessions have ended.`}
        </Notice>
        <SecretText label={t`Password`} text={password} />
      </ShownOnceDialog>
    );
  }
  return (
    <FormDialog
      form={form}
      title={t`New password for ${account.username}?`}
      description={t`A password is generated and shown once. The old one stops working and all sessions end.`}
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
    says: () => (wanted === '' ? t`Address removed.` : t`Address saved.`),
  });
  const isMailable = wanted === '' || /^\S+@\S+\.\S+$/.test(wanted);
  return (
    <FormDialog
      form={form}
      title={t`Email address of ${account.username}`}
      description={t`Anyone with access to this mailbox can reset the account’s password. Leave blank for none.`}
      action={t`Save address`}
      ready={wanted !== saved && isMailable}
    >
      <TextField label={t`Address`} kind="email" autoFocus value={email} onText={setEmail} />
    </FormDialog>
  );
}

/** For people who lost both their authenticator app and their recovery codes. */
export function DisableTotpDialog({ account, onClose }: CredentialDialogProps) {
  const form = useDialogForm({
    onClose,
    password: 'always',
    send: ({ password }) => disableAccountTotp(account.id, { current_password: password }),
    says: () => t`Two-factor authentication turned off for ${account.username}.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Turn off two-factor authentication for ${account.username}?`}
      description={t`For an owner who has lost their authenticator app and recovery codes. Verify their identity first: after this, the password alone is enough to sign in.`}
      action={t`Turn off 2FA`}
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
      title={t`End all sessions of ${account.username}?`}
      description={t`Signs everyone out of its panel in every browser. The password and keys stay.`}
      action={t`End sessions`}
      danger
    />
  );
}
