// Sends all events since a chosen time again. The dialog first explains this and counts the events.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { redeliverSince } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import type { SinceCount, Webhook } from '../../api/shapes.ts';
import { useTestClock } from '../../api/test-clock.ts';
import { sinceCountQuery } from '../../api/webhook-queries.ts';
import { zone } from '../../text/clock.ts';
import { formatCount } from '../../text/language.ts';
import { readTypedMinute, typedMinute } from '../../text/typed-minutes.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Dialog, DialogActions, DialogBody } from '../../ui/dialog.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';

const hour = 3_600_000;

type Reach = 'hour' | 'day' | 'week' | 'chosen';

interface RedeliverSinceDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function RedeliverSinceDialog({ webhook, onClose }: RedeliverSinceDialogProps) {
  const { event_days: days } = useMe().kept;
  const testClock = useTestClock();
  // In test mode, events have times of the test clock.
  const [now] = useState(() => (testClock === null ? Date.now() : Date.parse(testClock)));
  const [reach, setReach] = useState<Reach>('hour');
  const [typed, setTyped] = useState(() => typedMinute(new Date(now - hour)));
  const from = startOf(reach, { now, typed });
  const preview = useQuery({ ...sinceCountQuery(webhook.id, from ?? ''), enabled: from !== null });
  const counted = from === null || preview.isPlaceholderData ? undefined : preview.data;
  const form = useDialogForm({
    onClose,
    isSentOnce: true,
    send: async ({ key }) => {
      await redeliverSince(webhook.id, from ?? '', key);
      return { from: from ?? '', counted };
    },
  });
  if (form.answer !== undefined) {
    const { counted: sent, from: since } = form.answer;
    return (
      <Dialog title={t`Sent again`} onClose={onClose}>
        <DialogBody>
          <Notice tone="good">
            {sent === undefined ? t`All events since then are sent again.` : resultSentence(sent)}
          </Notice>
          <p>
            <Trans>
              Events since <Time at={since} style="second" /> are sent in order. Each attempt appears in the
              list.
            </Trans>{' '}
            {webhook.enabled ? '' : t`The endpoint is disabled. They are sent once you enable it.`}
          </p>
        </DialogBody>
        <DialogActions>
          <Button look="primary" onClick={onClose}>
            {t`Done`}
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  const options = [
    { value: 'hour' as const, title: t`1 hour ago` },
    { value: 'day' as const, title: t`1 day ago` },
    { value: 'week' as const, title: t`7 days ago` },
    { value: 'chosen' as const, title: t`Another time` },
  ];
  return (
    <FormDialog
      form={form}
      title={t`Replay events since …`}
      description={<bdi className="font-mono text-xs wrap-anywhere">{webhook.url}</bdi>}
      action={counted === undefined ? t`Send again` : actionSentence(counted)}
      ready={form.isUncertain || (counted !== undefined && counted.count > 0)}
      summary={
        from === null ? t`Choose a time.` : counted === undefined ? t`Counting …` : countSentence(counted)
      }
    >
      <Choice label={t`Starting from`} labelShown value={reach} options={options} onChoose={setReach} />
      {reach === 'chosen' ? (
        <TextField
          label={t`From`}
          hint={t`${zone}. Events are kept for ${days} days.`}
          type="datetime-local"
          value={typed}
          onText={setTyped}
        />
      ) : null}
      <ul className="list-disc space-y-1 pl-5 text-soft">
        <li>
          {t`Events delivered before are sent again with the same webhook-id, so your program must ignore duplicates.`}
        </li>
        <li>{t`Events are sent in order. New events are queued behind the replay.`}</li>
      </ul>
      {preview.error === null || form.error !== null ? null : <ErrorNotice error={preview.error} />}
    </FormDialog>
  );
}

function startOf(
  reach: Reach,
  { now, typed }: { readonly now: number; readonly typed: string },
): string | null {
  switch (reach) {
    case 'hour':
      return second(now - hour);
    case 'day':
      return second(now - 24 * hour);
    case 'week':
      return second(now - 7 * 24 * hour);
    case 'chosen': {
      return readTypedMinute(typed);
    }
  }
}

function second(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

function countSentence({ count, more }: SinceCount): string {
  if (more) return t`More than ${formatCount(count)} matching events since then.`;
  if (count === 0) return t`No matching events since then.`;
  return plural(count, {
    one: '# matching event since then.',
    other: '# matching events since then.',
  });
}

function actionSentence({ count, more }: SinceCount): string {
  if (more) return t`Replay more than ${formatCount(count)} events`;
  return count === 0 ? t`Send again` : plural(count, { one: 'Replay # event', other: 'Replay # events' });
}

function resultSentence({ count, more }: SinceCount): string {
  if (more) return t`Replaying more than ${formatCount(count)} events.`;
  return plural(count, { one: 'Replaying # event.', other: 'Replaying # events.' });
}
