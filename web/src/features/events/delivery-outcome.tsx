// Short labels for the outcome of an attempt to deliver an event.

import { t } from '@lingui/core/macro';
import type { Delivery } from '../../api/shapes.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';

const deliveryWords: Readonly<Record<string, string>> = {
  delivered: t`Delivered`,
  failed: t`Failed`,
  given_up: t`Gave up`,
};
const deliveryTones: Readonly<Record<string, Tone>> = { delivered: 'good', failed: 'warn', given_up: 'bad' };

export function DeliveryBadge({ status }: { readonly status: string }) {
  return <Badge tone={deliveryTones[status] ?? 'neutral'}>{deliveryWords[status] ?? status}</Badge>;
}

const reasons: Readonly<Record<string, string>> = {
  address_refused: t`Blocked address`,
  name_not_found: t`Host not found`,
  connection_refused: t`Connection refused`,
  connection_lost: t`Connection lost`,
  tls: t`TLS failed`,
  timeout: t`Timed out`,
  malformed_answer: t`Invalid HTTP response`,
};

/** The HTTP status, such as "200", or the reason why there was no answer. */
export function outcomeWord({
  http_status: status,
  reason,
}: Pick<Delivery, 'http_status' | 'reason'>): string {
  if (status !== null) return String(status);
  return reason === null ? '' : (reasons[reason] ?? reason);
}
