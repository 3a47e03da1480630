import type { OutboundResult } from '../../platform/outbound/outbound.ts';
import { publicId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import type { Attempt } from './delivery-log.ts';
import type { DeliveryView, WebhookView } from './webhook-schemas.ts';
import type { Webhook } from './webhook-table.ts';

export function webhookView(webhook: Webhook, now: number): WebhookView {
  const { id, url, types, description, enabled, createdAt, failingSince, disabledAt, previousUntil } =
    webhook;
  return {
    id,
    url,
    types: [...types],
    description,
    enabled,
    created_at: formatTime(createdAt),
    failing_since: timeOrNull(failingSince),
    disabled_at: timeOrNull(disabledAt),
    disabled_reason: webhook.disabledReason,
    previous_secret_until: previousUntil !== null && now < previousUntil ? formatTime(previousUntil) : null,
  };
}

export function deliveryView(attempt: Attempt): DeliveryView {
  return {
    event_id: publicId(attempt.accountId, attempt.eventNumber),
    event_type: attempt.eventType,
    attempt: attempt.attempt,
    at: formatTime(attempt.at),
    status: attempt.outcome,
    http_status: attempt.status,
    reason: attempt.reason,
    milliseconds: attempt.milliseconds,
    answer: attempt.answer,
  };
}

export function testedView(result: OutboundResult) {
  const { milliseconds } = result;
  return result.type === 'answered'
    ? {
        delivered: result.status >= 200 && result.status < 300,
        status: result.status,
        reason: null,
        milliseconds,
        answer: result.answer,
      }
    : { delivered: false, status: null, reason: result.reason, milliseconds, answer: '' };
}

function timeOrNull(at: number | null): string | null {
  return at === null ? null : formatTime(at);
}
