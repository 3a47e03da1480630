// Shows an endpoint's secret once, with code that verifies deliveries.

import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { SecretText } from '../../ui/secret-text.tsx';
import { ShownOnceDialog } from '../../ui/shown-once-dialog.tsx';
import { VerifySnippet } from './verify-snippet.tsx';

interface WebhookSecretDialogProps {
  readonly title: string;
  /** null if the first answer, which contained the secret, was lost. */
  readonly secret: string | null;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

export function WebhookSecretDialog({ title, secret, children, onClose }: WebhookSecretDialogProps) {
  return (
    <ShownOnceDialog title={title} width="wide" onClose={onClose}>
      {secret === null ? (
        <Notice tone="warn">
          {t`The connection was lost while the secret was being sent. Create another one with “New secret”.`}
        </Notice>
      ) : (
        <>
          <Notice tone="warn">{children}</Notice>
          <SecretText label={t`Secret`} text={secret} />
        </>
      )}
      <VerifySnippet />
    </ShownOnceDialog>
  );
}
