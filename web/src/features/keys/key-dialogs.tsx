import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { type AccessOwner, revokeKey, rotateKey } from '../../api/commands.ts';
import type { ApiKey } from '../../api/shapes.ts';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SecretText } from '../../ui/secret-text.tsx';
import { ShownOnceDialog } from '../../ui/shown-once-dialog.tsx';
import { Time } from '../../ui/time.tsx';

interface KeyDialogProps {
  readonly owner: AccessOwner;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

const overlaps = [
  { value: 0, title: t`Ends now` },
  { value: 1, title: t`1 hour` },
  { value: 24, title: t`1 day` },
  { value: 168, title: t`7 days` },
] as const;

export function RotateKeyDialog({ owner, apiKey, onClose }: KeyDialogProps) {
  const [overlap, setOverlap] = useState<number>(24);
  const form = useDialogForm({
    onClose,
    password: 'asked',
    send: ({ key, password }) => rotateKey(owner, apiKey.id, { overlap_hours: overlap }, password, key),
  });
  if (form.answer !== undefined) {
    const [before] = form.answer.key.ending;
    return (
      <NewSecretDialog
        title={t`New secret for ${apiKey.name}`}
        apiKey={form.answer.api_key}
        onClose={onClose}
      >
        {before === undefined ? (
          t`The old secret no longer works.`
        ) : (
          <Trans>
            The old secret works until <Time at={before.ends_at} />. The list shows when it was last used.
          </Trans>
        )}
      </NewSecretDialog>
    );
  }
  return (
    <FormDialog
      form={form}
      title={t`New secret for ${apiKey.name}`}
      description={t`Name, scopes and limits stay the same. Update your program before the old secret expires.`}
      action={t`Create new secret`}
      danger={overlap === 0}
      startsAtPassword
    >
      <Choice label={t`The old secret`} labelShown value={overlap} options={overlaps} onChoose={setOverlap} />
      {overlap === 0 ? (
        <Notice tone="warn">{t`Programs using the old secret are refused immediately.`}</Notice>
      ) : null}
    </FormDialog>
  );
}

export function RevokeKeyDialog({ owner, apiKey, onClose }: KeyDialogProps) {
  const form = useDialogForm({
    onClose,
    password: 'asked',
    send: ({ password }) => revokeKey(owner, apiKey.id, password),
    says: () => t`Key ${apiKey.name} revoked.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Revoke ${apiKey.name}?`}
      description={t`Programs using this key are refused immediately. This can’t be undone.`}
      action={t`Revoke key`}
      danger
    />
  );
}

interface NewSecretDialogProps {
  readonly title: string;
  /** null if the first answer, which contained the secret, was lost. */
  readonly apiKey: string | null;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

export function NewSecretDialog({ title, apiKey, children, onClose }: NewSecretDialogProps) {
  return (
    <ShownOnceDialog title={title} onClose={onClose}>
      {apiKey === null ? (
        <Notice tone="warn">
          {t`The connection was lost while the secret was being sent. Create another one with “New secret”.`}
        </Notice>
      ) : (
        <>
          <Notice tone="warn">{children}</Notice>
          <SecretText label={t`API key`} text={apiKey} />
        </>
      )}
    </ShownOnceDialog>
  );
}
