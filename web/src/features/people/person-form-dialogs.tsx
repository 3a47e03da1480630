import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { type AccessOwner, changePerson, invitePerson, ownPeople } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { usePerson } from '../../api/person.ts';
import type { Person, Role } from '../../api/shapes.ts';
import { roleWord } from '../../text/words.ts';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';
import { InvitationDialog } from './person-dialogs.tsx';
import { accountRoleWords, operatorRoleWords } from './role-words.ts';

interface FormProps {
  readonly owner: AccessOwner;
  readonly ofAdministrator: boolean;
  readonly onClose: () => void;
}

export function InvitePersonDialog({ owner, ofAdministrator, onClose }: FormProps) {
  const { mail } = useMe();
  const [username, usernameField] = useText();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const wanted = email.trim();
  const form = useDialogForm({
    onClose,
    password: role === 'owner' ? 'always' : 'asked',
    send: ({ password }) =>
      invitePerson(
        owner,
        { username: username.trim(), role, ...(wanted !== '' && { email: wanted }) },
        password,
      ),
  });
  if (form.answer !== undefined) return <InvitationDialog invited={form.answer} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={t`Invite member`}
      description={t`They choose a password using a one-time link.`}
      action={t`Invite`}
      ready={username.trim() !== '' && isMailable(email)}
    >
      <TextField
        label={t`Username`}
        hint={t`Used to sign in.`}
        kind="name"
        autoFocus
        maxLength={64}
        {...usernameField}
      />
      <EmailField
        email={email}
        hint={
          mail
            ? t`Optional. The link is emailed there too.`
            : t`Optional. Without it, share the link yourself.`
        }
        onText={setEmail}
      />
      <RoleChoice ofAdministrator={ofAdministrator} role={role} onChoose={setRole} />
    </FormDialog>
  );
}

export function ChangePersonDialog({
  owner,
  ofAdministrator,
  person,
  onClose,
}: FormProps & { readonly person: Person }) {
  // Keep the values from when the dialog opened. After a refetch, untouched fields would look changed.
  const [before] = useState(person);
  const saved = before.email ?? '';
  const [email, setEmail] = useState(saved);
  const [role, setRole] = useState(before.role);
  const isMe = usePerson().person.id === person.id;
  const isOfOthers = owner !== ownPeople && !ofAdministrator;
  // A person who has a password changes their own address.
  const mayMoveMail = person.status === 'invited' || isMe || isOfOthers;
  const change = {
    ...(role !== before.role && { role }),
    ...(email.trim() !== saved && { email: email.trim() }),
  };
  const form = useDialogForm({
    onClose,
    isDoneOnceRead: true,
    password: change.email !== undefined || change.role === 'owner' ? 'always' : 'asked',
    send: ({ password }) => changePerson(owner, person.id, change, password),
    says: () => t`${person.username} updated. Applies from their next request.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Change ${person.username}`}
      action={t`Save`}
      ready={Object.keys(change).length > 0 && isMailable(email)}
    >
      {mayMoveMail ? (
        <EmailField
          email={email}
          hint={t`Anyone with access to this mailbox can reset their password. Earlier links stop working.`}
          onText={setEmail}
        />
      ) : null}
      <RoleChoice ofAdministrator={ofAdministrator} role={role} onChoose={setRole} />
    </FormDialog>
  );
}

interface EmailFieldProps {
  readonly email: string;
  readonly hint: string;
  readonly onText: (text: string) => void;
}

function EmailField({ email, hint, onText }: EmailFieldProps) {
  return <TextField label={t`Email address`} hint={hint} kind="email" value={email} onText={onText} />;
}

interface RoleChoiceProps {
  readonly ofAdministrator: boolean;
  readonly role: Role;
  readonly onChoose: (role: Role) => void;
}

function RoleChoice({ ofAdministrator, role, onChoose }: RoleChoiceProps) {
  const words: readonly { readonly role: Role; readonly sentence: string }[] = ofAdministrator
    ? operatorRoleWords
    : accountRoleWords;
  return (
    <Choice
      label={t`Role`}
      labelShown
      look="cards"
      value={role}
      options={words.map((one) => ({
        value: one.role,
        title: (
          <>
            <span className="block font-medium">{roleWord(one.role)}</span>
            <span className="block text-soft">{one.sentence}</span>
          </>
        ),
      }))}
      onChoose={onChoose}
    />
  );
}

function isMailable(email: string): boolean {
  return email.trim() === '' || /^\S+@\S+\.\S+$/.test(email.trim());
}
