import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { redeliverEvent } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import { mintIdempotencyKey } from '../../api/random-text.ts';
import type { EventAtWebhook, Webhook } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { eventAtWebhookQuery } from '../../api/webhook-queries.ts';
import { formatCount, formatMilliseconds } from '../../text/language.ts';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Copied } from '../../ui/copied.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import type { OpenRow } from '../../ui/open-row.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { DeliveryBadge, outcomeWord } from '../events/delivery-outcome.tsx';
import { EventJson, eventFacts } from '../events/event-facts.tsx';
import { eventWord } from '../events/event-words.ts';
import { AnswerBox } from './answer-box.tsx';
import type { KeyedDelivery } from './delivery-key.ts';

interface DeliveryDrawerProps {
  readonly webhook: Webhook;
  readonly delivery: KeyedDelivery;
  readonly opened: OpenRow<KeyedDelivery>;
}

const attemptsMax = 10;

export function DeliveryDrawer({ webhook, delivery, opened }: DeliveryDrawerProps) {
  const mayChange = useMay()('webhooks:write');
  const { event_days: days } = useMe().kept;
  const { event_id: eventId, event_type: type, attempt, status, at, milliseconds, answer } = delivery;
  const { data, error, refetch } = useQuery(eventAtWebhookQuery(webhook.id, eventId));
  // Each click is a new request, so it needs a new key.
  const [key, setKey] = useState(mintIdempotencyKey);
  const command = useCommand(() => redeliverEvent(webhook.id, eventId, key), {
    onDone: () => {
      setKey(mintIdempotencyKey());
      say(
        webhook.enabled
          ? t`Sending the event again. The attempt appears in the list.`
          : t`The event will be sent again once the endpoint is enabled.`,
      );
    },
  });
  const webhookId = `evt_${eventId}`;
  const event = data?.event;
  return (
    <Drawer
      title={eventWord(type)}
      description={
        <span className="flex flex-wrap items-center gap-2">
          <DeliveryBadge status={status} />
          <Time at={at} style="second" />
        </span>
      }
      opened={opened}
      actions={
        <>
          <ButtonLink to="/events" search={{ open: String(eventId) }}>
            {t`Open event`}
          </ButtonLink>
          {mayChange ? (
            <Button
              icon={Send}
              look="primary"
              busy={command.isPending}
              disabled={event === null}
              onClick={() => command.mutate(undefined)}
            >
              {t`Send again`}
            </Button>
          ) : null}
        </>
      }
    >
      {command.error === null ? null : <ErrorNotice error={command.error} />}
      {/* The facts box clips overflow, so it must not shrink. */}
      <div className="shrink-0">
        <Facts
          facts={[
            { name: t`Attempt`, value: t`${formatCount(attempt)} of ${formatCount(attemptsMax)}` },
            { name: t`Response`, value: outcomeWord(delivery) },
            { name: t`Duration`, value: formatMilliseconds(milliseconds) },
            { name: t`Next retry`, value: data && nextSentence(data, webhook, delivery) },
            { name: 'webhook-id', value: <Copied text={webhookId} label={t`Copy webhook-id`} /> },
            ...(event == null ? [] : eventFacts(event)),
          ]}
        />
      </div>
      <Part title={t`Request`}>
        {error !== null && data === undefined ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : event === undefined ? (
          <Skeleton className="h-40 w-full" />
        ) : event === null ? (
          <p className="text-soft">{t`Event not available. Events are kept for ${days} days.`}</p>
        ) : (
          <EventJson event={event} label={t`Request body`} />
        )}
      </Part>
      <Part title={t`Response`}>
        {delivery.http_status === null ? (
          <p className="text-soft">{outcomeWord(delivery)}</p>
        ) : (
          <AnswerBox answer={answer} />
        )}
      </Part>
    </Drawer>
  );
}

function nextSentence({ waiting }: EventAtWebhook, webhook: Webhook, delivery: KeyedDelivery): ReactNode {
  if (waiting === null) {
    if (delivery.status === 'given_up') return t`none: out of attempts`;
    return delivery.status === 'delivered' ? t`none: delivered` : t`none: a later attempt settled it`;
  }
  if (!webhook.enabled) return t`once the endpoint is enabled`;
  const { due_at: dueAt } = waiting;
  return dueAt === null ? t`queued` : <Time at={dueAt} style="second" />;
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="space-y-2">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  );
}
