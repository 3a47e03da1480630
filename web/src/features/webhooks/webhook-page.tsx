import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { KeyRound, Pencil, Power, Trash2, Zap } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { changeWebhook } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import type { Webhook } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { webhookQuery } from '../../api/webhook-queries.ts';
import { withTexts } from '../../text/texts.ts';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { Actions, MoreActions } from '../../ui/actions.tsx';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { Copied } from '../../ui/copied.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { BackLink, PageHeader } from '../../ui/page-header.tsx';
import { PageProblem } from '../../ui/page-problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { eventWord } from '../events/event-words.ts';
import { DeliveryFiguresCard } from './delivery-figures-card.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { DeleteWebhookDialog, RotateSecretDialog, TestWebhookDialog } from './webhook-dialogs.tsx';
import { WebhookFormDialog } from './webhook-form-dialog.tsx';
import { WebhookStateBadge } from './webhook-state.tsx';

const VerifyCard = lazy(
  withTexts(async () => {
    const { VerifySnippet } = await import('./verify-snippet.tsx');
    return {
      default: () => (
        <Card>
          <VerifySnippet />
        </Card>
      ),
    };
  }),
);

const route = getRouteApi('/panel/webhooks/$webhookId');

export function WebhookPage() {
  const { webhookId } = route.useParams();
  const navigate = route.useNavigate();
  const mayChange = useMay()('webhooks:write');
  const [isGone, setIsGone] = useState(false);
  const { data, error, refetch } = useQuery({ ...webhookQuery(webhookId), enabled: !isGone });
  const turn = useCommand(
    ({ id, enabled }: Pick<Webhook, 'id' | 'enabled'>) => changeWebhook(id, { enabled }),
    {
      onDone: ({ webhook: { enabled } }) =>
        say(
          enabled
            ? t`Endpoint enabled. Queued events are being sent.`
            : t`Endpoint disabled. New events are queued.`,
        ),
    },
  );
  const back = <BackLink to="/webhooks">{t`Webhooks`}</BackLink>;
  const webhook = data?.webhook;
  if (webhook === undefined) {
    return error === null ? (
      <>
        <PageHeader title={t`Endpoint`} back={back} />
        <Skeleton className="h-40 w-full" />
      </>
    ) : (
      <PageProblem
        title={t`Endpoint`}
        back={back}
        error={error}
        onRetry={() => void refetch()}
        missing={{
          title: t`Endpoint not found`,
          hint: t`It may have been deleted.`,
          action: <ButtonLink to="/webhooks">{t`All endpoints`}</ButtonLink>,
        }}
      />
    );
  }
  const switchTo = (enabled: boolean) => turn.mutate({ id: webhook.id, enabled });
  const leave = () => {
    setIsGone(true);
    void navigate({ to: '/webhooks' });
  };
  return (
    <>
      <PageHeader
        title={webhook.description ?? new URL(webhook.url).host}
        mark={<WebhookStateBadge webhook={webhook} />}
        back={back}
        actions={
          mayChange ? (
            <>
              <Actions
                actions={[
                  {
                    id: 'test',
                    title: t`Send test event`,
                    icon: Zap,
                    dialog: (onClose) => <TestWebhookDialog webhook={webhook} onClose={onClose} />,
                  },
                  {
                    id: 'change',
                    title: t`Edit`,
                    icon: Pencil,
                    dialog: (onClose) => <WebhookFormDialog webhook={webhook} onClose={onClose} />,
                  },
                ]}
              />
              {webhook.enabled ? null : (
                <Button icon={Power} busy={turn.isPending} look="primary" onClick={() => switchTo(true)}>
                  {t`Enable`}
                </Button>
              )}
              <MoreActions
                menu={ActionMenu}
                actions={[
                  {
                    id: 'secret',
                    title: t`New secret`,
                    icon: KeyRound,
                    dialog: (onClose) => <RotateSecretDialog webhook={webhook} onClose={onClose} />,
                  },
                  {
                    id: 'disable',
                    title: t`Disable`,
                    icon: Power,
                    isOffered: webhook.enabled,
                    run: () => switchTo(false),
                  },
                  {
                    id: 'delete',
                    title: t`Delete`,
                    icon: Trash2,
                    look: 'danger',
                    dialog: (onClose) => (
                      <DeleteWebhookDialog webhook={webhook} onClose={onClose} onDeleted={leave} />
                    ),
                  },
                ]}
              />
            </>
          ) : undefined
        }
      />
      <div className="page-stack gap-5">
        {turn.error === null ? null : <ErrorNotice error={turn.error} />}
        <StateNotice webhook={webhook} />
        <Card>
          <Facts
            columns={2}
            facts={[
              {
                name: t`Address`,
                value: <Copied text={webhook.url} label={t`Copy address`} />,
                isWide: true,
              },
              {
                name: t`Events`,
                isWide: true,
                value:
                  webhook.types.length === 0
                    ? t`All events, including future types`
                    : webhook.types.map(eventWord).join(' · '),
              },
              { name: t`Created`, value: <Time at={webhook.created_at} /> },
              {
                name: t`Secret`,
                value:
                  webhook.previous_secret_until === null ? (
                    t`Set (shown only at creation)`
                  ) : (
                    <Trans>
                      Two work until <Time at={webhook.previous_secret_until} />
                    </Trans>
                  ),
              },
            ]}
          />
        </Card>
        <DeliveryFiguresCard webhookId={webhook.id} />
        <DeliveryList webhook={webhook} />
        <Suspense>
          <VerifyCard />
        </Suspense>
      </div>
    </>
  );
}

function StateNotice({ webhook }: { readonly webhook: Webhook }) {
  const { event_days: days } = useMe().kept;
  const { enabled, disabled_at: disabledAt, disabled_reason: reason, failing_since: failingSince } = webhook;
  if (!enabled && disabledAt !== null) {
    return (
      <Notice tone="warn">
        <Trans>
          The service disabled this endpoint (<Time at={disabledAt} />
          ).
        </Trans>{' '}
        {reason === 'gone' ? t`It returned 410 Gone.` : t`It failed for five days.`}{' '}
        {t`Missed events are kept for ${days} days and sent in order once you enable it.`}
      </Notice>
    );
  }
  if (enabled && failingSince !== null) {
    return (
      <Notice tone="warn">
        <Trans>
          Every attempt has failed since <Time at={failingSince} style="second" />. After five days of
          failures, the endpoint is disabled.
        </Trans>
      </Notice>
    );
  }
  return null;
}
