// The attempts to deliver an event, in its drawer.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { AccountEvent } from '../../api/shapes.ts';
import { deliveriesOfEventQuery, webhooksQuery } from '../../api/webhook-queries.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { DeliveryBadge, outcomeWord } from './delivery-outcome.tsx';

export function EventDeliveries({ event }: { readonly event: AccountEvent }) {
  const { data, error, refetch } = useQuery(deliveriesOfEventQuery(event.id));
  const { data: webhooks } = useQuery(webhooksQuery);
  const nameOf = (id: number) => {
    const webhook = webhooks?.data.find((one) => one.id === id);
    return webhook === undefined ? t`Endpoint` : (webhook.description ?? new URL(webhook.url).host);
  };
  return (
    <section className="space-y-2">
      <h3 className="font-semibold">{t`Deliveries`}</h3>
      {data !== undefined ? (
        data.data.length === 0 ? (
          <p className="text-soft">{t`None among the latest 2,000 attempts of each endpoint.`}</p>
        ) : (
          <ul className="divide-y divide-line border-y border-line">
            {data.data.map((delivery) => (
              <li
                key={`${delivery.webhook_id} ${delivery.at} ${delivery.attempt}`}
                className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2"
              >
                <DeliveryBadge status={delivery.status} />
                <span className="min-w-0 flex-1 wrap-anywhere">
                  <TextLink to="/webhooks/$webhookId" params={{ webhookId: String(delivery.webhook_id) }}>
                    <bdi>{nameOf(delivery.webhook_id)}</bdi>
                  </TextLink>{' '}
                  <span className="text-soft">{outcomeWord(delivery)}</span>
                </span>
                <Time at={delivery.at} style="second" />
              </li>
            ))}
          </ul>
        )
      ) : error === null ? (
        <Skeleton className="h-10 w-full" />
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
    </section>
  );
}
