// Short labels for an endpoint's state.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { Webhook } from '../../api/shapes.ts';
import { deliveriesQuery } from '../../api/webhook-queries.ts';
import { numberLocale } from '../../text/language.ts';
import { Badge } from '../../ui/badge.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { DeliveryBadge } from '../events/delivery-outcome.tsx';

export function WebhookStateBadge({ webhook }: { readonly webhook: Webhook }) {
  const { enabled, disabled_at: disabledAt, failing_since: failingSince } = webhook;
  if (enabled) {
    return failingSince === null ? (
      <Badge tone="good">{t`Enabled`}</Badge>
    ) : (
      <Badge tone="warn">{t`Failing`}</Badge>
    );
  }
  return disabledAt === null ? <Badge>{t`Disabled`}</Badge> : <Badge tone="bad">{t`Disabled`}</Badge>;
}

const shares = new Intl.NumberFormat(numberLocale, { style: 'percent', maximumFractionDigits: 1 });

/** Never "100%" with a failure. */
export function successWords(delivered: number, failed: number): string {
  const share = delivered / (delivered + failed);
  return shares.format(failed > 0 ? Math.min(share, 0.999) : share);
}

export function LastDelivery({ webhookId }: { readonly webhookId: number }) {
  const { data } = useQuery(deliveriesQuery(webhookId, { limit: 1 }));
  if (data === undefined) return <Skeleton className="w-28" />;
  const [last] = data.data;
  if (last === undefined) return <span className="text-soft">{t`none`}</span>;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <DeliveryBadge status={last.status} />
      {/* Deliveries happen in real time, even in test mode. */}
      <Time at={last.at} style="second" />
    </span>
  );
}
