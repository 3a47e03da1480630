import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { createAccount } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SecretText } from '../../ui/secret-text.tsx';
import { ShownOnceDialog } from '../../ui/shown-once-dialog.tsx';
import { SwitchField } from '../../ui/switch-field.tsx';
import { useText } from '../../ui/use-text.ts';

const groups = [
  { value: 'reseller', title: t`Reseller` },
  { value: 'distributor', title: t`Distributor` },
] as const;

interface CreateAccountDialogProps {
  readonly onClose: () => void;
  /** Begins with an invitation in place of a generated password. */
  readonly invitesFirst?: boolean;
}

export function CreateAccountDialog({ onClose, invitesFirst = false }: CreateAccountDialogProps) {
  const [typedUsername, setUsername] = useState<string | null>(null);
  const [displayName, displayNameField] = useText();
  const username = typedUsername ?? usernameFrom(displayName);
  const [email, emailField] = useText();
  const [isInvited, setIsInvited] = useState(invitesFirst);
  const { mail } = useMe();
  const [group, setGroup] = useState<(typeof groups)[number]['value']>('reseller');
  const mayPrice = useMay()('admin:packages');
  const plain = username.trim().toLowerCase();
  const isValid = /^[a-z0-9][a-z0-9._-]{1,62}[a-z0-9]$/.test(plain);
  const isMailable = /^\S+@\S+\.\S+$/.test(email.trim());
  const isMailed = mail && isMailable;
  const invites = isInvited;
  const form = useDialogForm({
    onClose,
    send: () =>
      createAccount({
        username: plain,
        group,
        ...(displayName.trim() !== '' && { display_name: displayName.trim() }),
        ...(email.trim() !== '' && { email: email.trim() }),
        ...(invites && { invite: true }),
      }),
  });

  if (form.answer !== undefined) {
    const { account, api_key: key, password, invitation } = form.answer;
    return (
      <ShownOnceDialog
        title={t`Account created`}
        onClose={onClose}
        action={
          <ButtonLink to="/admin/accounts/$accountId" params={{ accountId: String(account.id) }}>
            {t`Open account`}
          </ButtonLink>
        }
      >
        {password === undefined ? (
          <Notice tone="good">
            {isMailed ? (
              <Trans>
                We’ve emailed <bdi>{account.email}</bdi> a link to choose a password. It works for seven days.
                The key is shown in the account’s own panel.
              </Trans>
            ) : (
              t`Send this link. It works once within seven days, leads to a page that connects their shop, and won’t be shown again.`
            )}
          </Notice>
        ) : (
          <Notice tone="warn">
            <Trans>
              Share these with <bdi>{account.username}</bdi> now. The password won’t be shown again and has to
              be replaced at the first sign-in. The key is shown in the account’s own panel.
            </Trans>
          </Notice>
        )}
        {password === undefined ? null : <SecretText label={t`Password`} text={password} />}
        {invitation === undefined ? (
          <SecretText label={t`API key`} text={key} />
        ) : (
          <SecretText label={t`Invitation link`} text={invitation.url} />
        )}
      </ShownOnceDialog>
    );
  }
  return (
    <FormDialog
      form={form}
      title={t`Create account`}
      description={
        invites
          ? t`The invited person chooses the password. The balance starts at zero.`
          : t`A password is generated and shown once. The balance starts at zero.`
      }
      action={t`Create account`}
      ready={isValid && (email.trim() === '' || isMailable)}
    >
      <TextField
        label={t`Name`}
        autoFocus
        hint={t`Optional. A company or a person.`}
        autoComplete="off"
        maxLength={120}
        {...displayNameField}
      />
      <TextField
        label={t`Username`}
        hint={t`3 to 64 characters: a–z, 0–9, dot, underscore, hyphen. Starts and ends with a letter or digit.`}
        problem={
          plain.length >= 3 && !isValid
            ? t`Use a–z, 0–9, dot, underscore and hyphen. Start and end with a letter or digit.`
            : null
        }
        kind="name"
        maxLength={64}
        value={username}
        onText={setUsername}
      />
      <TextField
        label={t`Email address`}
        hint={t`Optional. Used for password resets and sign-in alerts.`}
        kind="email"
        {...emailField}
      />
      <SwitchField
        label={t`Invite with a link`}
        hint={
          mail
            ? t`The link is shown once, and emailed if there is an address.`
            : t`The link to choose a password is shown once. Email isn’t set up.`
        }
        checked={isInvited}
        onChange={setIsInvited}
      />
      {mayPrice ? (
        <Choice label={t`Price group`} labelShown value={group} options={groups} onChoose={setGroup} />
      ) : null}
    </FormDialog>
  );
}

/** Suggests "marisol-studio" for "Marisol Studio". Letters that usernames do not have lose their accents, or are left out. */
function usernameFrom(name: string): string {
  const plain = name.normalize('NFKD').replaceAll('ß', 'ss').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64);
}
