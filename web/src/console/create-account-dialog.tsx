// A new account. Its password and key are shown once, to be handed over.

import { useState } from 'react';
import { createAccount } from '../api/commands.ts';
import { useMe } from '../api/me.ts';
import { useMay } from '../api/person.ts';
import { useCommand } from '../api/use-command.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { SecretText } from '../ui/secret-text.tsx';
import { ShownOnceDialog } from '../ui/shown-once-dialog.tsx';
import { SwitchField } from '../ui/switch-field.tsx';

const groups = [
  { value: 'reseller', title: 'Reseller' },
  { value: 'distributor', title: 'Distributor' },
] as const;

export function CreateAccountDialog({ onClose }: { readonly onClose: () => void }) {
  const [username, setUsername] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [email, setEmail] = useState('');
  const [isInvited, setIsInvited] = useState(false);
  const { mail } = useMe();
  const [group, setGroup] = useState<(typeof groups)[number]['value']>('reseller');
  const mayPrice = useMay()('admin:packages');
  const command = useCommand(createAccount);
  const plain = username.trim().toLowerCase();
  const isValid = /^[a-z0-9][a-z0-9._-]{1,62}[a-z0-9]$/.test(plain);
  const isMailable = /^\S+@\S+\.\S+$/.test(email.trim());
  const invites = mail && isInvited && isMailable;

  if (command.data !== undefined) {
    const { account, api_key: key, password } = command.data;
    return (
      <ShownOnceDialog
        title="The account is ready"
        onClose={onClose}
        action={
          <ButtonLink to="/admin/accounts/$accountId" params={{ accountId: String(account.id) }}>
            Open the account
          </ButtonLink>
        }
      >
        {password === undefined ? (
          <Notice tone="good">
            A link to choose a password is on its way to <bdi>{account.email}</bdi>. It works for seven days.
            The key can be looked up in the account’s own panel.
          </Notice>
        ) : (
          <Notice tone="warn">
            Hand these to <bdi>{account.username}</bdi> now. The password is shown only here and is good for
            choosing another one; the key can be looked up in the account’s own panel.
          </Notice>
        )}
        {password === undefined ? null : <SecretText label="Password" text={password} />}
        <SecretText label="API key" text={key} />
      </ShownOnceDialog>
    );
  }
  return (
    <FormDialog
      title="Create an account"
      description={
        invites
          ? 'Whoever is invited chooses the password. The balance starts at zero.'
          : 'A password is generated and shown once. The balance starts at zero.'
      }
      action="Create account"
      busy={command.isPending}
      ready={isValid && (email.trim() === '' || isMailable)}
      error={command.error}
      onSubmit={() =>
        command.mutate({
          username: plain,
          group,
          ...(displayName.trim() !== '' && { display_name: displayName.trim() }),
          ...(email.trim() !== '' && { email: email.trim() }),
          ...(invites && { invite: true }),
        })
      }
      onClose={onClose}
    >
      <TextField
        label="Username"
        autoFocus
        hint="3 to 64 of a–z, 0–9, dot, underscore and hyphen; begins and ends with a letter or digit."
        problem={
          plain.length >= 3 && !isValid ? 'Only a–z, 0–9, dot, underscore and hyphen; not at the ends.' : null
        }
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        value={username}
        onText={setUsername}
      />
      <TextField
        label="Name"
        hint="Optional: a company or a person."
        autoComplete="off"
        maxLength={120}
        value={displayName}
        onText={setDisplayName}
      />
      <TextField
        label="E-mail address"
        hint="Optional: for a link to a new password, and news of sign-ins."
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        value={email}
        onText={setEmail}
      />
      {mail ? (
        <SwitchField
          label="Invite by mail"
          hint="Mails a link to choose the first password."
          checked={isInvited && isMailable}
          disabled={!isMailable}
          onChange={setIsInvited}
        />
      ) : null}
      {mayPrice ? (
        <Choice
          label="Group: decides the prices"
          labelShown
          value={group}
          options={groups}
          onChoose={setGroup}
        />
      ) : null}
    </FormDialog>
  );
}
