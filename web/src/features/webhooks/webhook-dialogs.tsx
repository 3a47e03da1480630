// Deletes an endpoint, sends it a test event, or rotates its secret.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { deleteWebhook, rotateWebhookSecret, sendTestEvent } from '../../api/commands.ts';
import type { TestedWebhook, Webhook } from '../../api/shapes.ts';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { Facts } from '../../ui/facts.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { AnswerBox } from './answer-box.tsx';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';
import { outcomeWord } from './webhook-state.tsx';

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
    says: () => t`The endpoint is deleted.`,
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
        {t`Nothing is sent to it any more, and its log goes with it. The events themselves stay in the feed. This cannot be undone: to send nothing for a while, switch it off instead.`}
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
      title={t`Send a test`}
      description={<bdi className="font-mono text-xs wrap-anywhere">{webhook.url}</bdi>}
      action={data === undefined ? t`Send test now` : t`Send another`}
      cancel={data === undefined ? t`Cancel` : t`Close`}
    >
      <p>
        <Trans>
          An event of the type <code className="font-mono text-xs">webhook.test</code> is sent once, signed
          like every other, also where the endpoint is off. It is in no feed and in no log.
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
          ? t`It was taken.`
          : status === null
            ? t`It was not taken: there was no answer.`
            : t`It was not taken: only an answer from 200 to 299 counts.`}
      </Notice>
      <Facts
        facts={[
          { name: t`Answer`, value: outcomeWord({ http_status: status, reason }) },
          { name: t`Took`, value: t`${milliseconds} ms` },
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
      <WebhookSecretDialog title={t`A new secret`} secret={secret} onClose={onClose}>
        {until === null ? (
          t`Everything is signed with it alone from now on. It is shown only now.`
        ) : (
          <Trans>
            Both secrets are valid until <Time at={until} />: until then everything carries a signature of
            each. The new one is shown only now.
          </Trans>
        )}
      </WebhookSecretDialog>
    );
  }
  const previousUntil = webhook.previous_secret_until;
  return (
    <FormDialog
      form={form}
      title={t`A new secret`}
      description={<bdi className="font-mono text-xs wrap-anywhere">{webhook.url}</bdi>}
      action={t`Make new secret`}
      danger={overlap === 0}
    >
      <Choice label={t`The old secret`} labelShown value={overlap} options={overlaps} onChoose={setOverlap} />
      {overlap === 0 ? (
        <Notice tone="warn">
          {t`A program that knows the old secret alone refuses what it is sent from now on.`}
        </Notice>
      ) : (
        <p className="text-soft">
          {t`As long as both are valid, everything is signed with both: change the secret in your program meanwhile.`}
        </p>
      )}
      {previousUntil === null ? null : (
        <Notice tone="warn">
          <Trans>
            The secret before the present one is valid until <Time at={previousUntil} />. With a new one it
            ends at once.
          </Trans>
        </Notice>
      )}
    </FormDialog>
  );
}
