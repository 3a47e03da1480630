import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type AccessOwner, type InvitedPerson, inviteAgain, removePerson } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { usePerson } from '../../api/person.ts';
import type { Person } from '../../api/shapes.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SecretText } from '../../ui/secret-text.tsx';
import { ShownOnceDialog } from '../../ui/shown-once-dialog.tsx';
import { Time } from '../../ui/time.tsx';

interface PersonDialogProps {
  readonly owner: AccessOwner;
  readonly person: Person;
  readonly onClose: () => void;
}

export function InviteAgainDialog({ owner, person, onClose }: PersonDialogProps) {
  const form = useDialogForm({
    onClose,
    password: 'always',
    send: ({ password }) => inviteAgain(owner, person.id, password),
  });
  if (form.answer !== undefined) return <InvitationDialog invited={form.answer} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={t`Create a new link for ${person.username}?`}
      description={t`Earlier links stop working.`}
      action={t`Create new link`}
    />
  );
}

export function RemovePersonDialog({ owner, person, onClose }: PersonDialogProps) {
  const isMe = usePerson().person.id === person.id;
  const form = useDialogForm({
    onClose,
    password: 'asked',
    send: ({ password }) => removePerson(owner, person.id, password),
    says: () => t`${person.username} removed.`,
  });
  return (
    <FormDialog
      form={form}
      title={isMe ? t`Leave this account?` : t`Remove ${person.username}?`}
      description={
        isMe
          ? t`You are signed out of every browser and can’t sign in again.`
          : t`They are signed out of every browser and can’t sign in again. The audit log keeps their name.`
      }
      action={isMe ? t`Leave account` : t`Remove`}
      danger
    />
  );
}

interface InvitationDialogProps {
  readonly invited: InvitedPerson;
  readonly onClose: () => void;
}

export function InvitationDialog({ invited: { person, invitation }, onClose }: InvitationDialogProps) {
  const { mail } = useMe();
  return (
    <ShownOnceDialog title={t`The invitation of ${person.username}`} onClose={onClose}>
      <Notice tone="warn">
        <Trans>
          The link works once, until <Time at={invitation.expires_at} />. Anyone who opens it can choose the
          password. It won’t be shown again.
        </Trans>
      </Notice>
      <SecretText label={t`Link`} text={invitation.url} />
      <p className="text-soft">
        <Trans>
          Then they sign in as <bdi className="text-ink">{person.username}</bdi>.
        </Trans>{' '}
        {mail && person.email !== undefined ? (
          <Trans>
            We’ve also emailed the link to <bdi className="text-ink wrap-anywhere">{person.email}</bdi>.
          </Trans>
        ) : null}
      </p>
    </ShownOnceDialog>
  );
}
