import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import type { CountedCalls, ProductCall } from './product-call-reads.ts';
import type { ProductCallView } from './product-schemas.ts';

export function productCallView(call: ProductCall): ProductCallView {
  const { id, type, status, account, customer, confirms, attempts, lastStatus, lastError } = call;
  return {
    id,
    type,
    status,
    account,
    customer,
    order_id: call.orderId,
    decides_order: confirms,
    created_at: formatTime(call.createdAt),
    attempts,
    first_attempt_at: timeOrNull(call.firstAttemptAt),
    last_attempt_at: timeOrNull(call.lastAttemptAt),
    next_attempt_at: status === 'waiting' ? formatTime(call.nextAttemptAt) : null,
    last_status: lastStatus,
    last_error: lastError,
    latest_attempts: call.latestAttempts.map(({ at, ...attempt }) => ({ at: formatTime(at), ...attempt })),
  };
}

export function failingView({ count, more, since }: CountedCalls) {
  return { count, more, since: timeOrNull(since) };
}

function timeOrNull(at: EpochSeconds | null): string | null {
  return at === null ? null : formatTime(at);
}
