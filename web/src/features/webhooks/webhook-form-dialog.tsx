// Creates or edits an endpoint. A new secret is shown once, with code that verifies deliveries.

import { t } from '@lingui/core/macro';
import { type ReactNode, useState } from 'react';
import { changedFields } from '../../api/changed-fields.ts';
import { ApiError } from '../../api/client.ts';
import { changeWebhook, createWebhook, type WebhookSettings } from '../../api/commands.ts';
import type { Webhook } from '../../api/shapes.ts';
import { CheckList } from '../../ui/check-list.tsx';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';
import { eventWords } from '../events/event-words.ts';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';

interface WebhookFormDialogProps {
  readonly webhook: Webhook | null;
  readonly onClose: () => void;
}

const typeWords: Readonly<Record<string, ReactNode>> = Object.fromEntries(
  Object.entries(eventWords).map(([type, word]) => [
    type,
    <span key={type} className="block py-1 leading-snug">
      {word} <code className="block font-mono text-xs text-soft">{type}</code>
    </span>,
  ]),
);

export function WebhookFormDialog({ webhook, onClose }: WebhookFormDialogProps) {
  const [url, urlField] = useText(webhook?.url ?? '');
  const [description, descriptionField] = useText(webhook?.description ?? '');
  const [reach, setReach] = useState<'all' | 'some'>(
    webhook === null || webhook.types.length === 0 ? 'all' : 'some',
  );
  const [types, setTypes] = useState<readonly string[]>(webhook?.types ?? []);
  const [refusedUrl, setRefusedUrl] = useState('');

  const settings: WebhookSettings = {
    url: url.trim(),
    types: reach === 'all' ? [] : [...types],
    description: description.trim() === '' ? null : description.trim(),
  };
  const [before] = useState(settings);
  const changes = changedFields(before, settings);
  const create = useDialogForm({
    onClose,
    isSentOnce: true,
    send: ({ key }) => createWebhook(settings, key),
  });
  const change = useDialogForm({
    onClose,
    isDoneOnceRead: true,
    send: () => changeWebhook(webhook?.id ?? 0, changes),
    says: () => t`Endpoint updated.`,
  });
  const form = webhook === null ? create : change;
  if (create.answer !== undefined) {
    return (
      <WebhookSecretDialog title={t`Endpoint created`} secret={create.answer.secret} onClose={onClose}>
        {t`Your program uses this secret to verify events. It won’t be shown again.`}
      </WebhookSecretDialog>
    );
  }
  const addressProblem = refusedUrl === settings.url ? urlProblem(form.error) : null;
  return (
    <FormDialog
      form={{
        ...form,
        onSend: () => {
          setRefusedUrl(settings.url);
          form.onSend();
        },
      }}
      title={webhook === null ? t`New endpoint` : t`Edit endpoint`}
      width="wide"
      action={webhook === null ? t`Create endpoint` : t`Save endpoint`}
      ready={
        settings.url !== '' &&
        (reach === 'all' || types.length > 0) &&
        (webhook === null || Object.keys(changes).length > 0)
      }
      isChanged={Object.keys(changes).length > 0}
      error={addressProblem === null ? form.error : null}
    >
      <fieldset disabled={form.isPending} className="flex min-w-0 flex-col gap-4">
        <TextField
          label={t`Address`}
          hint={t`A public https URL. Events are sent to it by POST.`}
          placeholder="https://shop.example.com/sellthrough"
          inputMode="url"
          kind="name"
          autoFocus
          mono
          maxLength={2_048}
          {...urlField}
          problem={addressProblem}
        />
        <TextField
          label={t`Description`}
          hint={t`Optional. Only you see this.`}
          autoComplete="off"
          maxLength={200}
          {...descriptionField}
        />
        <Choice
          label={t`Events`}
          labelShown
          value={reach}
          options={[
            { value: 'all', title: t`All events, including future types` },
            { value: 'some', title: t`Only selected types` },
          ]}
          onChoose={setReach}
        />
        {reach === 'some' ? (
          <CheckList label={t`Events to send`} words={typeWords} chosen={types} onChoose={setTypes} />
        ) : null}
      </fieldset>
    </FormDialog>
  );
}

function urlProblem(error: Error | null): string | null {
  if (!(error instanceof ApiError) || error.detail('field') !== 'url') return null;
  const reason = error.detail('reason');
  if (reason.includes('https')) return t`Enter an https URL, such as https://shop.example.com/sellthrough.`;
  if (reason.includes('private'))
    return t`Must not be a private or reserved address: this service calls over the internet.`;
  if (reason.includes('found')) return t`No server has this name.`;
  if (reason.includes('port')) return t`Use port 443, or 1024 and above.`;
  if (reason.includes('password')) return t`Must not contain a username or password.`;
  if (reason.includes('fragment')) return t`Must not contain a fragment (#).`;
  return t`This address cannot be used.`;
}
