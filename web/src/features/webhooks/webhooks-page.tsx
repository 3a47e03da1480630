import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2, Webhook as WebhookIcon, Zap } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/person.ts';
import type { Webhook } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { deliveryCountsQuery, webhooksQuery } from '../../api/webhook-queries.ts';
import { formatCount } from '../../text/language.ts';
import { useAskedAction } from '../../ui/asked-action.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { RowLink, TextLink } from '../../ui/text-link.tsx';
import { eventWord } from '../events/event-words.ts';
import { DeleteWebhookDialog, TestWebhookDialog } from './webhook-dialogs.tsx';
import { WebhookFormDialog } from './webhook-form-dialog.tsx';
import { LastDelivery, successWords, WebhookStateBadge } from './webhook-state.tsx';

const endpointsMax = 10;

type Opened =
  | { readonly action: 'create' }
  | { readonly action: 'change' | 'test' | 'delete'; readonly webhook: Webhook }
  | null;

export function WebhooksPage() {
  const mayChange = useMay()('webhooks:write');
  const query = useQuery(webhooksQuery);
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  const count = query.data?.data.length;
  const isFull = count !== undefined && count >= endpointsMax;
  useAskedAction('endpoint', () => {
    if (mayChange && !isFull) setOpened({ action: 'create' });
  });
  const newEndpoint = (
    <Button icon={Plus} look="primary" disabled={isFull} onClick={() => setOpened({ action: 'create' })}>
      {t`New endpoint`}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t`Webhooks`}
        description={t`We send signed events to these URLs in real time.`}
        actions={mayChange && count !== 0 ? newEndpoint : undefined}
      />
      <Card flush>
        <DataTable
          caption={t`Endpoints`}
          columns={mayChange ? [...columns, actions()] : columns}
          {...tableState(query)}
          rowKey={({ id }) => id}
          phone={(webhook) => (
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1 py-1 whitespace-normal">
              <WebhookStateBadge webhook={webhook} />
              <LastDelivery webhookId={webhook.id} />
            </span>
          )}
          empty={
            <EmptyState
              icon={WebhookIcon}
              title={t`No endpoints yet`}
              action={mayChange ? newEndpoint : undefined}
            >
              <Trans>
                Get notified of each order, plan change and payment within a second. Events are also in the{' '}
                <TextLink to="/events">event feed</TextLink>.
              </Trans>
            </EmptyState>
          }
          footer={
            isFull ? (
              <p className="border-t border-line px-5 py-3 text-soft">
                {t`Endpoint limit reached. Delete an endpoint first.`}
              </p>
            ) : undefined
          }
        />
      </Card>
      {opened?.action === 'create' ? <WebhookFormDialog webhook={null} onClose={close} /> : null}
      {opened?.action === 'change' ? <WebhookFormDialog webhook={opened.webhook} onClose={close} /> : null}
      {opened?.action === 'test' ? <TestWebhookDialog webhook={opened.webhook} onClose={close} /> : null}
      {opened?.action === 'delete' ? <DeleteWebhookDialog webhook={opened.webhook} onClose={close} /> : null}
    </>
  );

  function actions(): Column<Webhook> {
    return {
      title: t`Actions`,
      untitled: true,
      align: 'end',
      // On narrow screens these actions are only on the endpoint's page.
      from: 'lg',
      cell: (webhook) => (
        <span className="inline-flex">
          <IconButton
            icon={Zap}
            label={t`Send test event to ${webhook.url}`}
            onClick={() => setOpened({ action: 'test', webhook })}
          />
          <IconButton
            icon={Pencil}
            label={t`Change ${webhook.url}`}
            onClick={() => setOpened({ action: 'change', webhook })}
          />
          <IconButton
            label={t`Delete ${webhook.url}`}
            onClick={() => setOpened({ action: 'delete', webhook })}
          >
            <Trash2 aria-hidden="true" className="size-4" />
          </IconButton>
        </span>
      ),
    };
  }
}

const columns: readonly Column<Webhook>[] = [
  {
    title: t`Endpoint`,
    grows: true,
    cell: (webhook) => (
      <TwoLines
        first={
          <RowLink to="/webhooks/$webhookId" params={{ webhookId: String(webhook.id) }}>
            <bdi title={webhook.url}>{webhook.description ?? shortUrl(webhook)}</bdi>
          </RowLink>
        }
        second={
          <span title={typesSentence(webhook)}>
            {webhook.description === null ? null : (
              <>
                <bdi className="font-mono">{shortUrl(webhook)}</bdi> ·{' '}
              </>
            )}
            {typesSentence(webhook)}
          </span>
        }
      />
    ),
  },
  { title: t`Status`, from: 'sm', cell: (webhook) => <WebhookStateBadge webhook={webhook} /> },
  { title: t`Last 7 days`, from: 'md', cell: ({ id }) => <RecentDeliveries webhookId={id} /> },
  { title: t`Last delivery`, from: 'sm', cell: ({ id }) => <LastDelivery webhookId={id} /> },
];

function shortUrl({ url }: Webhook): string {
  return url.replace(/^https:\/\//, '');
}

function RecentDeliveries({ webhookId }: { readonly webhookId: number }) {
  const { data } = useQuery(deliveryCountsQuery);
  if (data === undefined) return <Skeleton className="w-20" />;
  const counts = data.data.find(({ webhook_id: id }) => id === webhookId);
  if (counts === undefined || counts.delivered + counts.failed === 0)
    return <span className="text-soft">{t`No deliveries`}</span>;
  const { delivered, failed, more } = counts;
  const attempts = delivered + failed;
  return (
    <div className="leading-snug whitespace-nowrap">
      <div className={failed === 0 ? 'figures' : 'figures text-warn'}>
        {t`${successWords(delivered, failed)} delivered`}
      </div>
      <div className="text-xs text-soft">
        {more
          ? t`of the latest ${formatCount(attempts)}`
          : plural(attempts, { one: 'of # attempt', other: 'of # attempts' })}
      </div>
    </div>
  );
}

function typesSentence({ types }: Webhook): string {
  return types.length === 0 ? t`All events` : types.map(eventWord).join(', ');
}
