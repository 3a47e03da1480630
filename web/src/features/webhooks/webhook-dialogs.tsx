// Dialogs that delete an endpoint, send it a test event, or rotate its secret.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { deleteWebhook, rotateWebhookSecret, sendTestEvent } from '../../api/commands.ts';
import type { TestedWebhook, Webhook } from '../../api/shapes.ts';
import { formatMilliseconds } from '../../text/language.ts';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { Facts } from '../../ui/facts.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { outcomeWord } from '../events/delivery-outcome.tsx';
import { AnswerBox } from './answer-box.tsx';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';

interface WebhookDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function DeleteWebhookDialog({
  webhook,
  onClose,
  onDeleted = () => undefined,
}: WebhookDialogProps & { readonly onDeleted?: () => void }) {
  const form = useDialogForm({
    onClose,
    isSentOnce: true,
    send: ({ key }) => deleteWebhook(webhook.id, key),
    says: () => t`Endpoint deleted.`,
    onDone: onDeleted,
  });
  return (
    <FormDialog
      form={form}
      title={t`Delete this endpoint?`}
      description={<bdi className="font-mono text-xs wrap-anywhere">{webhook.url}</bdi>}
      action={t`Delete endpoint`}
      danger
    >
      <p>
        {t`Deletes the endpoint and its delivery log. Events stay in the feed. This can’t be undone. To pause deliveries, disable the endpoint instead.`}
      </p>
    </FormDialog>
  );
}

export function TestWebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const form = useDialogForm({ onClose, send: () => sendTestEvent(webhook.id) });
  const { answer: data } = form;
  return (
    <FormDialog
      form={form}
      title={t`Send test event`}
      description={<bdi className="font-mono text-xs wrap-anywhere">{webhook.url}</bdi>}
      action={data === undefined ? t`Send test event` : t`Send another`}
      cancel={data === undefined ? t`Cancel` : t`Close`}
    >
      <p>
        <Trans>
          Sends one signed <code className="font-mono text-xs">webhook.test</code> event, even if the endpoint
          is disabled. The result appears here, not in the list of deliveries.
        </Trans>
      </p>
      {data === undefined || form.isPending ? null : <TestResult tested={data} />}
    </FormDialog>
  );
}

function TestResult({ tested }: { readonly tested: TestedWebhook }) {
  const { delivered, status, reason, milliseconds, answer } = tested;
  return (
    <div aria-live="polite" className="flex flex-col gap-3">
      <Notice tone={delivered ? 'good' : 'warn'}>
        {delivered
          ? t`Delivered.`
          : status === null
            ? t`Failed: no response.`
            : t`Failed: expected a 2xx response.`}
      </Notice>
      <Facts
        facts={[
          { name: t`Response`, value: outcomeWord({ http_status: status, reason }) },
          { name: t`Duration`, value: formatMilliseconds(milliseconds) },
        ]}
      />
      {status === null ? null : <AnswerBox answer={answer} />}
    </div>
  );
}

const overlaps = [
  { value: 0, title: t`Ends now` },
  { value: 1, title: t`1 hour` },
  { value: 24, title: t`1 day` },
  { value: 168, title: t`7 days` },
] as const;

export function RotateSecretDialog({ webhook, onClose }: WebhookDialogProps) {
  const [overlap, setOverlap] = useState<number>(24);
  const form = useDialogForm({
    onClose,
    isSentOnce: true,
    send: ({ key }) => rotateWebhookSecret(webhook.id, { overlap_hours: overlap }, key),
  });
  if (form.answer !== undefined) {
    const { webhook: changed, secret } = form.answer;
    const until = changed.previous_secret_until;
    return (
      <WebhookSecretDialog title={t`New secret`} secret={secret} onClose={onClose}>
        {until === null ? (
          t`Events are now signed with this secret only. It won’t be shown again.`
        ) : (
          <Trans>
            Both secrets work until <Time at={until} />; events are signed with both. The new one won’t be
            shown again.
          </Trans>
        )}
      </WebhookSecretDialog>
    );
  }
  const previousUntil = webhook.previous_secret_until;
  return (
    <FormDialog
      form={form}
      title={t`New secret`}
      description={<bdi className="font-mono text-xs wrap-anywhere">{webhook.url}</bdi>}
      action={t`Create new secret`}
      danger={overlap === 0}
    >
      <Choice label={t`The old secret`} labelShown value={overlap} options={overlaps} onChoose={setOverlap} />
      {overlap === 0 ? (
        <Notice tone="warn">
          {t`Programs that only have the old secret will reject events from now on.`}
        </Notice>
      ) : (
        <p className="text-soft">
          {t`While both secrets are valid, events are signed with both. Update your program in the meantime.`}
        </p>
      )}
      {previousUntil === null ? null : (
        <Notice tone="warn">
          <Trans>
            The previous secret works until <Time at={previousUntil} />. Creating a new one ends it
            immediately.
          </Trans>
        </Notice>
      )}
    </FormDialog>
  );
}
